"""Failing steps, looked for backwards: which situations lead to one?

A *situation* (g, M) stands for all states with the global state g in which at least the requests M are in
flight. Requests that have not begun are there in any number, so their locals are left out of M.

Claim: `Exclusions` holds the smallest situations from which some run leads to a failing step. Why: it begins
with (g, {ℓ}) for each ℓ whose step can fail at g. Before a step of ℓ from g to ℓ' at g', states of (g', M')
were states of (g, M' − ℓ' + ℓ), and no smaller situation does. A situation that the closure rules out is one
of no run, so it may be left out. By Dickson's lemma there are finitely many smallest situations, so this
ends. If the initial situation (g₀, ∅) is among them, the way from it is a run to a failing step; else no run
comes to any of them.
"""

from collections import deque
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.systems.closure import Coverage, bits
from seriatim.systems.from_input import Origin
from seriatim.systems.unfolding import INITIAL_GLOBAL, Move

Situation = tuple[int, tuple[int, ...]]
"""(global state, locals in flight, sorted)."""

Arrival = tuple[int, int, int]
"""(local, global state before, target)."""

MAX_SITUATIONS = 20_000


class TooManySituations(Exception):
    """There are too many situations."""


@dataclass(frozen=True, slots=True)
class BackwardStep:
    """A step from a situation to one that is known to lead to a failing step."""

    local: int
    before: int
    target: int
    then: Situation


class Exclusions:
    """Situations that lead to a failing step; the smallest ones so far."""

    def __init__(self, unfolding: Origin, coverage: Coverage, deadline: Deadline) -> None:
        self.unfolding = unfolding
        self.coverage = coverage
        self.deadline = deadline
        self.starts = frozenset(unfolding.starts)
        self.arrivals: dict[int, list[Arrival]] = {}
        """For each global state, the steps that lead there."""
        self.ways: dict[Situation, BackwardStep | int] = {}
        """For each situation, the step that leads on from it, or the local whose step fails."""
        self.smallest: dict[int, list[tuple[int, ...]]] = {}
        self.pending: deque[Situation] = deque()
        self.look_at_moves()

    def look_at_moves(self) -> None:
        for global_ in self.coverage.globals():
            for local in bits(self.coverage.find_covered(global_)):
                moves: tuple[Move, ...] = self.unfolding.moves(local, global_)
                for target, after in moves:
                    self.arrivals.setdefault(after, []).append((local, global_, target))
                if (local, global_) in self.unfolding.faults:
                    self.add((global_, self.without_starts((local,))), local)

    def without_starts(self, locals_: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(local for local in locals_ if local not in self.starts))

    def add(self, situation: Situation, way: BackwardStep | int) -> None:
        global_, flying = situation
        known = self.smallest.setdefault(global_, [])
        if any(is_within(each, flying) for each in known):
            return
        self.smallest[global_] = [each for each in known if not is_within(flying, each)] + [flying]
        if len(self.ways) >= MAX_SITUATIONS:
            raise TooManySituations
        self.ways[situation] = way
        self.pending.append(situation)

    def explore(self) -> bool:
        """Whether the initial situation leads to a failing step."""
        while self.pending:
            self.deadline.check()
            then = self.pending.popleft()
            global_, flying = then
            if global_ == INITIAL_GLOBAL and not flying:
                return True
            if flying not in self.smallest[global_]:
                continue  # A smaller one has been found since.
            for local, before, target in self.arrivals.get(global_, ()):
                others = list(flying)
                if target in others:
                    others.remove(target)
                situation = (before, self.without_starts((*others, local)))
                if self.is_possible(situation):
                    self.add(situation, BackwardStep(local, before, target, then))
        return False

    def is_possible(self, situation: Situation) -> bool:
        """Whether the closure has these requests there, and at level 2 each beside the others."""
        global_, flying = situation
        covered = self.coverage.find_covered(global_)
        if not all(covered >> local & 1 for local in flying):
            return False
        if self.coverage.level == 1:
            return True
        return all(
            self.coverage.together(global_, local) >> other & 1
            for place, local in enumerate(flying)
            for other in flying[place + 1 :]
        )

    def steps(self) -> tuple[list[tuple[int, int, int, int, bool]], int, int]:
        """The steps from the initial situation to a failing one; the failing local, and the global state."""
        steps: list[tuple[int, int, int, int, bool]] = []
        situation: Situation = (INITIAL_GLOBAL, ())
        while not isinstance(way := self.ways[situation], int):
            is_spawn = way.local in self.starts
            steps.append((way.local, way.target, way.before, way.then[0], is_spawn))
            situation = way.then
        return steps, way, situation[0]


def is_within(part: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether the locals of one are among those of the other, as often."""
    rest = list(whole)
    for local in part:
        if local not in rest:
            return False
        rest.remove(local)
    return True
