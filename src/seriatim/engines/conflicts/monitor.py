"""Cycles of conflicts, followed as a run goes on: which requests are to make the cycle, and how far they are.

In the conflict graph of a run, there is an edge from a request to another one if an action of the first is
followed by a conflicting action of the second. A cycle consists of edges that leave each of its requests by
an action a and enter it by an action b. Call a request *forward* if b comes before a, or is a, and
*backward* if a comes before b. Not all are forward: time would run in a circle. Between two backward
requests, along the cycle, there are only forward ones, so their actions come in the order of the cycle: such
a chain needs no memory but the accesses of its last action, or its last request if that one is still to act,
however long the chain is.

So the monitor for k backward requests follows, for each of them, where it is from its a until its b (the
*back*), and the *front* of the chain that begins with its a. The b of a back closes the chain that begins
with the back before it. All k are closed if and only if the run has a closed walk of conflicts between
different requests, hence a cycle, as `docs/theory/conflicts.md` argues; a cycle with k backward requests is
found by the monitor for k, unless the run has one with fewer. The first a of all is taken for that of back
0: cycles have no beginning.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from seriatim.systems.actions import NOTHING, Label


@dataclass(frozen=True, slots=True)
class Unborn:
    """A back or front that has not begun."""


@dataclass(frozen=True, slots=True)
class At:
    """A request that is still to act, at this local."""

    local: int


@dataclass(frozen=True, slots=True)
class Left:
    """The accesses of the last action of a chain."""

    label: Label
    is_own: bool = False
    """Whether it is the a of the back itself, with which its later actions do not conflict."""


@dataclass(frozen=True, slots=True)
class Closed:
    """A chain that is complete."""


UNBORN = Unborn()
CLOSED = Closed()

Back = Unborn | At | Closed
Front = Unborn | At | Left | Closed


@dataclass(frozen=True, slots=True)
class Monitor:
    """How far k backward requests and the chains that begin with them are."""

    backs: tuple[Back, ...]
    fronts: tuple[Front, ...]

    @property
    def is_closed(self) -> bool:
        return all(back == CLOSED for back in self.backs)

    @property
    def is_full(self) -> bool:
        """Whether all backward requests have begun."""
        return UNBORN not in self.backs

    def list_tracked(self) -> list[int]:
        """The locals of the requests that are still to act for the cycle."""
        return [place.local for place in (*self.backs, *self.fronts) if isinstance(place, At)]

    def with_back(self, index: int, back: Back) -> "Monitor":
        return Monitor((*self.backs[:index], back, *self.backs[index + 1 :]), self.fronts)

    def with_front(self, index: int, front: Front) -> "Monitor":
        return Monitor(self.backs, (*self.fronts[:index], front, *self.fronts[index + 1 :]))


def monitor(backward: int) -> Monitor:
    """The monitor at the start of a run."""
    return Monitor((UNBORN,) * backward, (UNBORN,) * backward)


@dataclass(frozen=True, slots=True)
class Stranger:
    """A request that is not tracked."""


@dataclass(frozen=True, slots=True)
class BackOf:
    index: int


@dataclass(frozen=True, slots=True)
class FrontOf:
    index: int


Part = Stranger | BackOf | FrontOf
"""The role of a request in the cycle."""

STRANGER = Stranger()


def following(state: Monitor, part: Part, label: Label, target: int) -> Iterator[tuple[Monitor, Part]]:
    """Yields what an action may mean for the cycle: the monitor afterwards, and the part of who acted.

    `target` is the next local of the request, negative if it is gone; then it cannot be tracked. What would
    make a cycle with fewer backward requests is left out: the monitor for their number follows that one.
    """
    touching = {index for index, front in enumerate(state.fronts) if _conflicts(front, label)}
    match part:
        case Stranger():
            yield state, STRANGER
            yield from _stranger(state, label, target, touching)
        case FrontOf(index=index):
            if touching:
                return
            if target >= 0:
                yield state.with_front(index, At(target)), part
            if label != NOTHING:
                yield state.with_front(index, Left(label)), STRANGER
        case BackOf(index=index):
            before = (index - 1) % len(state.fronts)
            if _is_own(state.fronts[index]):
                touching.discard(index)
            if touching == {before}:
                yield state.with_back(index, CLOSED).with_front(before, CLOSED), STRANGER
            elif not touching and target >= 0:
                yield state.with_back(index, At(target)), part
        case _:
            assert_never(part)


def _stranger(
    state: Monitor, label: Label, target: int, touching: set[int]
) -> Iterator[tuple[Monitor, Part]]:
    if not touching and target >= 0 and label != NOTHING:
        is_first = all(back == UNBORN for back in state.backs)
        for index, back in enumerate(state.backs):
            if back == UNBORN and (index == 0 or not is_first):
                begun = state.with_back(index, At(target)).with_front(index, Left(label, is_own=True))
                yield begun, BackOf(index)
    if len(touching) == 1:
        (index,) = touching
        yield state.with_front(index, Left(label)), STRANGER
        if target >= 0:
            yield state.with_front(index, At(target)), FrontOf(index)


def _conflicts(front: Front, label: Label) -> bool:
    return isinstance(front, Left) and front.label.conflicts(label) != 0


def _is_own(front: Front) -> bool:
    return isinstance(front, Left) and front.is_own
