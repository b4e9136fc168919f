"""Evidence of the kind `reduction` for the kernel: tables of views, and which flights represent others.

The checker's flights forget locals that are not read again. The kernel forgets none, so a number stands there
for all local states that become the same flight, and the kernel sees that these behave alike. Views in which
somebody weighs more than there is do not occur, and are left out.
"""

from collections import deque
from collections.abc import Iterator

from seriatim.certificate.in_flight import Invariant
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.reduction import KeptSteps, close_views, in_one_go, late_flights
from seriatim.checking.reference import Part, ProgramReference
from seriatim.checking.views import Target, View, Views
from seriatim.closure import closure
from seriatim.export.kernel.full_reference import FullState
from seriatim.export.kernel.names import ProgramNames
from seriatim.export.kernel.text import FUEL, Text
from seriatim.program.liveness import live_locals
from seriatim.program.semantics import big_steps
from seriatim.program.state import GlobalState

Mover = int | None
"""A flight, or a new request of a handler that is known."""


def reduction_text(names: ProgramNames, evidence: ReductionEvidence, allowance: Allowance) -> Text:
    """Writes what `proofs/Reduction.v` checks."""
    reference = ProgramReference(names.program, big_steps, check_stop=allowance.deadline.check)
    views = close_views(reference, evidence, allowance)
    late = late_flights(views, evidence.late)
    return MoversText(names, views, late).text()


