"""Proofs handler by handler: against brute force, and the engine against the checker."""

from collections import Counter
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.reduction import close_views
from seriatim.checking.reference import ProgramReference
from seriatim.checking.verify import GaveUp as CheckerGaveUp
from seriatim.checking.verify import Report, verify
from seriatim.engines.modular.engine import ProvedByReduction, modular
from seriatim.engines.modular.evidence import reduction_evidence
from seriatim.frontends.ser.parser import parse
from seriatim.program.execution import big_steps
from seriatim.program.inputs import digest
from seriatim.program.syntax import Program
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.forgeries.reductions import forged, forgeries
from testkit.generators.cases import LIMITS, case, case_of
from testkit.generators.optimists import OptimistMaker
from testkit.oracles.watched_runs import Runs
from testkit.samples import at_least, deep, sampled

CASES = [("program", seed) for seed in range(90)] + [("counter", seed) for seed in range(90)]

LOCK = "while (L == 1) { yield }; L := 1; yield;"

SERIALIZABLE = {
    "a lock": f"request a {{ {LOCK} x := X; yield; X := 1 - x; L := 0; x }}",
    "two handlers under one lock": f"""
        request a {{ {LOCK} X := 1; yield; X := 0; L := 0; 1 }} request b {{ {LOCK} x := X; L := 0; x }}
    """,
    "locals written before the lock is tried": f"request a {{ x := 1; {LOCK} X := X * x; L := 0; yield; 2 }}",
    "effect, then a release in a step of its own": f"""
        request a {{ {LOCK} x := X; X := 1 - x; yield; L := 0; x }}
    """,
    "an attempt that fails changes nothing": """
        request a { while (d == 0) { x := X; yield; if (X == x) { X := 1 - x; d := 1 } else { yield } }; x }
        request b { X := 2; X }
    """,
    "an optimist beside requests under a lock": f"""
        request a {{ {LOCK} y := Y; yield; Y := 1 - y; X := 2; L := 0; y }}
        request b {{ while (d == 0) {{ x := X; yield; if (X == x) {{ X := 1; d := 1 }} }}; x }}
    """,
    "nothing in common": "request a { X := 1 - X; yield; 0 } request b { Y := 1 - Y; yield; 0 }",
}

NOT_SERIALIZABLE = {
    "an optimist who compares one of two": """
        request a { while (d == 0) { x := X; y := Y; yield; if (X == x) { X := 1 - y; d := 1 } }; y }
        request b { Y := 1 - Y; X }
    """,
    "an optimist who writes too early": """
        request a { while (d == 0) { x := X; Y := 1; yield; if (X == x) { Y := 0; d := 1 } }; x }
        request b { Y }
    """,
    "an answer that nobody gets alone": """
        request a { x := X; yield; if (X == x) { 0 } else { 1 } } request b { X := 1 - X; 2 }
    """,
    "no lock": "request a { x := X; yield; X := (x + 1) % 3; X }",
    "a lock that is given back too early": f"request a {{ {LOCK} x := X; L := 0; yield; X := 1 - x; x }}",
    "a reader that takes no lock": f"""
        request a {{ {LOCK} X := 1; yield; X := 0; L := 0; 1 }} request b {{ X }}
    """,
    "a lock that is tried once": """
        request a { if (L == 1) { 9 } else { L := 1; yield; x := X; yield; X := 1 - x; L := 0; x } }
    """,
    "a request that waits and can tell": """
        request a { while (L == 1) { w := 1; yield }; L := 1; yield; L := 0; w }
    """,
}


def checked(program: Program, evidence: ReductionEvidence, limit: int = 20_000) -> Report:
    return verify(
        Certificate(digest(program), "serializable", evidence),
        program,
        Context(Allowance(limit), big_steps=big_steps),
    )


@pytest.mark.parametrize("text", SERIALIZABLE.values(), ids=SERIALIZABLE)
def test_what_commutes_is_proved_and_the_checker_agrees(text: str) -> None:
    program = parse(text)
    answer = modular(program, LIMITS, Deadline())
    assert isinstance(answer, ProvedByReduction)
    assert checked(program, reduction_evidence(answer)).accepted
    assert case_of(program).fewest() is None


