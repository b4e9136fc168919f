"""What commit points prove, brute force does not refute."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from seriatim.budget import Deadline
from seriatim.deciding.pipeline import Options, decide
from seriatim.engines.commits.engine import (
    MAX_LEVEL,
    NoSerialState,
    WithSerialStates,
    close,
    commit_points,
    committable,
    cuts,
    futures,
    learn_commit_points,
)
from seriatim.engines.commits.proof import ProvedByCommits, one_step_each
from seriatim.engines.stage import GaveUp
from seriatim.frontends.ser.parser import parse
from seriatim.method import Method
from seriatim.result import Holds
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.closure import closure
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.slicing import MacroSystem, macro_system
from seriatim.systems.unfolding import ProgramUnfolding, Unfolding
from testkit.generators.cases import LIMITS, case, case_of
from testkit.oracles.brute_force import interleaved, serial
from testkit.samples import deep

SEEDS = {
    "system": (*range(100), 128, 145, 148, 157, 160, 186, 189, 195, 197, 207, 213, 214, 237, 271, 397),
    "program": (*range(40), 56, 65, 81, 129, 166, 297, 334),
    "counter": (*range(40), 99, 103, 136, 148, 187, 248, 279, 307),
}
"""Beyond the ranges: violations of three requests, violations of programs, proofs of level 2 and
proofs with early commits, all of them rare."""

CASES = [(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds]

WITHOUT_A_CLOSURE = [("counter", seed) for seed in (12, 24, 27, 30, 34, 38)]
"""Their globals grow without end, so there is no system to look for cuts in."""

TOO_MANY_CUTS = [("program", 9), ("counter", 187), ("counter", 279)]
"""To try all of them."""

COMMITS_TWICE = """
    request w { while (s == 0) { X := 0; yield; if (X == 1) { yield } else { s := 1 } }; 0 }
    request t { if (X == 0) { X := 1; 1 } else { 0 } }