class MoversText:
    """The views, and how they are written."""

    def __init__(self, names: ProgramNames, views: Views, late: set[int]) -> None:
        self.names = names
        self.views = views
        self.late = late
        with_late = {views.handler(flight) for flight in late}
        self.kept = KeptSteps(views, with_late)
        others = views.names.keys() - with_late
        self.at_end = {handler for handler in others if in_one_go(views, handler) is not None}
        """The handlers that act at their end."""
        self.steps: dict[View, list[tuple[Target, Part]]] = {
            view: sorted(steps, key=repr) for view, steps in views.steps.items() if self.occurs(view)
        }
        self.entered = {
            target for steps in self.steps.values() for target, _ in steps if isinstance(target, int)
        }
        self.number: dict[int, int] = {}
        """Of a flight that is entered, among those of its handler."""
        self.flights: dict[str, list[int]] = {handler: [] for handler in views.names}
        for flight in sorted(self.entered):
            own = self.flights[views.handler(flight)]
            self.number[flight] = len(own)
            own.append(flight)
        self.parts: dict[int, list[Part]] = {}
        for flight, part in self.steps:
            self.parts.setdefault(flight, []).append(part)

    def occurs(self, view: View) -> bool:
        flight, part = view
        now = dict(zip(self.views.names[self.views.handler(flight)], part, strict=True))
        return all(
            weight <= i.sign * (now[i.variable] - self.views.initial[i.variable])
            for i, weight in self.views.weights(flight).items()
        )

    def text(self) -> Text:
        members = self.members()
        tables: list[Text] = [self.table(handler) for handler in self.views.names]
        at_end: list[Text] = [self.names.request(handler) for handler in sorted(self.at_end)]
        dropped: list[Text] = [self.link(*pair) for pair in sorted(self.dropped(), key=repr)]
        standing: list[Text] = [self.link(*pair) for pair in sorted(self.standing(), key=repr)]
        effect: list[Text] = [self.flight(flight) for flight in sorted(self.late & self.entered)]
        return (members, tables, self.invariants(), at_end, dropped, standing, effect, FUEL)

    def flight(self, flight: int) -> Text:
        return (self.names.request(self.views.handler(flight)), self.number[flight])

    def link(self, handler: str, mover: Mover, flight: int) -> Text:
        return (self.names.request(handler), self.mover(mover), self.number[flight])

    def mover(self, mover: Mover) -> Text:
        return (0,) if mover is None else (1, self.number[mover])

    def part(self, handler: str, part: Part) -> GlobalState:
        """A part as the kernel sees it: other globals are 0."""
        now = dict(zip(self.views.names[handler], part, strict=True))
        return tuple((name, now.get(name, 0)) for name in self.names.globals)

    # --- tables ---------------------------------------------------------------------------------------------

    def table(self, handler: str) -> Text:
        """Returns what a handler mentions; its rooms, with who can be there and what it can do."""
        mentioned = set(self.views.names[handler])
        mask: list[Text] = [int(name in mentioned) for name in self.names.globals]
        rooms: dict[Part, list[Text]] = {}
        fresh = self.views.fresh[handler]
        for flight in (fresh, *(flight for flight in self.flights[handler] if flight != fresh)):
            for part in self.parts.get(flight, ()):
                entries = self.entries(handler, flight, part)
                room = rooms.setdefault(part, [])
                if flight == fresh:
                    room.append((self.mover(None), entries))
                if flight in self.entered:
                    room.append((self.mover(flight), entries))
        written: list[Text] = [
            (self.names.global_(self.part(handler, part)), movers) for part, movers in rooms.items()
        ]
        return (mask, written)

    def entries(self, handler: str, flight: int, part: Part) -> list[Text]:
        answers = self.views.reference.answers(self.views.flights[flight][1])
        steps = [(min(answers), part)] if answers else self.steps[flight, part]
        return [
            (
                (1, int(target)) if isinstance(target, str) else (0, self.number[target]),
                self.names.global_(self.part(handler, after)),
            )
            for target, after in steps
        ]

    def invariants(self) -> list[Text]:
        used: dict[Invariant, list[Text]] = {}
        for flight in range(len(self.views.flights)):
            for invariant, weight in self.views.weights(flight).items():
                own = used.setdefault(invariant, [])
                if weight and flight in self.entered:
                    own.append((self.flight(flight), weight))
        return [(self.names.globals.index(i.variable), i.sign, weights) for i, weights in used.items()]

    # --- local states ---------------------------------------------------------------------------------------

    def members(self) -> list[Text]:
        """For each handler and each of its flights, the local states with all locals."""
        found: dict[int, dict[FullState, None]] = {flight: {} for flight in self.entered}
        for handler, fresh in self.views.fresh.items():
            (start,) = self.names.reference.fresh(handler)
            pending = deque([(fresh, start)])
            while pending:
                flight, state = pending.popleft()
                for target, reached in self.reached(handler, flight, state):
                    if reached not in found[target]:
                        found[target][reached] = None
                        pending.append((target, reached))
        return [
            [[self.names.local(state) for state in found[flight]] for flight in self.flights[handler]]
            for handler in self.views.names
        ]

    def reached(self, handler: str, flight: int, state: FullState) -> Iterator[tuple[int, FullState]]:
        """Where steps lead from a local state, at all parts where it can be."""
        for part in self.parts.get(flight, ()):
            for reached, _ in self.names.reference.steps(state, self.part(handler, part)):
                if not self.names.reference.answers(reached):
                    yield self.flight_of(handler, reached), reached

    def flight_of(self, handler: str, state: FullState) -> int:
        live = live_locals(state.expression)
        values = {name: value for name, value in state.locals if name in live}
        own = self.views.reference.state_of(state.expression, values)
        return self.views.flights.number((handler, own))

    # --- steps that are not kept ----------------------------------------------------------------------------

    def movers(self) -> Iterator[tuple[str, Mover, int]]:
        """Handler, who moves, and the flight as which it does."""
        for handler, fresh in self.views.fresh.items():
            yield handler, None, fresh
            for flight in self.flights[handler]:
                yield handler, flight, flight

    def dropped(self) -> set[tuple[str, Mover, int]]:
        return {
            (handler, mover, target)
            for handler, mover, flight in self.movers()
            if handler not in self.at_end
            for part in self.parts.get(flight, ())
            for target, after in self.steps[flight, part]
            if isinstance(target, int)
            and after == part
            and (target, after) not in self.kept.kept[flight, part]
        }

    def standing(self) -> set[tuple[str, Mover, int]]:
        """Who stands for whom: each for itself, and for what it would be after steps that are dropped; a new
        request for all of a handler that acts at its end."""
        found: set[tuple[str, Mover, int]] = set()
        for handler, mover, flight in self.movers():
            if mover is None:
                found.update((handler, None, hidden) for hidden in self.hidden(handler, flight, flight))
            elif handler in self.at_end:
                found.add((handler, None, flight))
            else:
                found.add((handler, flight, flight))

        def hide(late: tuple[str, Mover, int]) -> Iterator[tuple[str, Mover, int]]:
            handler, mover, flight = late
            acting = self.views.fresh[handler] if mover is None else mover
            return ((handler, mover, hidden) for hidden in self.hidden(handler, acting, flight))

        return set(closure(found, hide))

    def hidden(self, handler: str, acting: int, flight: int) -> Iterator[int]:
        """Where steps lead that the representative of a flight does not take."""
        for part in self.parts.get(flight, ()):
            known = self.kept.kept.get((acting, part), set())
            for target, after in self.steps[flight, part]:
                is_kept = (target, after) in known and handler not in self.at_end
                if isinstance(target, int) and after == part and not is_kept:
                    yield target
