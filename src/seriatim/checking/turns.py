"""Runs, replayed turn by turn.

A turn records a request, the global state that it leaves and the answer, but no local state. The checker
keeps, for each request, the set of all local states in which it can be. Claim: the joint local states that
the turns so far allow are exactly the product of these sets. It holds before the first turn. A turn moves one
request, and what that request can do depends on its own local state and on the global state, which is
recorded, but on no other local state; so its set becomes the image of itself under such steps, and the other
sets stay. Hence the run exists if and only if no set becomes empty on the way; and in the end, any choice of
one local state from each set is reachable.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic

from seriatim.certificate.turns import Turn
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import Obligation, unless
from seriatim.checking.reference import Reference, State
from seriatim.checking.words import counted
from seriatim.program.state import GlobalState
from seriatim.source import quote

After = Callable[[int, Turn, frozenset[State], GlobalState], frozenset[State]]
"""Where a request can be after the turn with this number, by where it can be before, and the global state."""


def check_numbers(turns: tuple[Turn, ...], begun: dict[int, str] | None = None) -> Obligation:
    """Checks that requests are numbered in the order of their first turns, and that none changes its
    handler, which `begun` may name in advance."""
    handlers: dict[int, str] = {}
    wrong: str | None = None
    for number, turn in enumerate(turns, 1):
        if turn.request not in handlers and turn.request != len(handlers) + 1:
            wrong = wrong or f"turn {number}: request {turn.request} should be request {len(handlers) + 1}"
        if handlers.setdefault(turn.request, turn.handler) != turn.handler:
            was = quote(handlers[turn.request])
            wrong = wrong or f"turn {number}: request {turn.request} was {was} before"
    agrees = all(handlers.get(request, own) == own for request, own in (begun or {}).items())
    claim = "requests are numbered by their first turns, and none changes its handler"
    said = f"{counted(len(turns), 'turn')} of {counted(len(handlers), 'request')}"
    return Obligation(claim, wrong is None and agrees, wrong or said)


@dataclass(frozen=True, slots=True)
class Replayed(Generic[State]):
    """Where requests can be after a run."""

    places: dict[int, frozenset[State]]
    global_: GlobalState
    turns: tuple[Turn, ...]
    failed: int | None = None
    """The number of the first turn after which its request can be nowhere."""

    def obligation(self, claim: str, does: Callable[[Turn], str] = lambda _: "do that there") -> Obligation:
        """The obligation that every turn is such a step; `does` says what a wrong turn would do."""
        wrong: str | None = None
        if self.failed is not None:
            turn = self.turns[self.failed - 1]
            whose = f"turn {self.failed}: request {turn.request}, {quote(turn.handler)},"
            wrong = f"{whose} cannot {does(turn)}"
        return unless(wrong, claim, "replayed", self.turns)


def replay(
    reference: Reference[State],
    turns: tuple[Turn, ...],
    allowance: Allowance,
    after: After[State] | None = None,
) -> Replayed[State]:
    """Replays turns up to the first one that is not a step; `after` may restrict which steps count."""
    places: dict[int, frozenset[State]] = {}
    global_ = reference.initial
    for number, turn in enumerate(turns, 1):
        before = places.get(turn.request)
        if before is None:
            before = reference.fresh(turn.handler)
        if after is None:
            possible = after_turn(reference, before, global_, turn, allowance)
        else:
            possible = after(number, turn, before, global_)
        if not possible:
            return Replayed(places, global_, turns, number)
        # An answered request is nowhere, so that it can take no further turn.
        places[turn.request] = possible if turn.response is None else frozenset()
        global_ = turn.after
    return Replayed(places, global_, turns)


def after_turn(
    reference: Reference[State],
    before: frozenset[State],
    global_: GlobalState,
    turn: Turn,
    allowance: Allowance,
) -> frozenset[State]:
    """The local states, from those before, in which the request can be at the end of its turn.

    A turn is a step, after which the request may answer. One that can answer as it is may do so without.
    """
    moved: set[State] = set()
    for state in before:
        allowance.spend()
        moved.update(target for target, after in reference.steps(state, global_) if after == turn.after)
    return at_the_end(reference, turn, moved, before if turn.after == global_ else ())


def at_the_end(
    reference: Reference[State], turn: Turn, moved: Iterable[State], unmoved: Iterable[State] = ()
) -> frozenset[State]:
    """Where a request can be at the end of its turn, if a step has led there, or if it answers as it is."""
    if turn.response is None:
        return frozenset(moved)
    return frozenset(state for state in (*moved, *unmoved) if turn.response in reference.answers(state))
