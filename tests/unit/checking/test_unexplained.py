"""That nothing allowed has an outcome: exploring and counting say the same, and counting ends where exploring
would not."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.context import Context
from seriatim.checking.uncounted import uncounted
from seriatim.checking.unexplained import WordSearch, edges_of, unexplained
from seriatim.program.state import GlobalState
from testkit.samples import deep, sampled

Z3 = (SolverName.Z3,)


class Automaton:
    """What may follow what, as a list."""

    def __init__(self, edges: list[tuple[str, str, str, str]]) -> None:
        self.initial: GlobalState = "0"
        self.edges = edges

    def after(self, state: GlobalState, request: str) -> list[tuple[str, GlobalState]]:
        return [
            (answer, after)
            for before, asked, answer, after in self.edges
            if (before, asked) == (state, request)
        ]


def searched(
    allowed: Automaton, outcome: Counter[tuple[str, str]], spent: Allowance, most: int | None = None
) -> WordSearch[GlobalState]:
    search = WordSearch(allowed, outcome, spent)
    search.advance(most)
    return search


def allowance(states: int = 100_000) -> Allowance:
    return Allowance(states, Deadline())


def by_counting(allowed: Automaton, outcome: Counter[tuple[str, str]]) -> bool:
    edges = edges_of(allowed, frozenset(outcome), allowance(), 100)
    assert edges is not None
    return uncounted("", edges, allowed.initial, outcome, allowance(), Z3).holds


@pytest.mark.parametrize("seed", range(150))
def test_counting_and_exploring_say_the_same(seed: int) -> None:
    random = Random(seed)
    states = [str(number) for number in range(random.randint(2, 5))]
    edges = [
        (random.choice(states), random.choice("pq"), random.choice("01"), random.choice(states))
        for _ in range(random.randint(2, 9))
    ]
    allowed = Automaton(edges)
    for _ in range(5):
        outcome = Counter({(r, a): random.randint(0, 4) for r in "pq" for a in "01"})
        outcome += Counter()
        search = searched(allowed, outcome, allowance())
        assert search.is_complete
        assert by_counting(allowed, outcome) == (search.order is None)
        if search.order is not None:
            assert Counter(search.order) == outcome


def words(allowed: Automaton, length: int) -> Iterator[tuple[tuple[str, str], ...]]:
    """Up to some length, one by one."""
    level: list[tuple[GlobalState, tuple[tuple[str, str], ...]]] = [(allowed.initial, ())]
    for _ in range(length + 1):
        yield from (word for _, word in level)
        level = [
            (after, (*word, (request, answer)))
            for state, word in level
            for request in "pq"
            for answer, after in allowed.after(state, request)
        ]


@pytest.mark.parametrize("seed", range(60))
def test_others_may_have_any_answers(seed: int) -> None:
    """All words are listed, and compared with what counting and exploring say."""
    random = Random(seed)
    states = [str(number) for number in range(random.randint(2, 4))]
    edges = {
        (random.choice(states), random.choice("pq"), random.choice("01"), random.choice(states))
        for _ in range(7)
    }
    allowed = Automaton(sorted(edges))
    outcome = Counter({(r, a): random.randint(0, 1) for r in "pq" for a in "01"})
    outcome += Counter()
    others = {
        request: (least, least + random.randint(0, 2)) for request in "pq" if (least := random.randint(0, 1))
    }
    length = outcome.total() + sum(most for _, most in others.values())

    def fits(word: tuple[tuple[str, str], ...]) -> bool:
        more = Counter(word)
        more.subtract(outcome)
        asked = {request: sum(more[request, answer] for answer in "01") for request in "pq"}
        ranges = {request: others.get(request, (0, 0)) for request in "pq"}
        return min(more.values(), default=0) >= 0 and all(
            ranges[request][0] <= number <= ranges[request][1] for request, number in asked.items()
        )

    expected = any(map(fits, words(allowed, length)))
    search = WordSearch(allowed, outcome, allowance(), others)
    search.advance()
    assert search.is_complete
    assert (search.order is not None) == expected
    assert search.order is None or fits(search.order)
    found = edges_of(allowed, frozenset(outcome), allowance(), 100, others, length)
    assert found is not None
    assert uncounted("", found, allowed.initial, outcome, allowance(), Z3, others).holds != expected
    for few_states in (1, 1_000):
        told = unexplained("none has it", allowed, outcome, Context(allowance(), Z3), others, few_states)
        assert told.holds != expected


TWO_FOR_ONE = Automaton([("0", "p", "0", "1"), ("1", "p", "0", "2"), ("2", "q", "0", "0")])
"""Two p for each q, in this order."""


def test_what_was_explored_is_told() -> None:
    """Nothing, p, and what is left of each."""
    outcome = Counter({("p", "0"): 1, ("q", "0"): 1})
    found = unexplained("none has it", TWO_FOR_ONE, outcome, Context(allowance(), ()))
    assert (found.claim, found.holds) == ("none has it", True)
    assert found.detail == "2 serial states explored"
    outcome = Counter({("p", "0"): 2, ("q", "0"): 1})
    found = unexplained("none has it", TWO_FOR_ONE, outcome, Context(allowance(), ()))
    assert (found.holds, found.detail) == (False, "this one has: p/0, p/0, q/0")
    assert searched(TWO_FOR_ONE, outcome, allowance()).explored == 4


@pytest.mark.parametrize(("most", "is_complete"), [(1, False), (2, True), (3, True), (None, True)])
def test_exploring_ends_with_as_many_states_as_are_allowed(most: int | None, is_complete: bool) -> None:
    search = searched(TWO_FOR_ONE, Counter({("p", "0"): 1, ("q", "0"): 1}), allowance(), most)
    assert (search.order, search.is_complete) == (None, is_complete)


def test_edges_are_found_up_to_a_number_of_states_and_not_for_nothing() -> None:
    completions = frozenset({("p", "0"), ("q", "0")})
    found = edges_of(TWO_FOR_ONE, completions, allowance(), 3)
    assert found is not None
    assert sorted(found) == [("0", ("p", "0"), "1"), ("1", ("p", "0"), "2"), ("2", ("q", "0"), "0")]
    assert edges_of(TWO_FOR_ONE, completions, allowance(), 2) is None
    with pytest.raises(GaveUp):
        edges_of(TWO_FOR_ONE, completions, allowance(2), 3)


def test_edges_are_those_of_words_up_to_a_length() -> None:
    completions = frozenset({("p", "0"), ("q", "0")})
    for length, found in ((0, 0), (1, 1), (2, 2), (3, 3), (4, 3)):
        assert len(edges_of(TWO_FOR_ONE, completions, allowance(), 9, (), length) or ()) == found


OTHERS: list[tuple[dict[str, tuple[int, int]], bool]] = [
    ({}, False),
    ({"p": (1, 1)}, False),
    ({"p": (2, 2)}, True),
    ({"p": (1, 3)}, True),
    ({"p": (0, 2)}, True),
    ({"p": (3, 3)}, True),
    ({"p": (5, 5)}, False),
    ({"p": (2, 2), "q": (0, 1)}, True),
    ({"p": (2, 2), "q": (1, 1)}, False),
    ({"p": (3, 4), "q": (1, 1)}, True),
]


@pytest.mark.parametrize(("others", "is_allowed"), OTHERS)
@pytest.mark.parametrize("solvers", [Z3, ()])
def test_one_q_needs_two_others(
    others: dict[str, tuple[int, int]], is_allowed: bool, solvers: tuple[SolverName, ...]
) -> None:
    """By exploring, and by counting after one state, where a solver may be asked."""
    outcome = Counter({("q", "0"): 1})
    search = WordSearch(TWO_FOR_ONE, outcome, allowance(), others)
    search.advance()
    assert (search.order is not None) == is_allowed
    found = unexplained("none has it", TWO_FOR_ONE, outcome, Context(allowance(), solvers), others, 1)
    assert found.holds != is_allowed
    needs_solver = not is_allowed and sum(most for _, most in others.values()) > 1  # Else no q can follow.
    assert found.confirmed_by == (solvers if needs_solver else ())


@pytest.mark.parametrize(("ps", "qs", "is_allowed"), [(600_000, 300_000, True), (600_000, 299_998, False)])
def test_outcomes_of_any_size_are_decided(ps: int, qs: int, is_allowed: bool) -> None:
    outcome = Counter({("p", "0"): ps, ("q", "0"): qs})
    edges = edges_of(TWO_FOR_ONE, frozenset(outcome), allowance(), 100)
    assert edges is not None
    found = uncounted("none has it", edges, "0", outcome, allowance(), Z3)
    assert found.holds != is_allowed
    assert found.confirmed_by == (() if is_allowed else Z3)


def test_rounds_that_nothing_leads_to_do_not_count() -> None:
    """Who goes left comes never to the right, though a round there would add up."""
    fork = Automaton(
        [
            ("0", "p", "0", "left"),
            ("0", "p", "0", "right"),
            ("left", "q", "0", "left"),
            ("right", "q", "1", "right"),
        ]
    )
    assert by_counting(fork, Counter({("p", "0"): 1, ("q", "0"): 5, ("q", "1"): 5}))
    assert not by_counting(fork, Counter({("p", "0"): 1, ("q", "1"): 5}))


MANY = Counter({(request, "0"): 40 for request in "abcd"})
"""Of which there are 41⁴ parts."""

FREELY = [("0", request, "0", "0") for request in "abcd"]


def test_what_is_never_answered_needs_no_solver() -> None:
    outcome = MANY + Counter({("e", "1"): 1})
    found = unexplained("none has it", Automaton(FREELY), outcome, Context(allowance(), ()))
    assert found.holds
    assert found.detail == "nothing allowed has e/1"


@deep
def test_without_a_solver_exploring_goes_on() -> None:
    once = Automaton([*FREELY, ("0", "e", "1", "1"), ("1", "f", "1", "2"), ("2", "e", "1", "3")])
    outcome = MANY + Counter({("e", "1"): 2, ("f", "1"): 2})
    with pytest.raises(GaveUp):
        unexplained("none has it", once, outcome, Context(allowance(), ()))
    found = unexplained("none has it", once, outcome, Context(allowance(), Z3))
    assert found.holds
    assert found.confirmed_by == Z3


class Counters:
    """Two requests count, so that there is no end of states, and one answers whether both are even."""

    initial: GlobalState = (("A", 0), ("B", 0))

    def after(self, state: GlobalState, request: str) -> list[tuple[str, GlobalState]]:
        numbers = dict(value for value in state if not isinstance(value, str))
        if request == "ask":
            return [(str(int(numbers["A"] % 2 == numbers["B"] % 2 == 0)), state)]
        return [("0", tuple(sorted({**numbers, request: numbers[request] + 1}.items())))]


@deep
@pytest.mark.parametrize("solvers", sampled([(), Z3], 2))
def test_where_states_never_end_exploring_goes_on(solvers: tuple[SolverName, ...]) -> None:
    """There are infinitely many edges to count, but finitely many orders."""
    assert edges_of(Counters(), frozenset({("A", "0")}), allowance(), 1_000) is None
    outcome = Counter({("A", "0"): 170, ("B", "0"): 170, ("ask", "1"): 1, ("ask", "2"): 1})
    found = unexplained("none has it", Counters(), outcome, Context(allowance(500_000), solvers))
    assert found.holds
    assert found.detail == "58,482 serial states explored"


def test_exploring_goes_on_where_it_stopped() -> None:
    """In parts it takes as much as at once, and finds the same."""
    outcome = Counter({("p", "0"): 6, ("q", "0"): 2})
    at_once, spent = searched(TWO_FOR_ONE, outcome, allowance()), allowance()
    in_parts = searched(TWO_FOR_ONE, outcome, spent, 2)
    for most in (3, 5, None):
        in_parts.advance(most)
    assert (in_parts.order, in_parts.explored) == (at_once.order, at_once.explored)
    assert spent.spent == at_once.explored
