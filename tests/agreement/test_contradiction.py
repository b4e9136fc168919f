"""The argument why an outcome is not serial, and the serial outcomes nearest to it, against brute force."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement, count

import pytest

from seriatim.budget import Deadline
from seriatim.engines.search.engine import BoundedSearch
from seriatim.explain import contradiction as module
from seriatim.explain.argument import Argument, Blocked, Case, Cases, Completion, Impossible, Outline
from seriatim.explain.contradiction import contradiction
from seriatim.explain.nearest import SerialSteps, nearest_serial
from seriatim.properties.statement import Outcomes
from seriatim.systems.posing import pose
from testkit.generators.cases import LIMITS, case
from testkit.generators.cases import Case as RandomCase
from testkit.oracles.brute_force import Outcome, Rules, serial

SEEDS = {"system": range(40), "program": (*range(10), 56, 129, 166), "counter": range(20)}
CASES = [(kind, seed) for kind, seeds in SEEDS.items() for seed in seeds]
MAX_ASKED = 12


EXPLORED = 200
"""States after which most completions are known."""


def strange_outcomes(given: RandomCase) -> Iterator[tuple[Counter[int], Outcome]]:
    """Multisets of completions, interleaved or not, that no serial run has: as numbers and in words."""
    unfolding = given.unfolding
    BoundedSearch(pose(Outcomes(), unfolding, LIMITS, Deadline()), None).advance(EXPLORED, Deadline())
    completions = range(min(len(unfolding.completions), 5))
    for size in range(1, given.requests + 1):
        for items in combinations_with_replacement(completions, size):
            named = (unfolding.completions[number] for number in items)
            outcome = tuple(sorted((unfolding.requests[request], answer) for request, answer in named))
            if outcome not in given.serial:
                yield Counter(items), outcome


def find_asked(kind: str, seed: int) -> tuple[RandomCase, list[tuple[Counter[int], Outcome]]]:
    """A case with outcomes that no serial run has, and the largest ones: they have the longest arguments."""
    for number in count(seed, 1_000):
        given = case(kind, number)
        if asked := list(strange_outcomes(given))[-MAX_ASKED:]:
            return given, asked
    raise AssertionError("some case has such outcomes")


class Serial:
    """What serial runs do, straight from the rules."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def orders(self, requests: int) -> set[tuple[Completion, ...]]:
        """All serial runs of at most so many requests."""
        return {order for order, _ in self.runs(requests)}

    def runs(self, requests: int) -> set[tuple[tuple[Completion, ...], int]]:
        """With the global states that they leave."""
        found: set[tuple[tuple[Completion, ...], int]] = {((), self.rules.initial)}
        frontier = set(found)
        for _ in range(requests):
            frontier = {
                ((*order, (request, answer)), after)
                for order, global_ in frontier
                for request, answer, after in self.alone(global_)
            }
            found |= frontier
        return found

    def alone(self, global_: int) -> set[tuple[str, str, int]]:
        ends = set()
        for request, start in self.rules.req:
            pending = [(start, global_)]
            seen = set(pending)
            while pending:
                local, here = pending.pop()
                ends |= {(request, answer, here) for answer in self.rules.responses(local)}
                for move in self.rules.steps(local, here):
                    if move not in seen:
                        seen.add(move)
                        pending.append(move)
        return ends


def prefixes(runs: Serial, outcome: Outcome) -> set[tuple[Completion, ...]]:
    """The serial runs whose completions are among those of the outcome."""
    return {order for order in runs.orders(len(outcome)) if not Counter(order) - Counter(outcome)}


def branches(root: Case) -> set[tuple[Completion, ...]]:
    """The orders that a case analysis goes through."""
    found: set[tuple[Completion, ...]] = {()}
    for step in root.steps:
        found |= {((step.handler, step.response), *rest) for rest in branches(step.next)}
    return found


