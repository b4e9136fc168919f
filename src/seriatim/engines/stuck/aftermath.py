"""What can still happen after a state, whatever arrives, and which requests can never complete

The requests that are in flight are followed one by one; requests that arrive later are a *crowd*, of which
only the locals are known that somebody in it can have, not how many.

Claim: a request that the aftermath calls lost is answered in no run that goes on from the state. Why:
every state of such a run is covered, by induction over its steps. Requests that have not begun are always
allowed. If a request of those in flight moves, the crowd stays as it is, and the aftermath has both
together after the move. If one of the crowd moves, it may be one of several at its local, so the crowd
keeps that local and gains the new one. So a request that is ever answered, or fails, is so in the aftermath.
"""

from seriatim.budget import Deadline
from seriatim.systems.closure import bits
from seriatim.systems.from_input import Origin
from seriatim.systems.limits import LimitReached

GONE = -1
"""The local of a request that was answered."""

Followed = tuple[int, tuple[int, ...]]
"""(global state, the locals of the requests that are followed)."""


class Aftermath:
    """All that can follow a state, as far as `explore` has come."""

    def __init__(self, origin: Origin, global_: int, flying: tuple[int, ...]) -> None:
        self.origin = origin
        self.start: Followed = (global_, flying)
        self.crowds: dict[Followed, int] = {self.start: 0}
        """For each state of those followed the locals of the crowd, as a mask; without fresh ones."""
        self.ended: set[int] = {place for place, local in enumerate(flying) if can_answer(origin, local)}
        """The positions of requests that can be answered or fail."""
        self.starts = frozenset(origin.starts)
        self.pending = [self.start]
        self.work = 0

    def lost(self, max_work: int, deadline: Deadline) -> tuple[int, ...] | None:
        """The positions of requests that never end; None if finding out takes too much work."""
        flying = self.start[1]
        try:
            while self.pending and len(self.ended) < len(flying):
                deadline.check()
                if self.work > max_work:
                    return None
                self.expand(self.pending.pop())
        except LimitReached:
            return None
        return tuple(place for place in range(len(flying)) if place not in self.ended)

    def expand(self, followed: Followed) -> None:
        global_, flying = followed
        crowd = self.crowds[followed]
        for place, local in enumerate(flying):
            if local == GONE:
                continue
            for target, after in self.moves(local, global_):
                if target < 0 or can_answer(self.origin, target):
                    self.ended.add(place)
                self.reach((after, (*flying[:place], max(target, GONE), *flying[place + 1 :])), crowd)
            if can_fail(self.origin, local, global_):
                self.ended.add(place)
        for local in (*self.starts, *bits(crowd)):
            for target, after in self.moves(local, global_):
                joined = 1 << target if target >= 0 and target not in self.starts else 0
                self.reach((after, flying), crowd | joined)

    def moves(self, local: int, global_: int) -> tuple[tuple[int, int], ...]:
        found = self.origin.moves(local, global_)
        self.work += 1 + len(found)
        return found

    def reach(self, followed: Followed, crowd: int) -> None:
        known = self.crowds.get(followed)
        if known is None or crowd & ~known:
            self.crowds[followed] = (known or 0) | crowd
            self.pending.append(followed)


def can_answer(origin: Origin, local: int) -> bool:
    """Whether a request may answer where it is, without a further step."""
    return origin.can_answer(local)


def can_fail(origin: Origin, local: int, global_: int) -> bool:
    """Whether its next step can fail, once its moves are known."""
    return (local, global_) in origin.faults
