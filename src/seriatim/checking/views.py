"""Handlers one by one: what their requests can be in the middle of, seen through their own variables.

A *view* of a handler is (flight of one of its requests, values of the globals that it mentions); a flight is
a request's local state. Claim: the views found here are all that occur in runs. By induction: nobody can tell
since when a fresh request has been there, so all of them may be there from the start. A step of a request
reads and writes only what its handler mentions, so it is a step of its view. To another request, of the same
handler or not, it does what it does to the globals that both mention; that is applied to every view with the
same values of these, unless invariants say that the two can't be in flight together
(`seriatim.checking.weights`).
"""

from collections.abc import Iterable

from seriatim.certificate.in_flight import Invariant
from seriatim.checking.allowance import Allowance
from seriatim.checking.numbering import Numbering
from seriatim.checking.reference import Part, ProgramReference, ProgramState
from seriatim.checking.weights import Weights, values_of
from seriatim.program.syntax import mentioned_globals

Names = tuple[str, ...]
View = tuple[int, Part]
"""(flight, values of what its handler mentions)."""

Target = int | str
"""A flight, or an answer."""


class Views:
    """All views of a program; raises `Broken` if some of the invariants do not hold."""

    def __init__(
        self, reference: ProgramReference, invariants: Iterable[Invariant], allowance: Allowance
    ) -> None:
        self.reference = reference
        self.allowance = allowance
        self.initial = values_of(reference.initial)
        self.flights: Numbering[tuple[str, ProgramState]] = Numbering()
        self.names: dict[str, Names] = {
            handler.name: tuple(sorted(mentioned_globals(handler.body))) for handler in reference.handlers
        }
        """For each handler, what it mentions."""
        self.neighbours: dict[str, list[str]] = {
            own: [other for other in self.names if not set(self.names[own]).isdisjoint(self.names[other])]
            for own in self.names
        }
        """For each handler, those that mention something that it mentions; itself if it mentions anything."""
        self._weights: dict[str, Weights[int]] = {}
        """For each handler, those that are about what it mentions."""
        self.steps: dict[View, set[tuple[Target, Part]]] = {}
        """For each view, the views that it can reach."""
        self.fresh: dict[str, int] = {}
        self._alike: dict[tuple[str, str, Part], list[View]] = {}
        """(handler, neighbour, values of what both mention): views of the handler."""
        self._effects: dict[tuple[str, str, Part], dict[tuple[int, Part], None]] = {}
        """(handler, neighbour, values of what both mention): (flight of the neighbour, what it makes of
        these)."""
        self._shared: dict[tuple[str, str], Names] = {}
        self._places: dict[tuple[str, Names], tuple[int, ...]] = {}
        self._together: dict[tuple[int, int], tuple[tuple[int, int, int, int], ...]] = {}
        """For two flights: where the variable of an invariant stands among what both mention, its sign, its
        initial value, and how much both weigh."""
        self._pending: list[View] = []
        for handler in reference.handlers:
            (state,) = reference.fresh(handler.name)
            flight = self.fresh[handler.name] = self.flights.number((handler.name, state))
            names = self.names[handler.name]
            own = tuple(i for i in invariants if i.variable in names)
            self._weights[handler.name] = Weights(own, self.initial, [flight])
            self._add((flight, tuple(self.initial[name] for name in names)))
        while self._pending:
            allowance.spend()
            self._explore(self._pending.pop())

    def handler(self, flight: int) -> str:
        return self.flights[flight][0]

    def weights(self, flight: int) -> dict[Invariant, int]:
        """The weights of a flight, by the invariants about globals that its handler mentions."""
        weights = self._weights[self.handler(flight)]
        return dict(zip(weights.invariants, weights.of[flight], strict=True))

    def shared(self, own: str, other: str) -> Names:
        """Lists what both mention, sorted."""
        if (own, other) not in self._shared:
            others = set(self.names[other])
            self._shared[own, other] = tuple(name for name in self.names[own] if name in others)
        return self._shared[own, other]

    def places(self, handler: str, names: Names) -> tuple[int, ...]:
        """Where some of the globals that a handler mentions stand among these."""
        if (handler, names) not in self._places:
            at = {name: place for place, name in enumerate(self.names[handler])}
            self._places[handler, names] = tuple([at[name] for name in names])
        return self._places[handler, names]

    def of(self, handler: str, part: Part, names: Names) -> Part:
        """The values of some of the globals that a handler mentions."""
        return tuple([part[place] for place in self.places(handler, names)])

    def with_(self, handler: str, part: Part, names: Names, values: Part) -> Part:
        """The same part, with these values for these globals."""
        changed = list(part)
        for place, value in zip(self.places(handler, names), values, strict=True):
            changed[place] = value
        return tuple(changed)

    def can_meet(self, flight: int, other: int, names: Names, values: Part) -> bool:
        """Whether two can be in flight together while the globals that both mention have these values."""
        if (flight, other) not in self._together:
            own, others = self.weights(flight), self.weights(other)
            self._together[flight, other] = tuple(
                (names.index(i.variable), i.sign, self.initial[i.variable], own[i] + others[i])
                for i in own.keys() & others.keys()
            )
        for place, sign, initial, weight in self._together[flight, other]:
            if weight > sign * (values[place] - initial):
                return False
        return True

    def _add(self, view: View) -> None:
        if view not in self.steps:
            self.steps[view] = set()
            self._pending.append(view)

    def _explore(self, view: View) -> None:
        flight, part = view
        handler, state = self.flights[flight]
        names, weights = self.names[handler], self._weights[handler]
        touched = self.reference.touched(state)
        for reached, values in self.reference.steps_on(state, self.of(handler, part, touched)):
            after = self.with_(handler, part, touched, values)
            answers = self.reference.answers(reached)
            target: Target = min(answers) if answers else self.flights.number((handler, reached))
            rooms = (weights.room(dict(zip(names, each, strict=True))) for each in (part, after))
            weights.step(flight, target if isinstance(target, int) else None, *rooms)
            self.steps[view].add((target, after))
            if isinstance(target, int):
                self._add((target, after))
            for other in self.neighbours[handler]:
                both = self.shared(other, handler)
                before, now = self.of(handler, part, both), self.of(handler, after, both)
                effects = self._effects.setdefault((other, handler, before), {})
                if before != now and (flight, now) not in effects:
                    effects[flight, now] = None
                    for affected in list(self._alike.get((other, handler, before), ())):
                        self._affect(affected, both, before, flight, now)
        for other in self.neighbours[handler]:
            both = self.shared(handler, other)
            now = self.of(handler, part, both)
            self._alike.setdefault((handler, other, now), []).append(view)
            for affecting, then in list(self._effects.get((handler, other, now), ())):
                self._affect(view, both, now, affecting, then)

    def _affect(self, view: View, names: Names, before: Part, other: int, now: Part) -> None:
        flight, part = view
        if self.can_meet(flight, other, names, before):
            self._add((flight, self.with_(self.handler(flight), part, names, now)))
