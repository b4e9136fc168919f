"""Counts of steps instead of runs: what they are in every complete run of an input.

*Places* are the global states and the flights; instead of global states there may be situations, which are
cases at global states (`seriatim.checking.situations`), and then also a start. One of these, the *control*,
has a token at any time, and so has each flight for each request that is there. A step takes the control and a
flight, and gives the next control and the next flight; first steps take no flight, answers give none.

For a complete run, let x be how often each step occurs in it. Then

- *state equation*: at the end, each control place has 0 or 1 tokens, so at least 0, and exactly 0 if no run
  ends there; each flight has 0. Tokens are those at the start, plus those given, minus those taken.
- *siphon cut*, for any set Q of places without the one that has the token at the start: no step that takes
  from Q occurs, or one that gives to Q and takes nothing from it. Otherwise the first step that takes from
  Q would find no token there.
- *trap cut*, for any set Q of places: Q has no token at the start and no step gives to Q, or Q has a token
  at the end, or a step occurs that takes from Q and gives nothing to it. Otherwise Q had a token at some
  time, and whatever took one has given one back.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import Literal, assert_never

from seriatim.arithmetic.formula import (
    Clause,
    Constraint,
    Form,
    at_least,
    at_most,
    combination,
    is_zero,
    total,
)
from seriatim.certificate.counting import Situations
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Completion
from seriatim.checking.moves import Move, Moves
from seriatim.checking.situations import Cases, Known, moved
from seriatim.closure import reached
from seriatim.program.state import GlobalState


@dataclass(frozen=True, slots=True)
class InSituation:
    """The control place of a situation, by number; 0 is the start."""

    number: int


START = InSituation(0)

Place = GlobalState | InSituation | int
"""A place of the control, or a flight."""


@dataclass(frozen=True, slots=True)
class Step:
    takes: frozenset[Place]
    gives: frozenset[Place]
    answer: Completion | None


@dataclass(frozen=True, slots=True)
class Counting:
    """Steps; variable i of the constraints is how often step i occurs."""

    steps: list[Step]
    start: Place
    ends: frozenset[Place]
    """Where the control can be at the end."""

    def tokens(self, places: Set[Place]) -> Form:
        """The number of tokens on some places at the end."""
        given = total(i for i, step in enumerate(self.steps) for place in step.gives if place in places)
        taken = total(i for i, step in enumerate(self.steps) for place in step.takes if place in places)
        return combination([(1, given), (-1, taken)], int(self.start in places))

    def state_equation(self) -> list[Constraint]:
        """How many tokens each place has at the end."""
        # In the same order each time: solvers are sensitive to that.
        occurring = {p: None for step in self.steps for p in (*ordered(step.takes), *ordered(step.gives))}
        places: dict[Place, None] = {self.start: None, **occurring}
        return [
            at_least(self.tokens({place}), 0) if place in self.ends else is_zero(self.tokens({place}))
            for place in places
        ]

    def cut(self, kind: Literal["siphon", "trap"], places: Set[Place]) -> Clause:
        """The clause of a cut. A siphon cut must not contain the start."""
        taking = {i for i, step in enumerate(self.steps) if not step.takes.isdisjoint(places)}
        giving = {i for i, step in enumerate(self.steps) if not step.gives.isdisjoint(places)}
        match kind:
            case "siphon":
                return at_most(total(taking), 0), at_least(total(giving - taking), 1)
            case "trap":
                escapes = at_least(self.tokens(places), 1), at_least(total(taking - giving), 1)
                return escapes if self.start in places else (at_most(total(giving), 0), *escapes)
            case _:
                assert_never(kind)

    def outcome(self) -> dict[Completion, Form]:
        """How often each completion occurs."""
        answering: dict[Completion, list[int]] = {}
        for index, step in enumerate(self.steps):
            if step.answer is not None:
                answering.setdefault(step.answer, []).append(index)
        return {completion: total(steps) for completion, steps in sorted(answering.items())}


def ordered(places: frozenset[Place]) -> list[Place]:
    """Sorts places: the control of a step comes before its flight."""
    return sorted(places, key=lambda place: isinstance(place, int))


def counting(moves: Moves) -> Counting:
    """Counts moves as they are: the control is the global state."""
    steps = [
        Step(places(move.before, move.takes), places(move.after, move.gives), move.answer)
        for move in moves.all
    ]
    return Counting(steps, moves.initial, frozenset(moves.globals()))


def counting_in_situations(moves: Moves, situations: Situations, allowance: Allowance) -> Counting:
    """Counts moves by the situations in which they are made. Flights that several ways of waiting describe
    count for the first of them. Moves on no path of a complete run are left out. Raises `DoesNotFollow` if
    the situations do not cover all complete runs."""
    ways = {flight: first_way(moves, flight, situations) for flight in (None, *moves.flights)}

    def known(move: Move, numbers: Known) -> Known | None:
        less, more = (move.takes, move.gives) if cases.is_forward else (move.gives, move.takes)
        return moved(numbers, ways[less], ways[more])

    numbered = [(case.state, case.numbers) for case in situations.cases]
    cases = Cases(numbered, len(situations.waiting), situations.direction, allowance)
    edges = list(cases.edges(((move.before, move.after, move) for move in moves.all), known))
    if cases.is_forward:
        starts = {cases.first(moves.initial, cases.nobody)}
        ends = {index for state in cases.at for index in cases.empty(state)}
    else:
        starts = set(cases.empty(moves.initial))
        ends = {cases.first(state, cases.nobody) for state in moves.globals()}
    useful = reached(starts, ((before, after) for before, _, after in edges))
    useful &= reached(ends, ((after, before) for before, _, after in edges))
    steps = [
        Step(frozenset({START}), places(in_case(index), None), None) for index in sorted(starts & useful)
    ]
    steps.extend(
        Step(places(in_case(before), move.takes), places(in_case(after), move.gives), move.answer)
        for before, move, after in edges
        if before in useful and after in useful
    )
    return Counting(steps, START, frozenset(map(in_case, ends & useful)))


def first_way(moves: Moves, flight: int | None, situations: Situations) -> int | None:
    """The first way of waiting that describes a flight."""
    if flight is None:
        return None
    return next((n for n, way in enumerate(situations.waiting) if moves.is_described(flight, way)), None)


def in_case(index: int) -> InSituation:
    return InSituation(index + 1)


def places(control: GlobalState | InSituation, flight: int | None) -> frozenset[Place]:
    return frozenset({control} if flight is None else {control, flight})
