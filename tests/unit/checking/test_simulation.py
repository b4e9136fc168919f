"""Proofs for any integers: found, confirmed by both solvers, and forgeries refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from seriatim.arithmetic.solvers.horn import Contradiction
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.simulation import SimulationEvidence
from seriatim.checking.context import Context
from seriatim.checking.verify import Report, verify
from seriatim.engines.simulation.engine import attempt, simulate
from seriatim.engines.simulation.policies import policies
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.program.symbolic.model import from_program
from seriatim.program.symbolic.moves import Policy
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import Serializability
from testkit.samples import IS_DEEP, deep

COUNTER = """
request inc { lock(LOCK); x := X; yield; X := x + 1; yield; unlock(LOCK); x }
request get { lock(LOCK); v := X; unlock(LOCK); v }
"""
RETRY = """
request inc { while (1) { x := X; yield; if (X == x) { X := x + 1; return x } } }
request get { X }
"""
TICKETS = """
request withdraw(n: int) {
    t := NEXT; NEXT := NEXT + 1; yield; await SERVING == t;
    b := B; yield; B := b - n; SERVING := SERVING + 1; b
}
request deposit(n: int) {
    t := NEXT; NEXT := NEXT + 1; yield; await SERVING == t; B := B + n; yield; SERVING := SERVING + 1; 0
}
"""
"""While one is served, nobody else has the number that is served."""
EARLY = """
request inc { x := X; X := x + 1; yield; Y := Y + 1; x }
request get { X }
"""


@cache
def proof(text: str) -> Certificate:
    program = parse(text)
    evidence = simulate(program, True, Deadline())
    assert isinstance(evidence, SimulationEvidence), evidence
    return Certificate(digest(program), "serializable", evidence)


def report(text: str, certificate: Certificate, solver: SolverName = SolverName.Z3) -> Report:
    return verify(certificate, parse(text), Context(chosen=(solver,)))


@deep
@pytest.mark.parametrize("solver", SolverName)
@pytest.mark.parametrize("text", [COUNTER, RETRY, EARLY], ids=["lock", "retry", "early"])
def test_proofs_for_all_integers_are_confirmed(text: str, solver: SolverName) -> None:
    certificate = proof(text)
    assert read_certificate(write(certificate)) == certificate
    found = report(text, certificate, solver)
    assert found.accepted, found.complaint
    assert any(solver in each.confirmed_by for each in found.obligations)


@deep
@pytest.mark.parametrize("solver", SolverName)
def test_tickets_of_two_kinds_of_requests(solver: SolverName) -> None:
    assert report(TICKETS, proof(TICKETS), solver).accepted
    broken = TICKETS.replace("t := NEXT; NEXT := NEXT + 1; yield; await SERVING == t; B", "B")
    assert not report(broken, replace(proof(TICKETS), digest=digest(parse(broken)))).accepted


def test_without_a_solver_nothing_is_confirmed() -> None:
    assert not verify(proof(COUNTER), parse(COUNTER), Context(chosen=())).accepted


Change = Callable[[dict[str, Any]], object]


def weaker(place: int) -> Change:
    def change(fields: dict[str, Any]) -> None:
        fields["predicates"][place]["formula"] = "true"

    return change


def stronger(place: int) -> Change:
    def change(fields: dict[str, Any]) -> None:
        formula = fields["predicates"][place]["formula"]
        fields["predicates"][place]["formula"] = f"(and {formula} (<= g.X 7))"

    return change


FORGERIES: dict[str, Change] = {
    "no formulas": lambda fields: fields.update(predicates=[]),
    "the formula about nobody is left out": lambda fields: fields["predicates"].pop(0),
    "a formula is left out": lambda fields: fields["predicates"].pop(),
    "the first formula says nothing": weaker(0),
    "the last formula says nothing": weaker(-1),
    "the first formula says too much": stronger(0),
    "the last formula says too much": stronger(-1),
    "a formula is false": lambda fields: fields["predicates"][0].update(formula="false"),
    "requests commit too early": lambda fields: [point.update(committed=True) for point in fields["points"]],
    "one point counts as committed": lambda fields: fields["points"][0].update(committed=True),
    "a point is unknown": lambda fields: fields["points"][0].update(code="X := 7; 0"),
    "a point is of another handler": lambda fields: fields["points"][0].update(handler="get"),
    "a point is listed twice": lambda fields: fields["points"].append(fields["points"][0]),
    "points are left out": lambda fields: fields.update(points=[]),
    "a formula is about a point that is not listed": lambda fields: fields["predicates"][1].update(at=[9]),
    "a formula is about more requests than the level": lambda fields: fields["predicates"].append(
        {"at": [0] * (fields["level"] + 1), "formula": "true"}
    ),
    "there are two formulas about the same": lambda fields: fields["predicates"].append(
        {"at": [], "formula": "true"}
    ),
    "a formula speaks of a variable that does not exist": lambda fields: fields["predicates"][0].update(
        formula="(= g.NONE 0)"
    ),
    "a formula speaks of somebody else's local": lambda fields: fields["predicates"][0].update(
        formula="(= |0.x| 0)"
    ),
}


@pytest.mark.parametrize("change", FORGERIES.values(), ids=FORGERIES)
def test_forgeries_are_refused(change: Change) -> None:
    fields = json.loads(write(proof(COUNTER)))
    change(fields)
    assert not report(COUNTER, read_certificate(json.dumps(fields))).accepted


def test_a_proof_about_another_program_is_refused() -> None:
    certificate = proof(COUNTER)
    broken = COUNTER.replace("lock(LOCK); x", "x")
    forged = Certificate(digest(parse(broken)), "serializable", certificate.evidence)
    assert not report(broken, forged).accepted


def is_provable(text: str) -> bool:
    """With some commit points and formulas about at most two requests, sampled runs left aside."""
    program = parse(text)
    model = from_program(program)
    for committed in policies(model)[: None if IS_DEEP else 1]:
        for level in (1, 2) if IS_DEEP else (1,):
            try:
                evidence = attempt(Policy(model, committed), level, Deadline(5))
            except OutOfTime:
                continue
            if isinstance(evidence, SimulationEvidence):
                certificate = Certificate(digest(program), "serializable", evidence)
                assert verify(certificate, program).accepted
                return True
    return False


WRONG = {
    "lost update": "request inc { x := X; yield; X := x + 1; x }",
    "audit without the lock": """