"""
"""Once `w` has seen that X is still 0, its answer is certain; but each round of its loop may come to that."""

NOT_SERIALIZABLE = {
    "who seems to commit may go back and commit again": (COMMITS_TWICE, 4),
    "two read before one of them writes": ("request a { x := X; yield; X := 1 - x; x }", 2),
    "the answer is certain before the effect": (
        "request a { yield; X := 1; 0 } request b { x := X; yield; X + 2 * x }",
        2,
    ),
    "a lock that a third one opens": (
        """
        request a { while (L == 1) { yield }; L := 1; x := X; yield; X := 1 - x; L := 0; x }
        request b { L := 0; 7 }
        """,
        3,
    ),
    "answered only while somebody else is under way": (
        "request a { X := 1; yield; X := 0; 0 } request b { while (X == 0) { yield }; 0 }",
        2,
    ),
    "two effects": ("request a { X := 1; yield; X := 0; 0 } request b { X }", 2),
}

SERIALIZABLE = {
    "a lock": "request a { while (L == 1) { yield }; L := 1; x := X; yield; X := 1 - x; L := 0; x }",
    "the effect comes first": "request a { X := 1 - X; x := X; yield; x } request b { X }",
    "the effect is in the last step": "request a { yield; x := X; yield; X := 1; 0 } request b { X }",
    "who writes is never answered": """
        request a { X := 1; yield; while (1) { yield } } request b { while (X == 1) { yield }; yield; X }
    """,
}


def proof(unfolding: Unfolding, limits: Limits = LIMITS) -> ProvedByCommits | GaveUp:
    """As the portfolio does it; raises `LimitReached`."""
    system = macro_system(unfolding, limits, Deadline())
    at_once = one_step_each(system)
    if isinstance(at_once, ProvedByCommits):
        return at_once
    serial_automaton = SerialAutomaton(unfolding, limits.max_states)
    return commit_points(system, serial_automaton, mixed=True, limits=limits, deadline=Deadline())


@cache
def random_proof(kind: str, seed: int) -> ProvedByCommits | GaveUp | None:
    """None if the system is too large."""
    try:
        return proof(case(kind, seed).unfolding)
    except LimitReached:
        return None


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_what_is_proved_has_no_violation(kind: str, seed: int) -> None:
    given = case(kind, seed)
    assert given.fewest() is None or not isinstance(random_proof(kind, seed), ProvedByCommits)


@deep
def test_the_random_cases_are_of_all_sorts() -> None:
    """The test before is not vacuous: violations of both sizes, and proofs of all sorts."""
    sorts: Counter[str] = Counter()
    for kind, seed in CASES:
        answer = random_proof(kind, seed)
        sorts[f"violation of {case(kind, seed).fewest()}"] += 1
        if isinstance(answer, ProvedByCommits):
            sorts[f"proof of level {answer.coverage.level}"] += 1
            sorts["proof with invariants"] += bool(answer.coverage.potentials.candidates)
            sorts["proof with early commits"] += bool(answer.committed)
    wanted = ("violation of 2", "violation of 3", "proof of level 1", "proof of level 2")
    for sort in (*wanted, "proof with invariants", "proof with early commits"):
        assert sorts[sort] >= 3, sort


@pytest.mark.parametrize(("text", "requests"), NOT_SERIALIZABLE.values(), ids=NOT_SERIALIZABLE)
def test_near_misses_are_not_proved(text: str, requests: int) -> None:
    """Each of them has a violation with so many requests and none with fewer."""
    program = parse(text)
    assert isinstance(proof(ProgramUnfolding(program, LIMITS)), GaveUp)
    rules = case_of(program).rules
    for fewer in range(requests + 1):
        is_violated = interleaved(rules, fewer, 100_000) != serial(rules, fewer, 100_000)
        assert is_violated == (fewer == requests)


@pytest.mark.parametrize("text", SERIALIZABLE.values(), ids=SERIALIZABLE)
def test_what_takes_effect_in_one_step_is_proved(text: str) -> None:
    program = parse(text)
    assert isinstance(proof(ProgramUnfolding(program, LIMITS)), ProvedByCommits)
    assert case_of(program).fewest() is None


def broken_moves(system: MacroSystem, cut: dict[int, int]) -> Iterator[tuple[int, int]]:
    """The moves that break condition (b)."""
    for (local, _), moves in system.table.items():
        for target, _ in moves:
            after = ~target if target < 0 else cut.get(target)
            if local in cut and after != cut[local]:
                yield local, target


@pytest.mark.parametrize(("kind", "seed"), [given for given in CASES[::3] if given not in WITHOUT_A_CLOSURE])
def test_cuts_commit_nobody_fresh_and_nobody_twice(kind: str, seed: int) -> None:
    """Conditions (a) and (b), which the closure takes for granted."""
    system = macro_system(case(kind, seed).unfolding, LIMITS, Deadline())
    found = [*cuts(system, futures(system), mixed=False), *cuts(system, futures(system), mixed=True)]
    assert found[0] == {}
    for cut in found:
        assert not cut.keys() & set(system.starts)
        assert list(broken_moves(system, cut)) == []


def test_handlers_for_which_all_policies_are_the_same_are_not_mixed() -> None:
    """With many of them there are more mixtures than anyone can look through, all of them the same."""
    readers = "".join(f"request r{index} {{ yield; X }}\n" for index in range(14))
    program = parse(readers + "request w { X := ?; 0 }")
    system = macro_system(ProgramUnfolding(program, LIMITS), LIMITS, Deadline())
    assert list(cuts(system, futures(system), mixed=True)) == [{}]


BRANCHES_THAT_DIFFER = {
    "one takes effect first, one in the middle": """
        request a {
          if (?) { X := 1 - X; x := X; yield; Z := 1 - Z; x } else { yield; X := 1; yield; 7 }
        }
        request b { X }
    """,
    "one takes effect first, one at the end": """
        request a { if (?) { X := 1 - X; x := X; yield; Z := 1 - Z; x } else { yield; X := 1; 7 } }
        request b { X }
    """,
}
"""One branch of `a` writes Z after it has taken effect, the other one knows its answer before it does:
no policy is right for both."""


@pytest.mark.parametrize("text", BRANCHES_THAT_DIFFER.values(), ids=BRANCHES_THAT_DIFFER)
def test_branches_may_commit_differently(text: str) -> None:
    """Only learning from failures finds such a cut; the checker accepts it."""
    program = parse(text)
    unfolding = ProgramUnfolding(program, LIMITS)
    assert isinstance(proof(unfolding), GaveUp)
    assert isinstance(learned_proof(unfolding), ProvedByCommits)
    assert case_of(program).fewest() is None
    decision = decide(program, Options(method=Method.COMMIT))
    assert isinstance(decision.answer, Holds)


def learned_proof(unfolding: Unfolding) -> ProvedByCommits | GaveUp:
    """Raises `LimitReached`."""
    system = macro_system(unfolding, LIMITS, Deadline())
    automaton = SerialAutomaton(unfolding, LIMITS.max_states)
    return learn_commit_points(system, automaton, LIMITS, Deadline())


def is_proved_by_some_cut(unfolding: Unfolding) -> bool:
    """Tries all cuts with all levels; raises `LimitReached`."""
    system = macro_system(unfolding, LIMITS, Deadline())
    automaton = SerialAutomaton(unfolding, LIMITS.max_states)
    certain = committable(system, futures(system))
    if len(certain) > 8:
        raise LimitReached("--max-states", 2**8)
    for chosen in product((False, True), repeat=len(certain)):
        cut = {local: certain[local] for local, is_in in zip(certain, chosen, strict=True) if is_in}
        if close(system, cut) == cut:
            for level in range(system.coverage.level, MAX_LEVEL + 1):
                try:
                    closure(WithSerialStates(system, automaton, cut), LIMITS, Deadline(), (level,))
                except NoSerialState:
                    continue
                return True
    return False


@pytest.mark.parametrize(
    ("kind", "seed"), [given for given in CASES[::2] if given not in {*WITHOUT_A_CLOSURE, *TOO_MANY_CUTS}]
)
def test_learning_finds_a_cut_where_there_is_one(kind: str, seed: int) -> None:
    """Clauses may exclude too much; for these cases they do not. And nothing with a violation is proved."""
    unfolding = case(kind, seed).unfolding
    is_proved = isinstance(learned_proof(unfolding), ProvedByCommits)
    assert is_proved == is_proved_by_some_cut(unfolding)
    assert not is_proved or case(kind, seed).fewest() is None


@pytest.mark.parametrize("text", [text for text, _ in NOT_SERIALIZABLE.values()], ids=NOT_SERIALIZABLE)
def test_learning_does_not_prove_near_misses(text: str) -> None:
    assert isinstance(learned_proof(ProgramUnfolding(parse(text), LIMITS)), GaveUp)
