"""Final values as a part of the outcome: the system with an observer.

An *observer* is a further request with a single step: it answers the values of the observed variables, and
ends the run, in that nobody can move any more. Its step leads from g to (g, ended).

Claim. Let Int_v(S) be the set of pairs (Z, v) of the outcome of a complete run of S and the values of the
observed variables at its end, and Ser_v(S) those of serial runs. With S' the system with the observer,
Int_v(S) ⊆ Ser_v(S) if and only if Int(S') ⊆ Ser(S').

Why: in a complete run of S' without the observer, everybody else does what they do in S. If the observer
moves, it moves once, because after that nobody moves, no observer either; so nobody else is in flight at that
moment, or they would not be answered. Hence Int(S') consists of the outcomes Z of S and of the outcomes
Z + v with (Z, v) in Int_v(S), one for each complete run of S. In the same way, Ser(S') consists of Z and
Z + v for the pairs in Ser_v(S). The observer's answers are answers of nobody else, so the part with v says
that Int_v(S) ⊆ Ser_v(S), and the part without it follows from that. ∎

So this is serializability of S', and all that is right about that is right here. Weights (potential
invariants) hold as before: the observer's step changes no variable.
"""

from seriatim.program.state import GlobalState
from seriatim.properties.derived import ENDED, marked_state, observation, observer
from seriatim.properties.statement import Observed
from seriatim.systems.from_input import Origin
from seriatim.systems.run import Run, Turn
from seriatim.systems.unfolding import INITIAL_GLOBAL, Move

OBSERVER = 0
"""The local of the observer; others come after it."""


class ObservedSystem:
    """A system with an observer; it numbers everything again, on demand."""

    def __init__(self, origin: Origin, observed: Observed) -> None:
        self.origin = origin
        self.observed = None if observed == "all" else frozenset(observed)
        self.requests = (*origin.requests, observer(origin.requests))
        self.starts = (OBSERVER, *(local + 1 for local in origin.starts))
        self.completions: list[tuple[int, str]] = []
        self.global_values: list[tuple[int, ...]] = []
        self.globals: list[tuple[int, bool]] = []
        """(global state of the origin, whether the run has ended)."""
        self._completions: dict[tuple[int, str], int] = {}
        self._globals: dict[tuple[int, bool], int] = {}
        self._moves: dict[tuple[int, int], tuple[Move, ...]] = {}
        self._global(INITIAL_GLOBAL, False)

    def request_of(self, local: int) -> int:
        return len(self.origin.requests) if local == OBSERVER else self.origin.request_of(local - 1)

    def global_state(self, global_: int) -> GlobalState:
        own, has_ended = self.globals[global_]
        return marked_state(self.origin.global_state(own), ENDED, int(has_ended))

    def moves(self, local: int, global_: int) -> tuple[Move, ...]:
        known = self._moves.get((local, global_))
        if known is None:
            known = self._moves[local, global_] = self._explore(local, global_)
        return known

    def _explore(self, local: int, global_: int) -> tuple[Move, ...]:
        own, has_ended = self.globals[global_]
        if has_ended:
            return ()
        if local == OBSERVER:
            seen = observation(self.origin.global_state(own), self.observed)
            return ((~self._completion(len(self.origin.requests), seen), self._global(own, True)),)
        return tuple(
            (
                target + 1 if target >= 0 else ~self._completion(*self.origin.completions[~target]),
                self._global(after, False),
            )
            for target, after in self.origin.moves(local - 1, own)
        )

    @property
    def observer(self) -> int:
        return len(self.origin.requests)

    def way_back(self, run: Run) -> tuple[Run, tuple[int, ...]]:
        """The same run of the origin, which has no barriers."""
        turns = (
            Turn(
                turn.request,
                turn.local - 1,
                turn.target - 1 if turn.target >= 0 else self._find_answered(turn),
                self.globals[turn.before][0],
                self.globals[turn.after][0],
            )
            for turn in run.turns
            if turn.local != OBSERVER
        )
        return Run(tuple(turns)), ()

    def _find_answered(self, turn: Turn) -> int:
        """The completion of a turn in the origin."""
        return ~self.origin.completions.index(self.completions[~turn.target])

    def _global(self, own: int, has_ended: bool) -> int:
        number = self._globals.get((own, has_ended))
        if number is None:
            number = self._globals[own, has_ended] = len(self.globals)
            self.globals.append((own, has_ended))
            self.global_values.append(self.origin.global_values[own])
        return number

    def _completion(self, request: int, response: str) -> int:
        number = self._completions.get((request, response))
        if number is None:
            number = self._completions[request, response] = len(self.completions)
            self.completions.append((request, response))
        return number