request move { lock(L); A := A - 1; yield; B := B + 1; unlock(L); A }
request audit { a := A; yield; a + B }
""",
    "an argument that the rest of the code does not need": """
request set(v in 1..2) { lock(L); X := v; yield; if (D == 1) { X := 2 }; unlock(L); 0 }
request disturb { D := 1; yield; D := 0; 0 }
request get { await L == 0; X }
""",
    "a choice that is made again": """
request toss { c := ?; yield; d := ?; X := X + c; c + 10 * d + 100 * X }
request get { x := X; yield; x - X }
""",
    "a long loop that would commute with anything": """
request twice { i := 0; while (i < 100) { i := i + 1; Y := 2 * Y }; yield; Y }
request more { Y := Y + 1; Y }
""",
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_not_serializable_is_not_proved(text: str) -> None:
    assert not is_provable(text)


def test_it_is_not_about_final_values() -> None:
    certificate = proof(COUNTER)
    observed = Certificate(
        certificate.digest, "serializable", certificate.evidence, Serializability(observed=("X",))
    )
    assert not report(COUNTER, observed).accepted


SAFE = """
request inc { lock(L); x := X; yield; X := x + 1; assert X == x + 1; unlock(L); 0 }
"""


@pytest.mark.parametrize("solver", SolverName)
def test_assertions_about_any_integers_hold(solver: SolverName) -> None:
    program = parse(SAFE)
    evidence = simulate(program, False, Deadline(30))
    assert isinstance(evidence, SimulationEvidence)
    certificate = Certificate(digest(program), "safe", evidence, SAFETY)
    assert report(SAFE, certificate, solver).accepted
    weak = SimulationEvidence(evidence.level, evidence.points, ())
    assert not report(SAFE, Certificate(digest(program), "safe", weak, SAFETY), solver).accepted


@pytest.mark.parametrize("commits", [None, frozenset[int]()], ids=["safe", "serializable"])
def test_an_assertion_that_may_fail_is_not_proved(commits: frozenset[int] | None) -> None:
    model = from_program(parse(SAFE.replace("X == x + 1", "X != 7")))
    assert isinstance(attempt(Policy(model, commits), 1, Deadline(60)), Contradiction)
