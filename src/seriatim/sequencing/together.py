"""Which requests can rest together, for any number of requests, and in which states.

Claim. Let S be sets of global states, of (state, place) and of (state, place, place) that contain the initial
state and are closed under: a fresh request moves, beside any one or two resting ones; a resting request
moves, beside one that it rests together with, or beside two if all three rest together in pairs. Then in
every run of any number of requests, each state is in S, each resting request with the state is in S, and so
is each pair of resting requests with the state.

Proof: by induction on the run. A step of a request changes the state and its own place. Each pair afterwards
has the moved request in it, or not. The pair before the step is in S by induction, so the pair after it is
in S by closure. ∎

`find_together` finds the least such sets. They may contain more than runs reach, never less.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

from seriatim.budget import Deadline
from seriatim.source import Diagnostic, InputError
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding

MAX_FOUND = 20_000
"""The most states, places in states, and pairs in states; more would make too many moves."""


@dataclass(frozen=True, slots=True)
class Together:
    """The states, by number, and the places and pairs of places where requests can rest in them."""

    states: frozenset[int]
    resting: dict[int, frozenset[int]]
    """For each place: the states in which a request can rest there."""
    pairs: dict[tuple[int, int], frozenset[int]]
    """For two places, the smaller number first: the states in which requests can rest at both."""


class _Closure:
    def __init__(self, unfolding: ProgramUnfolding, deadline: Deadline) -> None:
        self.unfolding = unfolding
        self.deadline = deadline
        self.resting: dict[int, set[int]] = {INITIAL_GLOBAL: set()}
        """The places where requests can rest, for each state."""
        self.pairs: dict[int, set[tuple[int, int]]] = {INITIAL_GLOBAL: set()}
        self.count = 0
        self.dirty: dict[int, None] = {INITIAL_GLOBAL: None}

    def close(self) -> None:
        while self.dirty:
            self.deadline.check()
            state, _ = self.dirty.popitem()
            for start in self.unfolding.starts:
                for target, after in self.unfolding.moves(start, state):
                    self._move_fresh(state, target, after)
            for place in tuple(self.resting[state]):
                for target, after in self.unfolding.moves(place, state):
                    self._move_resting(state, place, target, after)

    def _move_fresh(self, state: int, target: int, after: int) -> None:
        self._add(after, None)
        self._record(state, target, after, self.resting[state], self.pairs[state])

    def _move_resting(self, state: int, place: int, target: int, after: int) -> None:
        self._add(after, None)
        pairs = self.pairs[state]
        beside = {other for other in self.resting[state] if _pair(place, other) in pairs}
        both = {each for each in pairs if each[0] in beside and each[1] in beside}
        self._record(state, target, after, beside, both)

    def _record(
        self, state: int, target: int, after: int, others: set[int], both: set[tuple[int, int]]
    ) -> None:
        """Records that a request has moved to a target while others have stayed."""
        if target >= 0:
            self._add(after, target)
        for other in tuple(others):
            self._add(after, other)
            if target >= 0:
                self._add_pair(after, _pair(target, other))
        if state != after:
            for each in tuple(both):
                self._add_pair(after, each)

    def _add(self, state: int, place: int | None) -> None:
        if state not in self.resting:
            self.resting[state], self.pairs[state] = set(), set()
            self._touch(state)
        if place is not None and place not in self.resting[state]:
            self.resting[state].add(place)
            self._touch(state)

    def _add_pair(self, state: int, pair: tuple[int, int]) -> None:
        if pair not in self.pairs[state]:
            self.pairs[state].add(pair)
            self._touch(state)

    def _touch(self, state: int) -> None:
        """Marks a state to be looked at again."""
        self.dirty[state] = None
        self.count += 1
        if self.count > MAX_FOUND:
            message = f"as actions, these handlers have more than {MAX_FOUND:,} pairs of places and states"
            hint = "ser check decides it for any number of requests"
            raise InputError([Diagnostic("SER560", message, hint=hint)])


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one <= other else (other, one)


def find_together(unfolding: ProgramUnfolding, deadline: Deadline) -> Together:
    """Finds which requests can rest together. Raises `InputError` if there are too many states."""
    closure = _Closure(unfolding, deadline)
    closure.close()
    places = sorted({place for found in closure.resting.values() for place in found})
    resting = {p: frozenset(s for s, found in closure.resting.items() if p in found) for p in places}
    pairs = {
        pair: frozenset(state for state, found in closure.pairs.items() if pair in found)
        for pair in combinations_with_replacement(places, 2)
    }
    return Together(frozenset(closure.resting), resting, pairs)


def exclusive_groups(together: Together) -> Iterator[tuple[int, ...]]:
    """Groups of places of which at most one is taken, by one request. Each pair of places that exclude each
    other is in some group."""
    alone = [place for place in together.resting if not together.pairs[place, place]]
    left = {pair for pair in together.pairs if set(pair) <= set(alone) and not together.pairs[pair]}
    while left:
        group = list(dict.fromkeys(min(left)))
        for place in alone:
            if all(_pair(place, each) in left or place == each for each in group) and place not in group:
                group.append(place)
        yield tuple(group)
        left -= {pair for pair in left if set(pair) <= set(group)}
    yield from (pair for pair, states in together.pairs.items() if not states and not set(pair) <= set(alone))
