"""Moves counted by the situations in which they are made.

A situation is a global state, and for some ways of waiting the number of requests that wait so. Flights that
are described by several ways of waiting count for the first of them.

*Forwards*: a move can be made in a situation if its global state is that of the situation, and the number of
those who wait as it does is not 0. It leads to the first situation in the list that *fits*: the one with
the next global state whose numbers, as far as there are any, are those after the move. Claim: if the initial
global state with nobody in flight fits a situation, and there is always one to which a move leads, then
every run is a path of situations. For what a situation says is true at the first moment, and remains
so from move to move; a move that is really made can be made in its situation.

*Backwards* it is the same for complete runs, from their ends: every global state with nobody in flight has to
fit a situation; a move that leads to a situation undoes what it gives, and comes from the first situation
that fits.

So the counts of a complete run are those of a path, from a situation that fits its first moment to one that
fits its last. Moves on no such path are left out.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seriatim.certificate.counting import Situation, Situations
from seriatim.checking.allowance import Allowance
from seriatim.checking.counting import Counting, InSituation, Place, Step
from seriatim.checking.moves import Move, Moves
from seriatim.checking.obligation import DoesNotFollow
from seriatim.checking.reached import reached
from seriatim.program.state import GlobalState

if TYPE_CHECKING:
    from seriatim.certificate.chain_proofs import NodeCase

START = InSituation(0)

Known = tuple[int | None, ...]
"""For each way of waiting, how many requests wait like that; None if unknown."""

Edge = tuple[int, Move, int]
"""(situation before, move, situation after), by index."""


def counting_in_situations(moves: Moves, situations: Situations, allowance: Allowance) -> Counting:
    """Counts steps by situation. Raises `DoesNotFollow` if the situations do not cover all complete runs."""
    cases = Cases(moves, situations, allowance)
    edges = list(cases.edges())
    starts, ends = cases.starts(), cases.ends()
    forwards = reached(starts, ((before, after) for before, _, after in edges))
    backwards = reached(ends, ((after, before) for before, _, after in edges))
    useful = forwards & backwards
    steps = [
        Step(frozenset({START}), frozenset({InSituation(index + 1)}), None)
        for index in sorted(starts & useful)
    ]
    steps.extend(
        Step(places(before, move.takes), places(after, move.gives), move.answer)
        for before, move, after in edges
        if before in useful and after in useful
    )
    return Counting(steps, START, frozenset(InSituation(index + 1) for index in ends & useful))


def places(situation: int, flight: int | None) -> frozenset[Place]:
    control = InSituation(situation + 1)
    return frozenset({control} if flight is None else {control, flight})


class Cases:
    """The situations, and what happens in them."""

    def __init__(self, moves: Moves, situations: Situations, allowance: Allowance) -> None:
        self.moves = moves
        self.allowance = allowance
        self.cases = situations.cases
        self.is_forward = situations.direction == "forward"
        ways = range(len(situations.waiting))
        self.way: dict[int | None, int | None] = {None: None}
        for flight in moves.flights:
            fitting = (w for w in ways if moves.is_described(flight, situations.waiting[w]))
            self.way[flight] = next(fitting, None)
        self.nobody: Known = (0,) * len(ways)
        if any(len(case.numbers) != len(ways) for case in self.cases):
            raise DoesNotFollow("a situation has a number too many, or too few")

    def first(self, state: GlobalState, numbers: Known) -> int:
        """The first situation that fits."""
        self.allowance.deadline.check()
        for index, case in enumerate(self.cases):
            if case.state == state and fits(case, numbers):
                return index
        raise DoesNotFollow("something that can happen fits none of the situations")

    def starts(self) -> set[int]:
        if self.is_forward:
            return {self.first(self.moves.initial, self.nobody)}
        return {
            index
            for index, case in enumerate(self.cases)
            if case.state == self.moves.initial and fits(case, self.nobody)
        }

    def ends(self) -> set[int]:
        if self.is_forward:
            return {index for index, case in enumerate(self.cases) if fits(case, self.nobody)}
        return {self.first(state, self.nobody) for state in self.moves.globals()}

    def edges(self) -> Iterator[Edge]:
        for index, case in enumerate(self.cases):
            for move in self.moves.all:
                here, there = (move.before, move.after) if self.is_forward else (move.after, move.before)
                if here != case.state:
                    continue
                taken, given = (move.takes, move.gives) if self.is_forward else (move.gives, move.takes)
                numbers = moved(case.numbers, self.way[taken], self.way[given])
                if numbers is not None:
                    self.allowance.spend()
                    other = self.first(there, numbers)
                    yield (index, move, other) if self.is_forward else (other, move, index)


def moved(known: Known, less: int | None, more: int | None) -> Known | None:
    """The numbers after a request changes its way of waiting; None if no request waits in the first way."""
    changed = list(known)
    for way, change in ((less, -1), (more, 1)):
        if way is not None and (number := changed[way]) is not None:
            if number + change < 0:
                return None
            changed[way] = number + change
    return tuple(changed)


def fits(case: "Situation | NodeCase", known: Known) -> bool:
    """What the case knows is known, and the same."""
    return all(own is None or own == number for own, number in zip(case.numbers, known, strict=True))
