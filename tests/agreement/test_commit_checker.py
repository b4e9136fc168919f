"""The checker of commit points accepts what the engine proves, and no forged evidence for what brute force
refutes; its covers contain all that a few requests can do.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import permutations, product
from random import Random
from typing import Literal, cast

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.commit import CommitEvidence, CommittedState
from seriatim.certificate.in_flight import Invariant
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.cover import Cover, Precision, close_cover, hopeful
from seriatim.checking.flights import Flights
from seriatim.checking.obligation import DoesNotFollow
from seriatim.checking.reference import ProgramReference, Reference, State, SystemReference
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.engines.commits.engine import commit_points
from seriatim.engines.commits.proof import ProvedByCommits, commit_evidence, one_step_each
from seriatim.engines.stage import GaveUp as EngineGaveUp
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import Input, digest
from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.program.semantics import big_steps
from seriatim.program.syntax import Program
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.limits import LimitReached
from seriatim.systems.slicing import macro_system
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.forgeries.commits import LEVELS, SIGNS, forger_of
from testkit.generators.cases import LIMITS, Case, case
from testkit.oracles.watched_runs import Runs, Watched, completable
from testkit.samples import deep


def content_of(given: Case) -> Input:
    unfolding = given.unfolding
    return unfolding.program if isinstance(unfolding, ProgramUnfolding) else unfolding.system


def checked(content: Input, evidence: CommitEvidence, limit: int = 10_000) -> Report:
    return verify(Certificate(digest(content), "serializable", evidence), content, Context(Allowance(limit)))


# --- the engine's own evidence ------------------------------------------------------------------------------


def proof(unfolding: ProgramUnfolding | Case) -> CommitEvidence | None:
    """What the engine proves, as evidence; None if it proves nothing."""
    origin = unfolding.unfolding if isinstance(unfolding, Case) else unfolding
    try:
        system = macro_system(origin, LIMITS, Deadline())
        answer = one_step_each(system)
        if isinstance(answer, EngineGaveUp):
            serial = SerialAutomaton(origin, LIMITS.max_states)
            answer = commit_points(system, serial, mixed=True, limits=LIMITS, deadline=Deadline())
    except LimitReached:
        return None
    return commit_evidence(answer, origin) if isinstance(answer, ProvedByCommits) else None


PROVED = {
    "system": (*range(40), 128, 160, 186, 271, 397),
    "program": (*range(30), 65, 81, 297),
    "counter": (*range(40), 103, 136),
}


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        *((kind, seed) for kind, seeds in PROVED.items() for seed in seeds),
        ("counter", 248),
    ],
)
def test_what_the_engine_proves_the_checker_accepts(kind: str, seed: int) -> None:
    given = case(kind, seed)
    evidence = proof(given)
    if evidence is not None:
        report = checked(content_of(given), evidence)
        assert report.accepted, report.complaint


REGRESSIONS = {
    "an invariant of requests that are never answered": pytest.param(
        """
        S := 1
        request a { while (S < 1) { yield }; S := S - 1; yield; S := S + 1; while (1) { yield } }
        request b { 0 }
        """
    ),
    "an invariant that keeps everybody from being answered": pytest.param(
        """
        request a {
            while (L > 0) { yield }; L := 1; yield; if (L < 3) { L := L + 1 }; yield;
            if (L == 2) { while (1) { yield } } else { x := X; yield; X := 1 - x; L := 0; x }
        }
        request b { while (L != 0) { yield }; yield; 0 }
        """
    ),
    "who waits first is as good as fresh": pytest.param(
        """
        request a { yield; X }
        request b { while (L == 1) { yield }; L := 1; X := 1; yield; L := 0; 0 }
        """,
    ),
    "two pauses with the same code left": pytest.param(
        """
        request b {
            while (L == 1) { yield }; L := 1;
            if (X == 0) { X := 1; yield; L := 0; 1 - X } else { X := 0; yield; L := 0; 1 - X }
        }
        request r { X }
        """,
    ),
}


@pytest.mark.parametrize("text", REGRESSIONS.values(), ids=REGRESSIONS)
def test_evidence_that_was_once_refused_is_accepted_or_no_longer_offered(text: str) -> None:
    program = parse(text)
    evidence = proof(ProgramUnfolding(program, LIMITS))
    assert evidence is None or checked(program, evidence).accepted


# --- forged evidence ----------------------------------------------------------------------------------------

REFUTED = {
    "system": (5, 8, 30, 34, 37, 48, 56, 58, 62, 64, 145, 148, 157, 189, 195, 197, 207, 213, 214, 237),
    "program": (56, 129, 166, 334),
    "counter": (12, 18, 19, 29, 35, 99, 148, 187),
}
"""Those of three requests, and some of two."""


@pytest.mark.parametrize(
    ("kind", "seed"), [(kind, seed) for kind, seeds in REFUTED.items() for seed in seeds]
)
def test_no_evidence_is_accepted_for_what_brute_force_refutes(kind: str, seed: int) -> None:
    given = case(kind, seed)
    assert given.fewest() is not None
    content = content_of(given)
    forger = forger_of(content, Random(seed))
    size = (1 + len(forger.all_answers)) ** len(forger.flights)
    forged = forger.every_cut() if size <= 100 else (forger.evidence() for _ in range(10))
    for evidence in forged:
        try:
            assert not checked(content, evidence, 300).accepted, evidence
        except GaveUp:
            continue


COMMITS_TWICE = """
    request w { while (s == 0) { X := 0; yield; if (X == 1) { yield } else { s := 1 } }; 0 }
    request t { if (X == 0) { X := 1; 1 } else { 0 } }