@pytest.mark.parametrize("text", NOT_SERIALIZABLE.values(), ids=NOT_SERIALIZABLE)
def test_what_does_not_commute_is_not_proved(text: str) -> None:
    program = parse(text)
    assert not isinstance(modular(program, LIMITS, Deadline()), ProvedByReduction)
    assert case_of(program).fewest() is not None


@deep
def test_proofs_of_random_programs_are_accepted_and_right() -> None:
    """What is proved has no violation, and the checker accepts the proof; there are proofs of all sorts."""
    seen: Counter[str] = Counter()
    for kind, seed in CASES:
        given = case(kind, seed)
        assert isinstance(given.unfolding, ProgramUnfolding)
        program = given.unfolding.program
        answer = modular(program, LIMITS, Deadline())
        seen["violation"] += given.fewest() is not None
        if isinstance(answer, ProvedByReduction):
            assert given.fewest() is None, (kind, seed)
            assert checked(program, reduction_evidence(answer)).accepted, (kind, seed)
            seen["proof"] += 1
            seen["proof with late requests"] += bool(answer.late)
            seen["proof with invariants"] += bool(answer.invariants)
    assert min(seen.values()) >= 3, seen


@pytest.mark.parametrize("seed", range(40))
def test_proofs_of_random_optimists_are_accepted_and_right(seed: int) -> None:
    random = Random(seed)
    program = parse(OptimistMaker(random).program(random.choice([1, 2, 2, 3])))
    given = case_of(program)
    answer = modular(program, LIMITS, Deadline())
    if isinstance(answer, ProvedByReduction):
        assert given.fewest() is None
        assert checked(program, reduction_evidence(answer)).accepted
    if given.fewest() is not None:
        assert not checked(program, ReductionEvidence((), ())).accepted


def program_of(kind: str, seed: int) -> Program:
    unfolding = case(kind, seed).unfolding
    assert isinstance(unfolding, ProgramUnfolding)
    return unfolding.program


@deep
def test_views_contain_all_that_a_few_requests_can_do() -> None:
    """With all invariants that hold."""
    fixed = [parse(text) for text in (*SERIALIZABLE.values(), *NOT_SERIALIZABLE.values())]
    seen: Counter[str] = Counter()
    for program in [*fixed, *(program_of(kind, seed) for kind, seed in CASES[::9])]:
        reference = ProgramReference(program, big_steps)
        try:
            views = close_views(reference, forged(reference), Allowance(2_000, Deadline()))
        except CheckerGaveUp:
            continue
        seen["with invariants"] += any(map(views.weights, range(len(views.flights))))
        runs = Runs(reference)
        for global_, _, flying, _ in runs.most():
            values = dict(global_) if not isinstance(global_, str) else {}
            for handler, state in (runs.flights.items[flight] for flight in flying):
                part = tuple(values[name] for name in views.names[handler])
                assert (views.flights.number((handler, state)), part) in views.steps
                seen["views"] += 1
    assert seen["views"] > 1_000
    assert seen["with invariants"] >= 5


@deep
def test_forged_evidence_is_not_accepted_where_there_is_a_violation() -> None:
    """Whatever flights are called late, and whatever is called an invariant."""
    accepted = refused = 0
    for kind, seed in sampled(CASES, 20):
        given = case(kind, seed)
        assert isinstance(given.unfolding, ProgramUnfolding)
        for evidence in forgeries(given.unfolding.program, Random(seed)):
            try:
                is_accepted = checked(given.unfolding.program, evidence, limit=3_000).accepted
            except CheckerGaveUp:
                continue
            assert not (is_accepted and given.fewest() is not None), (kind, seed, evidence)
            accepted += is_accepted
            refused += not is_accepted
    assert accepted > at_least(10, 10)
    assert refused > at_least(100, 10)
