"""Domination: states of a search that need not be explored, because a smaller one was met.

A search explores states (g, M, Z): global state, requests in flight, completions so far. Let A be the
automaton of what is allowed, and P a multiset of completions that is not empty.

Claim. The state (g, M, Z) may be dropped if (g, M, Z − P) was met, explored or dropped itself, and

(a) some cycle of A at its initial state has the letters P; or
(b) there is a letter c, with a copy left in Z − P, such that each edge of A with the letter c has a cycle
    with the letters P at its source or at its target.

Why. Let a violation Z' = Z + W be reached from (g, M, Z). The same steps lead from (g, M, Z − P) to Z' − P,
with fewer requests and as many in flight at any time. Were Z' − P allowed, A would have a path with these
letters. In case (a), the cycle comes before that path. In case (b), c is in Z' − P, so the path has an edge
with that letter, and the cycle can be inserted before or behind it. Either way the path then has the letters
Z', which would be allowed. So Z' − P is a violation. If (g, M, Z − P) was dropped itself, the same holds of
what dropped it. Each is smaller than the one before, so this ends at a state that is explored. The violation
that is left has fewer requests: a search in the order of their number finds as small ones as without
domination.

What matters, since each of these was wrong without it:

- c is in Z − P, not only in Z: if c is in P as well, there are two copies. A letter does not justify itself.
- Only one P is taken away at a time, and what is left must have been met: two of them could justify each
  other, and a smaller state that no run reaches shows nothing.
- In (b), A is known completely: an edge that nobody has looked at may have no cycle beside it. Some cycles
  may be missing; then less is dropped.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from seriatim.systems.automaton import INITIAL_STATE, Automaton, Edges
from seriatim.systems.limits import LimitReached
from seriatim.systems.multiset import Counts, Multisets

CYCLE_LENGTH = 3
MAX_CYCLES = 100
MAX_EDGES = 2_000
"""The most edges of an automaton that is explored completely; each one is a request that runs alone."""

MAX_STEPS = 20_000
"""The most steps of walks that are explored to find its cycles."""

MAX_COMPARED = 200_000
"""The most comparisons of edges with cycles, in all."""


@dataclass(frozen=True, slots=True)
class Removable:
    """Completions that may be taken away."""

    letters: Counts
    beside: frozenset[int] | None
    """Completions of which one must be left; None if that does not matter."""


class Domination:
    """The smaller outcomes that dominate an outcome, for all searches of a problem."""

    def __init__(self, allowed: Automaton, outcomes: Multisets) -> None:
        self.allowed = allowed
        self.outcomes = outcomes
        self.removable = [
            Removable(letters, None) for letters in dict.fromkeys(map(count_letters, serial_cycles(allowed)))
        ]
        self._smaller: dict[int, list[int]] = {}

    def learn_conditions(self) -> None:
        """Finds what may be taken away beside something else; worth it for long searches only."""
        self.removable += removable_beside(self.allowed, {each.letters for each in self.removable})
        self._smaller.clear()

    def smaller(self, outcome: int) -> list[int]:
        """The outcomes that dominate this one, in the same global state and with the same requests in
        flight."""
        found = self._smaller.get(outcome)
        if found is None:
            found = self._smaller[outcome] = list(dict.fromkeys(self._without_cycles(outcome)))
        return found

    def _without_cycles(self, outcome: int) -> Iterator[int]:
        for each in self.removable:
            rest = self.outcomes.without(outcome, each.letters)
            if rest is not None and (
                each.beside is None or not each.beside.isdisjoint(self.outcomes.distinct(rest))
            ):
                yield rest


def count_letters(letters: tuple[int, ...]) -> Counts:
    return tuple(sorted(Counter(letters).items()))


def serial_cycles(allowed: Automaton) -> list[tuple[int, ...]]:
    """The letters of some short cycles at the initial state, none containing another."""
    found: list[tuple[int, ...]] = []
    frontier: dict[tuple[int, tuple[int, ...]], None] = {(INITIAL_STATE, ()): None}
    for _ in range(CYCLE_LENGTH):
        longer: dict[tuple[int, tuple[int, ...]], None] = {}
        for state, word in frontier:
            try:
                edges = allowed.after(state)
            except LimitReached:
                continue
            for completion, targets in edges.items():
                letters = tuple(sorted((*word, completion)))
                for after in targets:
                    if after != INITIAL_STATE:
                        longer[after, letters] = None
                    elif not any(contains(letters, cycle) for cycle in found):
                        found.append(letters)
            if len(longer) > MAX_CYCLES:
                return found
        frontier = longer
    return found


def contains(letters: tuple[int, ...], cycle: tuple[int, ...]) -> bool:
    return all(letters.count(letter) >= cycle.count(letter) for letter in set(cycle))


def removable_beside(allowed: Automaton, known: set[Counts]) -> Iterator[Removable]:
    """Cycles that some letters always have beside them; none if the automaton is large."""
    states = complete(allowed)
    if states is None:
        return
    ways: dict[int, set[tuple[int, int]]] = {}
    for state, edges in states.items():
        for letter, targets in edges.items():
            ways.setdefault(letter, set()).update((state, after) for after in targets)
    edges_each = sum(map(len, ways.values()))
    found = (each for each in cycles_by_letters(states).items() if each[0] not in known)
    for letters, places in islice(found, min(MAX_CYCLES, MAX_COMPARED // (edges_each or 1))):
        beside = frozenset(
            letter
            for letter, edges in ways.items()
            if all(source in places or target in places for source, target in edges)
        )
        if beside:
            yield Removable(letters, beside)


def complete(allowed: Automaton) -> dict[int, Edges] | None:
    """All states of the automaton with their edges; None if there are many, or a limit hides some."""
    found: dict[int, Edges] = {}
    pending = [INITIAL_STATE]
    count = 0
    while pending:
        state = pending.pop()
        if state in found:
            continue
        try:
            edges = found[state] = allowed.after(state)
        except LimitReached:
            return None
        count += 1 + len(edges)
        if count > MAX_EDGES:
            return None
        pending.extend(after for targets in edges.values() for after in targets)
    return found


def cycles_by_letters(states: dict[int, Edges]) -> dict[Counts, set[int]]:
    """The letters of short cycles, shortest first, and where there is one with these letters; as far as
    that takes few steps."""
    found: dict[Counts, set[int]] = {}
    steps = 0
    walks: list[tuple[int, int, tuple[int, ...]]] = [(state, state, ()) for state in sorted(states)]
    for _ in range(CYCLE_LENGTH):
        longer: dict[tuple[int, int, tuple[int, ...]], None] = {}
        for first, last, letters in walks:
            for letter, targets in states[last].items():
                for after in targets:
                    steps += 1
                    if steps > MAX_STEPS:
                        return found
                    word = tuple(sorted((*letters, letter)))
                    if after == first:
                        found.setdefault(count_letters(word), set()).add(first)
                    else:
                        longer[first, after, word] = None
        walks = list(longer)
    return found
