"""Proofs by exchanging steps for any integers: found, confirmed by both solvers, and forgeries refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.checking.context import Context
from seriatim.checking.verify import Report, verify
from seriatim.engines.exchanges.engine import reduce
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.program.printer import print_expression
from seriatim.program.symbolic.pauses import with_pauses
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import Serializability
from testkit.samples import deep, deep_cases

COUNTER = """
request inc { lock(LOCK); x := X; yield; X := x * x + 1; yield; unlock(LOCK); x }
request get { lock(LOCK); v := X; unlock(LOCK); v }
"""
CELLS = """
LOCK[account: int] := 0
BALANCE[account: int] := 100
request move(a, b: account, amount: int) {
    lock(LOCK[a]); yield; lock(LOCK[b]); yield;
    BALANCE[a] := BALANCE[a] - amount; yield; BALANCE[b] := BALANCE[b] + amount;
    unlock(LOCK[a]); unlock(LOCK[b]); BALANCE[0]
}
"""
ONE_CELL = """
LOCK[account: int] := 0
BALANCE[account: int] := 100
request take(a: account, amount: int) {
    lock(LOCK[a]); b := BALANCE[a]; yield; BALANCE[a] := b - amount; unlock(LOCK[a]); b
}
"""
CHOICE = "request h { lock(L); if (?) { X := X + 1 } else { X := 2 * X }; yield; x := X; unlock(L); x }"


@cache
def proof(text: str) -> Certificate:
    program = parse(text)
    evidence = reduce(program, Deadline(30))
    assert isinstance(evidence, SymbolicReductionEvidence), evidence
    return Certificate(digest(program), "serializable", evidence)


def report(text: str, certificate: Certificate, solver: SolverName = SolverName.Z3) -> Report:
    return verify(certificate, parse(text), Context(chosen=(solver,)))


@pytest.mark.parametrize("solver", SolverName)
@pytest.mark.parametrize("text", [COUNTER, ONE_CELL, CHOICE], ids=["lock", "cells", "choice"])
def test_proofs_for_all_integers_are_confirmed(text: str, solver: SolverName) -> None:
    certificate = proof(text)
    assert read_certificate(write(certificate)) == certificate
    found = report(text, certificate, solver)
    assert found.accepted, found.complaint
    assert any(solver in each.confirmed_by for each in found.obligations)


def test_without_a_solver_nothing_is_confirmed() -> None:
    assert not verify(proof(COUNTER), parse(COUNTER), Context(chosen=())).accepted


def test_final_values_are_those_of_a_serial_run_as_well() -> None:
    certificate = proof(COUNTER)
    observed = Serializability(observed=("X",))
    asked = Certificate(certificate.digest, "serializable", certificate.evidence, observed)
    assert report(COUNTER, asked).accepted


def test_it_says_nothing_about_failures_alone() -> None:
    certificate = proof(COUNTER)
    asked = Certificate(certificate.digest, "safe", certificate.evidence, SAFETY)
    assert not report(COUNTER, asked).accepted


Change = Callable[[dict[str, Any]], object]


def says(place: int, formula: str) -> Change:
    return lambda fields: fields["predicates"][place].update(formula=formula)


def commits(*places: int, committed: bool) -> Change:
    return lambda fields: [fields["points"][place].update(committed=committed) for place in places]


FORGERIES: dict[str, Change] = {
    "no formulas": lambda fields: fields.update(predicates=[]),
    "the formula about nobody is left out": lambda fields: fields["predicates"].pop(0),
    "a formula is left out": lambda fields: fields["predicates"].pop(),
    "the formula about nobody is false": says(0, "false"),
    "nothing is said about a request that holds the lock": says(1, "true"),
    "a formula says too much": says(1, "(and (= g.LOCK 1) (<= g.X 7))"),
    "a formula is wrong": says(1, "(= g.LOCK 0)"),
    "formulas are about one request only": lambda fields: fields.update(level=1),
    "nobody commits early": commits(0, 1, committed=False),
    "a request that has committed goes back": commits(1, committed=False),
    "a point is unknown": lambda fields: fields["points"][0].update(code="X := 7; 0"),
    "a point is of another handler": lambda fields: fields["points"][0].update(handler="get"),
    "a point is listed twice": lambda fields: fields["points"].append(fields["points"][0]),
    "points are left out": lambda fields: fields.update(points=[]),
    "a formula speaks of a serial state": says(0, "(= s.X g.X)"),
    "a formula speaks of a variable that does not exist": says(0, "(= g.NONE 0)"),
    "two requests hold the lock": lambda fields: fields["predicates"].append(
        {"at": [0, 0], "formula": "(= |0.x| |1.x|)"}
    ),
}
HARMLESS = {"nobody commits early"}
"""Where steps can be moved to both sides, a proof remains."""


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_forgeries_are_refused(change: Change, request: pytest.FixtureRequest) -> None:
    fields = json.loads(write(proof(COUNTER)))
    change(fields)
    accepted = report(COUNTER, read_certificate(json.dumps(fields))).accepted
    assert accepted == (request.node.callspec.id in HARMLESS)


def test_a_proof_about_another_program_is_refused() -> None:
    certificate = proof(COUNTER)
    broken = COUNTER.replace("lock(LOCK); v := X; unlock(LOCK); v", "v := X; yield; v - X")
    forged = Certificate(digest(parse(broken)), "serializable", certificate.evidence)
    assert not report(broken, forged).accepted


PAUSED = """
request add(n: int) { if (n < 1) { return 0 }; lock(LOCK); x := X; yield; X := x + n; unlock(LOCK); 1 }
request get { lock(LOCK); v := X; unlock(LOCK); v }
"""
PERMITS = """
FREE := 8
request write { await FREE >= 8; FREE := FREE - 8; yield; x := X; yield; X := 3 * x + 1; FREE := FREE + 8; x }
request read(n: int) {
    if (n < 1) { return 0 }; await FREE >= n; FREE := FREE - n; yield;
    x := X; yield; y := X; FREE := FREE + n; x - y
}
"""

TWO_LOCKS = """
request both(n: int) { lock(L); lock(M); X := X + n; yield; Y := Y - n; unlock(M); unlock(L); 0 }
request one { lock(L); x := X; yield; unlock(L); x }
request other { lock(M); y := Y; yield; unlock(M); y }
"""


@deep
@deep_cases("permits-z3")
@pytest.mark.parametrize("solver", SolverName)
@pytest.mark.parametrize("text", [PAUSED, PERMITS, TWO_LOCKS], ids=["lock", "permits", "two locks"])
def test_requests_may_pause_before_they_wait(text: str, solver: SolverName) -> None:
    """What happens before a lock is taken needs no other proof than what happens before a pause."""
    certificate = proof(text)
    assert read_certificate(write(certificate)) == certificate
    assert isinstance(certificate.evidence, SymbolicReductionEvidence)
    assert certificate.evidence.pauses
    assert report(text, certificate, solver).accepted
    without = replace(certificate.evidence, pauses=False)
    assert not report(text, replace(certificate, evidence=without), solver).accepted


def test_pauses_do_not_make_up_for_a_lock() -> None:
    broken = PAUSED.replace("lock(LOCK); x := X", "await LOCK == 0; x := X")
    assert not report(broken, replace(proof(PAUSED), digest=digest(parse(broken)))).accepted
    assert not isinstance(reduce(parse(broken), Deadline(30)), SymbolicReductionEvidence)


def test_where_pauses_are_added() -> None:
    code = "{ lock(A); x := 1; lock(B); yield; await C == 0; if (x) { await D == 0 }; x }"
    handler = parse(f"request h {code}").handlers[0].body
    printed = print_expression(with_pauses(handler))
    assert printed.count("yield") == print_expression(handler).count("yield") + 2
    assert printed.startswith("while (A")
    assert with_pauses(with_pauses(handler)) == with_pauses(handler)


WRONG = {
    "a step before a lock that others notice": PAUSED.replace(
        "if (n < 1) { return 0 }", "X := X + n; n := X"
    ),
    "permits that are taken without waiting": PERMITS.replace("await FREE >= n", "x := 0"),
    "lost update": "request inc { x := X; yield; X := x + 1; x }",
    "audit without the lock": """
