"""Counts of steps instead of runs: what they are in every complete run of an input.

*Places* are the global states and the flights (requests with their local states;
`seriatim.checking.commit`). A step of a flight takes a token from it and from the global state, and gives
one to the flight that it becomes, unless that is an answer, and to the next global state. A fresh request
comes from nowhere, so its first step takes nothing from a flight; there may also be steps back to a local
state of fresh requests, which then counts as a flight like any other. Left out
are steps that change nothing, which no run needs; steps that a cover excludes, which no run has; and steps
to flights that are never answered, which no complete run has.

For a complete run, let x be how often each step occurs in it. Then

- *state equation*: at the end, each global state has 0 or 1 tokens, so at least 0, and each flight has 0;
  tokens are those at the start (one, on the initial global state), plus those given, minus those taken;
- *siphon cut*, for any set Q of places without the initial global state: no step that takes from Q occurs,
  or one that gives to Q and takes nothing from it. Otherwise the first step that takes from Q would find no
  token there;
- *trap cut*, for any set Q of places: Q has no token at the start and no step gives to Q, or Q has a token
  at the end, or a step occurs that takes from Q and gives nothing to it. Otherwise Q had a token at some
  time, and whatever took one has given one back.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import assert_never

from seriatim.certificate.format import CommitEvidence, CoverEvidence, CutPlaces, GlobalState
from seriatim.checking.allowance import Allowance
from seriatim.checking.commit import Flights, closed_cover, hopeful
from seriatim.checking.reference import Reference, State
from seriatim.checking.run import Completion
from seriatim.formula import Clause, Form, at_least, at_most, combination, is_zero, total

Place = GlobalState | int
"""A global state, or the number of a flight."""


@dataclass(frozen=True, slots=True)
class Step:
    takes: frozenset[Place]
    gives: frozenset[Place]
    answer: Completion | None


class Counting:
    """The steps of an input; variable i of the constraints is how often step i occurs."""

    def __init__(self, reference: Reference[State], evidence: CoverEvidence, allowance: Allowance) -> None:
        looking = CommitEvidence(evidence.level, evidence.invariants, ())
        flights = Flights(reference, looking, allowance)
        kept = hopeful(flights, looking)
        cover = closed_cover(flights, looking, is_serial=False, hopeful=kept)
        moves = [
            (flight, before, target, after)
            for (before, _), here in cover.nodes.items()
            for flight in (*flights.fresh, *here)
            for target, after in flights.steps(flight, before)
            if (isinstance(target, str) or target in kept) and (target, after) != (flight, before)
        ]
        entered = {target for _, _, target, _ in moves if isinstance(target, int)}
        self.initial: GlobalState = reference.initial
        self.steps: list[Step] = []
        for flight, before, target, after in moves:
            gives: frozenset[Place] = frozenset({after} if isinstance(target, str) else {after, target})
            answer = (flights.known[flight][0], target) if isinstance(target, str) else None
            if flight in flights.fresh:
                self.steps.append(Step(frozenset({before}), gives, answer))
            if flight in entered:
                self.steps.append(Step(frozenset({before, flight}), gives, answer))
        self.descriptions = {
            flight: (flights.known[flight][0], *reference.description(flights.known[flight][1]))
            for flight in sorted(entered)
        }

    def tokens(self, places: Set[Place]) -> Form:
        """The number of tokens on some places at the end."""
        given = total(i for i, step in enumerate(self.steps) for place in step.gives if place in places)
        taken = total(i for i, step in enumerate(self.steps) for place in step.takes if place in places)
        return combination([(1, given), (-1, taken)], int(self.initial in places))

    def state_equation(self) -> list[Clause]:
        places = {place: None for step in self.steps for place in (*step.takes, *step.gives)}
        return [
            (is_zero(self.tokens({place})) if isinstance(place, int) else at_least(self.tokens({place}), 0),)
            for place in places
        ]

    def places(self, cut: CutPlaces) -> frozenset[Place]:
        """The set Q that a cut describes."""
        waiting = {
            flight
            for flight, (handler, code, values) in self.descriptions.items()
            for w in cut.waiting
            if (w.handler, w.code) == (handler, code) and set(w.values) <= set(values)
        }
        return frozenset((*cut.globals, *waiting))

    def cut(self, cut: CutPlaces) -> Clause:
        """What a cut says; a siphon cut must not contain the initial global state."""
        places = self.places(cut)
        taking = {i for i, step in enumerate(self.steps) if not places.isdisjoint(step.takes)}
        giving = {i for i, step in enumerate(self.steps) if not places.isdisjoint(step.gives)}
        match cut.kind:
            case "siphon":
                return at_most(total(taking), 0), at_least(total(giving - taking), 1)
            case "trap":
                escapes = at_least(self.tokens(places), 1), at_least(total(taking - giving), 1)
                return escapes if self.initial in places else (at_most(total(giving), 0), *escapes)
            case _:
                assert_never(cut.kind)

    def outcome(self) -> dict[Completion, Form]:
        """How often each completion occurs."""
        answering: dict[Completion, list[int]] = {}
        for index, step in enumerate(self.steps):
            if step.answer is not None:
                answering.setdefault(step.answer, []).append(index)
        return {completion: total(steps) for completion, steps in sorted(answering.items())}