def leaves(root: Case) -> Iterator[tuple[Counter[Completion], tuple[Blocked, ...]]]:
    """What has been answered where nobody can go on, and who is blocked there."""
    if not root.steps:
        yield Counter(), root.blocked
    for step in root.steps:
        for done, blocked in leaves(step.next):
            yield done + Counter([(step.handler, step.response)]), blocked


def assert_complete(argument: Argument, runs: Serial, outcome: Outcome) -> None:
    """The argument is about exactly the serial prefixes of the outcome, and none of them is all of it."""
    match argument:
        case Cases(root=root):
            assert branches(root) == prefixes(runs, outcome)
            for done, blocked in leaves(root):
                left = Counter(outcome) - done
                assert {(one.handler, wanted) for one in blocked for wanted in one.wanted} == set(left)
                assert all(not set(one.wanted) & set(one.possible) for one in blocked)
        case Impossible(handler=handler, response=response, occasions=occasions):
            assert (handler, response) in outcome
            others = tuple(item for item in outcome if item != (handler, response))
            before = prefixes(runs, others)
            reached = {global_ for order, global_ in runs.runs(len(others)) if order in before}
            assert len(occasions) == len(reached)
            assert all(occasion.before in before for occasion in occasions)
            assert all(response not in occasion.possible for occasion in occasions)
            possible = {
                answer for global_ in reached for name, answer, _ in runs.alone(global_) if name == handler
            }
            assert {answer for occasion in occasions for answer in occasion.possible} == possible
        case Outline(shortest=shortest):
            all_prefixes = prefixes(runs, outcome)
            assert all(end.order in all_prefixes for end in shortest)
            assert [len(end.order) for end in shortest] == sorted(len(end.order) for end in shortest)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_the_argument_goes_through_exactly_the_serial_prefixes(kind: str, seed: int) -> None:
    given, asked = find_asked(kind, seed)
    runs = Serial(given.rules)
    for numbers, outcome in asked:
        argument = contradiction(numbers, SerialSteps(given.unfolding))
        assert argument is not None
        assert_complete(argument, runs, outcome)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_arguments_that_are_too_long_are_outlined(
    kind: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With so little patience, only arguments from an impossible answer are given in full."""
    monkeypatch.setattr(module, "MAX_READ", 0)
    given, asked = find_asked(kind, seed)
    runs = Serial(given.rules)
    for numbers, outcome in asked:
        argument = contradiction(numbers, SerialSteps(given.unfolding))
        assert isinstance(argument, Outline | Impossible)
        assert_complete(argument, runs, outcome)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_nearest_outcomes_are_those_of_brute_force(kind: str, seed: int) -> None:
    given, asked = find_asked(kind, seed)
    for numbers, outcome in asked:
        requests = sorted(request for request, _ in outcome)
        alike = [
            candidate
            for candidate in serial(given.rules, len(outcome))
            if sorted(request for request, _ in candidate) == requests
        ]
        distances = {candidate: (Counter(candidate) - Counter(outcome)).total() for candidate in alike}
        nearest = nearest_serial(numbers, given.unfolding)
        assert nearest is not None
        fewest = min(distances.values(), default=0)
        assert nearest.changed == fewest
        expected = {candidate for candidate, distance in distances.items() if distance == fewest}
        assert {tuple(sorted(order)) for order in nearest.orders} == expected
        assert len(nearest.orders) == len(expected)
        assert set(nearest.orders) <= Serial(given.rules).orders(len(outcome))


def test_some_arguments_of_each_kind_are_met() -> None:
    """Otherwise the tests above would say less than they seem to."""
    kinds: Counter[type[Argument]] = Counter()
    for kind, seed in CASES:
        given, asked = find_asked(kind, seed)
        for numbers, _ in asked:
            argument = contradiction(numbers, SerialSteps(given.unfolding))
            assert argument is not None
            kinds[type(argument)] += 1
    assert kinds[Cases] > 20
    assert kinds[Impossible] > 20
