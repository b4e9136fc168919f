"""The search finds what brute force finds, and claims no more than is true."""

from collections.abc import Callable
from itertools import combinations_with_replacement
from random import Random

import pytest

from seriatim.budget import Deadline, OutOfTime
from seriatim.engines.search.domination import Domination, Removable
from seriatim.engines.search.engine import BoundedSearch, Search, smallest
from seriatim.engines.shared.outcomes import SerialOutcomes
from seriatim.engines.shared.run_evidence import Refuted
from seriatim.frontends.ser.parser import parse
from seriatim.method import Minimality
from seriatim.systems.limits import Limits
from seriatim.systems.multiset import Multisets
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.run import Run, replays
from seriatim.systems.unfolding import Move
from testkit.generators.cases import Case, case, case_of
from testkit.generators.counters import CounterMaker
from testkit.oracles.brute_force import outcome_of
from testkit.oracles.domination_comparisons import dominated, problem_of, runs_found
from testkit.samples import deep

NEVER = Deadline()

SEEDS = {"system": range(150), "program": (*range(40), 56, 129, 166), "counter": range(80)}
"""The last three programs have violations, which are rare."""

CASES = [(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds]

TURN = 300
"""States of a search between two looks at what it says."""

TURNS = 3


RACE = parse("request main { x := X; yield; X := x + 1; x }")


def assert_genuine(run: Run, given: Case) -> None:
    """A complete run with an outcome that no serial run has."""
    assert replays(run, given.unfolding)
    outcome = outcome_of(run, given.unfolding)
    assert len(outcome) == run.requests()
    if run.requests() <= given.requests:
        assert outcome in given.interleaved - given.serial


def test_only_whole_runs_replay() -> None:
    given = case_of(RACE)
    run = BoundedSearch(problem_of(given), None).advance(100, NEVER)
    assert run is not None
    assert replays(run, given.unfolding)
    for left_out in range(len(run.turns)):
        assert not replays(Run(run.turns[:left_out] + run.turns[left_out + 1 :]), given.unfolding)


def assert_true(refuted: Refuted, given: Case) -> None:
    """The run is genuine, and as small as the answer says."""
    assert_genuine(refuted.run, given)
    fewest, found = given.fewest(), refuted.run.requests()
    if refuted.minimality is Minimality.PROVED:
        assert found == fewest or (fewest is None and found > given.requests)


def searched(given: Case, search: Search) -> Refuted | None:
    """What a search finds after some turns; in between, it never promises too much."""
    fewest = given.fewest()
    for _ in range(TURNS):
        refuted = search.advance(TURN, NEVER)
        if refuted is not None:
            return refuted
        assert fewest is None or search.clean_up_to() < fewest
        if search.clean_up_to() >= given.requests:
            break
    return None


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_the_search_finds_a_violation_if_and_only_if_there_is_one(kind: str, seed: int) -> None:
    given = case(kind, seed)
    search = Search(problem_of(given))
    refuted = searched(given, search)
    if refuted is not None:
        assert_true(refuted, given)
    elif search.clean_up_to() >= given.requests:
        assert given.fewest() is None


@pytest.mark.parametrize("in_flight", [1, 2, None])
@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_domination_changes_neither_whether_nor_when_a_violation_is_found(
    kind: str, seed: int, in_flight: int | None
) -> None:
    given = case(kind, seed)
    runs, shows_all = runs_found(given, in_flight, given.requests)
    assert shows_all or kind == "counter"
    for run in runs:
        if run is not None:
            assert_genuine(run, given)
    if in_flight is None:
        assert {None if run is None else run.requests() for run in runs} == {given.fewest()}


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_serial_outcomes_are_those_of_brute_force(kind: str, seed: int) -> None:
    """All multisets of completions of these requests, asked in any order, some as one more than another."""
    given = case(kind, seed)
    random = Random(seed)
    multisets = Multisets()
    serial = SerialOutcomes(problem_of(given).allowed, multisets)
    unfolding = given.unfolding
    completions = range(min(len(unfolding.completions), 6))
    sizes = range(given.requests + 1)
    asked = [items for size in sizes for items in combinations_with_replacement(completions, size)]
    random.shuffle(asked)
    for items in asked:
        names = (unfolding.completions[c] for c in items)
        outcome = tuple(sorted((unfolding.requests[request], answer) for request, answer in names))
        last = random.choice([None, *items])
        number = multisets.number(items)
        if last is None:
            allowed = serial.allows(number)
        else:
            allowed = serial.allows_one_more(multisets.remove(number, last), last)
        assert allowed == (outcome in given.serial)


@pytest.mark.parametrize("seed", range(100))
def test_limits_hide_violations_but_never_make_a_claim_false(seed: int) -> None:
    """Counters that run away, with limits so low that much is hidden."""
    random = Random(seed)
    limits = Limits(max_states=random.choice([3, 10, 50]), max_value=random.choice([2, 3]))
    given = case_of(CounterMaker(random, faulty=0.6).program(handlers=2, size=2), limits)
    refuted = searched(given, Search(problem_of(given, limits)))
    if refuted is not None:
        assert_true(refuted, given)


TRIPLE_AND_SLOW = """
request triple { B := B + 1; yield; if (B == 3) { return 8 }; B := B - 1; 0 }
request slow { c := C; yield; if (C == c + 3) { return 9 }; 0 }
request quick { C := (C + 1) % 4; 0 }
"""
"""Violations with 3 requests, all in flight together, and with 4, of which 3 interrupt a single one."""


@pytest.mark.parametrize(
    ("states", "minimality", "requests"), [(10, Minimality.BOUNDED, 4), (20_000, Minimality.PROVED, 3)]
)
def test_minimality_is_proved_only_if_all_smaller_runs_were_looked_at(
    states: int, minimality: Minimality, requests: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = problem_of(case_of(parse(TRIPLE_AND_SLOW)))
    one_in_flight = BoundedSearch(problem, 1)
    run = one_in_flight.advance(10_000, NEVER)
    assert run is not None
    assert run.requests() == 4
    monkeypatch.setattr("seriatim.engines.search.engine.MINIMISING_STATES", states)
    refuted = smallest(problem, one_in_flight, run, NEVER)
    assert (refuted.minimality, refuted.run.requests()) == (minimality, requests)


HIDDEN_PAIR = parse(f"""
request pair {{ A := A + 1; yield; if (A == 2) {{ BIG := 9 * 9; yield; BIG := 0; return 7 }}; A := A - 1; 0 }}
{TRIPLE_AND_SLOW}
""")
"""The same, and violations with 2 requests, which go through a large value."""


def test_no_minimality_is_proved_where_a_limit_hides_smaller_violations() -> None:
    given = case_of(HIDDEN_PAIR, Limits(max_value=50))
    refuted = Search(problem_of(given)).advance(10_000, NEVER)
    assert refuted is not None
    assert given.fewest() == 2 < refuted.run.requests()
    assert refuted.minimality is Minimality.UNKNOWN


def test_a_search_that_has_not_begun_promises_nothing_less_than_nothing() -> None:
    assert Search(problem_of(case("system", 0))).clean_up_to() == 0


@pytest.mark.parametrize("in_flight", [2, None])
def test_a_search_that_has_found_a_violation_promises_only_smaller_numbers(in_flight: int | None) -> None:
    given = case_of(RACE)
    search = BoundedSearch(problem_of(given), in_flight)
    run = search.advance(10_000, NEVER)
    assert run is not None
    assert search.clean_up_to() < run.requests()


def test_a_search_that_runs_out_of_time_promises_only_what_it_has_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whenever the clock strikes: the violation with two requests is still to come, and is found later."""
    for calls in range(10):
        given = case_of(RACE)
        search = BoundedSearch(problem_of(given), None)
        with monkeypatch.context() as patched:
            patched.setattr(given.unfolding, "moves", interrupted(given.unfolding.moves, calls))
            with pytest.raises(OutOfTime):
                search.advance(10_000, NEVER)
        assert search.clean_up_to() < 2
        run = search.advance(10_000, NEVER)
        assert run is not None
        assert run.requests() == 2


def test_no_minimality_is_proved_when_time_ends_before_all_smaller_runs_were_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = problem_of(case_of(parse(TRIPLE_AND_SLOW)))
    one_in_flight = BoundedSearch(problem, 1)
    run = one_in_flight.advance(10_000, NEVER)
    assert run is not None
    for calls in range(34):
        with monkeypatch.context() as patched:
            patched.setattr(problem.system, "moves", interrupted(problem.system.moves, calls))
            assert smallest(problem, one_in_flight, run, NEVER).minimality is Minimality.BOUNDED


def interrupted(
    moves: Callable[[int, int], tuple[Move, ...]], calls: int
) -> Callable[[int, int], tuple[Move, ...]]:
    """The same function, but out of time after so many calls."""
    left = iter(range(calls))

    def moves_in_time(local: int, global_: int) -> tuple[Move, ...]:
        if next(left, None) is None:
            raise OutOfTime
        return moves(local, global_)

    return moves_in_time


REGISTER = parse("request set { X := 1; 1 } request clear { X := 0; 0 } request flip { X := 1 - X; 2 }")


def test_a_letter_is_beside_another_only_if_all_its_edges_are() -> None:
    """After `set`, it can be repeated; but `clear` and `flip` also lead from and to where it cannot."""
    problem = problem_of(case_of(REGISTER))
    for state in range(2):
        problem.allowed.after(state)
    domination = Domination(problem.allowed, Multisets())
    domination.learn_conditions()
    letters = {completion: number for number, completion in enumerate(problem.system.completions)}
    set_, clear, flip = letters[0, "1"], letters[1, "0"], letters[2, "2"]
    assert Removable(((clear, 1),), None) in domination.removable
    assert Removable(((set_, 1),), frozenset({set_, flip})) in domination.removable
    assert Removable(((flip, 2),), None) in domination.removable


def smaller_outcomes(problem: OutcomeProblem, *items: int) -> list[list[int]]:
    domination = Domination(problem.allowed, Multisets())
    domination.learn_conditions()
    return [domination.outcomes.items(rest) for rest in domination.smaller(domination.outcomes.number(items))]


def test_no_letter_justifies_taking_itself_away() -> None:
    """The first `set` must stay: without it, what comes after it may not be serial."""
    problem = problem_of(case_of(parse("request set { X := 1; 1 } request get { X }")))
    problem.allowed.reachable()
    letters = {completion: number for number, completion in enumerate(problem.system.completions)}
    set_, old, new = letters[0, "1"], letters[1, "0"], letters[1, "1"]
    assert smaller_outcomes(problem, set_) == []
    assert smaller_outcomes(problem, set_, set_) == [[set_]]
    assert sorted(smaller_outcomes(problem, set_, new)) == sorted([[set_], [new]])
    assert smaller_outcomes(problem, new) == []
    assert smaller_outcomes(problem, old) == [[]]


def test_an_automaton_that_a_limit_hides_gives_no_conditions() -> None:
    """Whether the second `set` is possible everywhere is not known."""
    far = parse("request set { X := 1; 1 } request go { if (X == 1) { X := 9 * 9 }; 0 }")
    for limits, is_known in ((Limits(max_value=100), True), (Limits(max_value=50), False)):
        domination = Domination(problem_of(case_of(far, limits), limits).allowed, Multisets())
        domination.learn_conditions()
        assert any(each.beside for each in domination.removable) == is_known


def test_conditions_make_the_search_for_an_observer_small() -> None:
    text = """
    request observe { same := 0; left := 12; while (left > 0) { x := X; yield; if (x == X) { same := 1 };
      left := left - 1 }; same }
    request clear { X := 0; 0 }
    request set { X := 1; 1 }
    """
    problem = problem_of(case_of(parse(text)))
    sizes: list[int] = []
    for conditions in (False, True):
        search = dominated(problem, 1, 13, conditions)
        run = search.advance(100_000, NEVER)
        assert run is not None
        assert run.requests() == 13
        sizes.append(len(search.layers.came_from))
    assert sizes[1] < sizes[0] / 4


@deep
def test_the_random_cases_are_not_vacuous() -> None:
    """There are violations with two and with three requests, and cases without any."""
    assert {case(kind, seed).fewest() for kind, seed in CASES} == {2, 3, None}
    assert any(case("program", seed).fewest() for seed in SEEDS["program"])
    assert any(case("counter", seed).fewest() for seed in SEEDS["counter"])