request move { lock(L); A := A - 1; yield; B := B + 1; unlock(L); A }
request audit { a := A; yield; a + B }
""",
    "a long loop that would commute with anything": """
request twice { i := 0; while (i < 100) { i := i + 1; Y := 2 * Y }; yield; Y }
request more { Y := Y + 1; yield; Y }
""",
    "a choice that is made again": """
request toss { c := ?; yield; X := X + c; c + 100 * X }
request get { x := X; yield; x - X }
""",
    "a lock that is released too early": """
request inc { lock(L); x := X; unlock(L); yield; lock(L); X := x + 1; unlock(L); x }
""",
    "an argument that the rest of the code does not need": """
request set(v: int) { lock(L); X := v; yield; if (D == 1) { X := 2 }; unlock(L); 0 }
request disturb { D := 1; yield; D := 0; 0 }
request get { await L == 0; X }
""",
    "somebody else's lock": """
LOCK[account: int] := 0
BALANCE[account: int] := 100
request move(a, b: account) {
    lock(LOCK[a]); BALANCE[b] := BALANCE[b] + 1; yield; x := BALANCE[b]; unlock(LOCK[a]); x
}
""",
    "a cell that is computed": """
LOCK[account: int] := 0
BALANCE[account: int] := 100
request move(a: account) {
    lock(LOCK[a]); x := BALANCE[a + 1]; yield; BALANCE[a] := x + 1; unlock(LOCK[a]); x
}
""",
    "an assertion that may fail": "request h { X := X + 1; yield; assert X < 3; 0 }",
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_does_not_hold_is_not_proved(text: str) -> None:
    assert not isinstance(reduce(parse(text), Deadline(30)), SymbolicReductionEvidence)


def test_the_pair_that_cannot_be_exchanged_is_named() -> None:
    found = reduce(parse("request inc { x := X; yield; X := x + 1; x }"), Deadline(30))
    assert not isinstance(found, SymbolicReductionEvidence)
    assert "a step of `inc` and the next one, of `inc`, can be exchanged" in found.why


@deep
@pytest.mark.parametrize("solver", SolverName)
def test_transfers_between_any_number_of_accounts(solver: SolverName) -> None:
    text = CELLS.replace("BALANCE[0] }", "0 }").replace("BALANCE[0]\n", "0\n")
    assert report(text, proof(text), solver).accepted
    unlocked = text.replace("lock(LOCK[b]); yield;", "")
    assert not isinstance(reduce(parse(unlocked), Deadline(30)), SymbolicReductionEvidence)
    assert not isinstance(reduce(parse(CELLS), Deadline(30)), SymbolicReductionEvidence)
