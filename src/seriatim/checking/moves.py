"""The moves that complete runs can consist of, found with the reference semantics.

A *flight* is a request with its local state (`seriatim.checking.flights`). A move is a step of a flight,
after which it may be answered, or the answer of a fresh request without a step. Fresh requests come from
nowhere; there may also be steps back to a local state of fresh requests, which then counts as a flight like
any other. Left out are moves that change nothing, which no run needs; moves that a cover excludes, which no
run has; and moves to flights that are never answered, which no complete run has.
"""

from dataclasses import dataclass

from seriatim.certificate.in_flight import Waiting
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Completion
from seriatim.checking.cover import Precision, close_cover, hopeful
from seriatim.checking.flights import Flights
from seriatim.checking.reference import Reference, State
from seriatim.program.state import GlobalState


@dataclass(frozen=True, slots=True)
class Move:
    takes: int | None
    """The flight that moves; None for a fresh request."""
    before: GlobalState
    gives: int | None
    """The flight that it becomes; None if it is answered."""
    after: GlobalState
    answer: Completion | None


class Moves:
    """All moves, and how the flights in them are described."""

    def __init__(self, reference: Reference[State], precision: Precision, allowance: Allowance) -> None:
        flights = Flights(reference, allowance)
        kept = hopeful(flights, precision)
        cover = self.cover = close_cover(flights, precision, is_serial=False, hopeful=kept)
        steps = [
            (flight, before, target, after)
            for node in cover.nodes
            for before in (node[0],)
            for flight in (*flights.fresh, *cover.at(node))
            for target, after in flights.steps(flight, before)
            if (isinstance(target, str) or target in kept) and (target, after) != (flight, before)
        ]
        entered = {target for _, _, target, _ in steps if isinstance(target, int)}
        self.initial: GlobalState = reference.initial
        states = flights.globals
        self.all: list[Move] = []
        for flight, before, target, after in steps:
            answer = (flights.known[flight][0], target) if isinstance(target, str) else None
            gives = target if isinstance(target, int) else None
            if flight in flights.fresh:
                self.all.append(Move(None, states[before], gives, states[after], answer))
            if flight in entered:
                self.all.append(Move(flight, states[before], gives, states[after], answer))
        self.flights = sorted(entered)
        self._descriptions = {
            flight: (flights.known[flight][0], *reference.description(flights.known[flight][1]))
            for flight in self.flights
        }
        self.all.sort(key=self._content)

    def _content(self, move: Move) -> str:
        """Says what a move is in terms of the input: numbers of flights differ from one process to the
        next."""
        flights = [
            None if flight is None else self._descriptions[flight] for flight in (move.takes, move.gives)
        ]
        return repr((move.before, move.after, move.answer, flights))

    def waiting(self, flight: int) -> Waiting:
        """How a flight is described."""
        return Waiting(*self._descriptions[flight])

    def is_described(self, flight: int, waiting: Waiting) -> bool:
        handler, code, values = self._descriptions[flight]
        return (waiting.handler, waiting.code) == (handler, code) and set(waiting.values) <= set(values)

    def globals(self) -> list[GlobalState]:
        """The global states that occur."""
        occurring = {self.initial: None}
        for move in self.all:
            occurring[move.before] = occurring[move.after] = None
        return list(occurring)