"""
"""Not serializable: w/0 and three t/1."""


ONLY_MEANWHILE = "request a { X := 1; yield; X := 0; 0 } request b { while (X == 0) { yield }; 0 }"
"""Not serializable: alone, `b` is never answered. If everybody were committed at first, all would be well."""


@pytest.mark.parametrize(("text", "answers"), [(COMMITS_TWICE, 2), (ONLY_MEANWHILE, 1)])
def test_no_cut_at_all_is_accepted_for_these_programs(text: str, answers: int) -> None:
    program = parse(text)
    forger = forger_of(program, Random(0))
    cuts = {evidence.committed for evidence in forger.every_cut()}
    assert len(cuts) == (1 + answers) ** 3  # Three flights, two of them fresh.
    every = tuple(Invariant("X", sign) for sign in SIGNS)
    for committed, level, invariants in product(cuts, LEVELS, ((), every)):
        assert not checked(program, CommitEvidence(level, invariants, committed)).accepted


EARLY = """
    request a { while (L == 1) { yield }; L := 1; X := 1 - X; yield; L := 0; 0 }
    request r { X }
"""


def test_of_several_entries_that_describe_a_flight_the_first_one_counts() -> None:
    program = parse(EARLY)
    right, wrong = (CommittedState("a", "L := 0; 0", (), response) for response in ("0", "1"))
    for entries, is_right in (((right,), True), ((right, wrong), True), ((wrong, right), False), ((), False)):
        assert checked(program, CommitEvidence(1, (Invariant("L", 1),), entries)).accepted == is_right


READ_THEN_WRITE = "request a { x := X; yield; X := 1 - x; x }"


@pytest.mark.parametrize("level", [0, 3])
def test_no_other_level_is_accepted(level: int) -> None:
    """The reader of certificates refuses them, but the checker is not always given what a reader has read."""
    evidence = CommitEvidence(cast(Literal[1, 2], level), (), ())
    assert not checked(parse(READ_THEN_WRITE), evidence).accepted


def many_serial_states(size: int) -> NetworkSystem:
    """Each request is one step; what it leaves is open, so that D takes about 2 ** `size` values."""
    steps = [(0, 0, 2, 0), (0, 0, 2, 1), (1, 0, 2, 0)]
    steps += [(local, state, 2, state + 1) for local in (0, 1) for state in range(1, size)]
    return NetworkSystem(
        globals=tuple(f"q{state}" for state in range(size + 1)),
        locals=tuple(LocalState(name) for name in ("a", "b", "end")),
        requests=("a", "b"),
        responses=("ok",),
        initial=0,
        req=((0, 0), (1, 1)),
        resp=((2, 0),),
        delta=tuple(steps),
    )


def test_the_checker_gives_up_if_there_are_too_many_situations() -> None:
    with pytest.raises(GaveUp):
        checked(many_serial_states(9), CommitEvidence(1, (), ()), limit=200)


# --- covers -------------------------------------------------------------------------------------------------


def uncovered(
    runs: Runs[State], states: Iterable[Watched], flights: Flights[State], cover: Cover[State]
) -> Iterator[Watched]:
    """The states with a request that the cover does not have there, or not beside another one."""
    for watched in states:
        global_, serial, flying, _ = watched
        committed = frozenset(flights.states.number(state) for state in serial)
        node = (
            flights.globals.number(global_),
            committed if cover.is_serial else frozenset((flights.start,)),
        )
        numbers = [flights.number(*runs.flights.items[flight]) for flight in flying]
        started = [flight for flight in numbers if flight not in flights.fresh]
        if node not in cover.nodes or not all(cover.has(node, flight) for flight in started):
            yield watched
        else:
            pairs = permutations(range(len(started)), 2)
            if not all(cover.has_beside(node, started[i], started[j]) for i, j in pairs):
                yield watched


def assert_covered(reference: Reference[State], evidence: CommitEvidence, seen: Counter[str]) -> None:
    runs = Runs(reference, evidence.committed)
    states = runs.most()
    precision = Precision(evidence.level, evidence.invariants)
    for is_serial in (False, True):
        flights = Flights(reference, Allowance(300, Deadline()), evidence.committed)
        try:
            everything = close_cover(flights, precision, is_serial, None)
            assert list(uncovered(runs, states, flights, everything)) == []
            seen["with invariants"] += bool(everything.invariants)
            seen["in a serial order"] += is_serial
        except (DoesNotFollow, GaveUp):
            seen["refused"] += 1
        try:
            kept = hopeful(flights, precision)
            complete = close_cover(flights, precision, is_serial, kept)
            assert list(uncovered(runs, completable(states), flights, complete)) == []
            seen["without the hopeless"] += len(kept) < len(flights.known)
        except (DoesNotFollow, GaveUp):
            seen["refused"] += 1


COVERED = {"system": range(50), "program": range(40), "counter": range(25)}


@deep
@pytest.mark.parametrize("kind", COVERED)
def test_covers_contain_all_that_a_few_requests_can_do(kind: str) -> None:
    """At both levels; for all runs, and for complete runs once the hopeless are left out."""
    seen: Counter[str] = Counter()
    for seed in COVERED[kind]:
        content = content_of(case(kind, seed))
        evidence = forger_of(content, Random(seed)).evidence()
        if isinstance(content, Program):
            assert_covered(ProgramReference(content, big_steps), evidence, seen)
        else:
            assert_covered(SystemReference(content), evidence, seen)
    assert min(seen["in a serial order"], seen["refused"]) >= 5
    assert seen["without the hopeless"] >= 2
    assert (seen["with invariants"] >= 5) == (kind != "system")
