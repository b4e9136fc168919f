"""Search by layers: all states that n requests can reach before any that need n + 1, shortest runs first.

A search says what a state is, and visits states: `visit` looks whether one is bad, and calls `reach` for all
that come after it. A state that was reached with n requests, and later with fewer, is visited once, with
fewer. So the first bad state that is met has as few requests as any, if nothing was cut.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, TypeVar

from seriatim.budget import Deadline

State = TypeVar("State", bound=Hashable)
Step = TypeVar("Step")
Found = TypeVar("Found")

Flying = tuple[int, ...]
"""The locals of requests in flight, sorted."""


NEW: Any = object()
"""Where a state comes from that was not met."""


def nothing() -> None:
    """Nothing was found."""


class Layers(Generic[State, Step]):
    """A search that can be continued."""

    def __init__(self, start: State) -> None:
        self.came_from: dict[State, tuple[int, State, Step] | None] = {start: None}
        """The fewest requests, the state before, and the step; None for the start and what was dropped."""
        self.bucket = deque([start])
        self.next_bucket: list[State] = []
        self.layer = 0
        """The number of requests in the current bucket; smaller buckets are done."""
        self.is_cut = False
        """Whether a limit hid some states."""

    @property
    def is_exhausted(self) -> bool:
        return not self.bucket and not self.next_bucket

    def clean_up_to(self) -> int:
        """Return a number of requests with which no bad state is reached, if none was found."""
        if self.is_cut:
            return 0
        return max(0, self.layer - 1) if self.bucket else self.layer

    def next_state(self, most: int | None = None) -> State | None:
        """Return the state to visit next, which stays the next one until it is taken from the bucket."""
        while not self.bucket:
            if not self.next_bucket or self.layer == most:
                return None
            layer, known = self.layer + 1, self.came_from
            self.layer = layer
            self.bucket.extend(
                [state for state in self.next_bucket if (origin := known[state]) and origin[0] == layer]
            )
            self.next_bucket = []
        return self.bucket[0]

    def advance(
        self,
        states: int,
        deadline: Deadline,
        visit: Callable[[State], Found | None],
        end_layer: Callable[[], Found | None] = nothing,
        most: int | None = None,
    ) -> Found | None:
        """Visit up to this many states; return what `visit` finds, or `end_layer` when a bucket is empty.

        With `most`, states that need more requests are left for later."""
        for _ in range(states):
            if not self.bucket and (found := end_layer()) is not None:
                return found
            state = self.next_state(most)
            if state is None:
                return None
            deadline.check()
            found = visit(state)
            if found is not None:
                return found
            self.bucket.popleft()  # only now: if time runs out on the way, the state is still to be done
        return None

    def count_requests(self, state: State) -> int:
        """Return the fewest requests with which a state is known to be reached."""
        origin = self.came_from[state]
        return 0 if origin is None else origin[0]

    def reach(self, before: State, step: Step, state: State, spawns: bool) -> None:
        """Add the state after a step; it may have been reached before, but with more requests."""
        known = self.came_from.get(state, NEW)
        layer = self.layer + spawns
        if known is NEW or (known is not None and known[0] > layer):
            self.came_from[state] = (layer, before, step)
            if spawns:
                self.next_bucket.append(state)
            else:
                self.bucket.append(state)

    def meet(self, before: State, step: Step, state: State, spawns: bool) -> None:
        """Add the state after a step, which was never met. Where states tell how many requests there are,
        none is reached again with fewer."""
        if spawns:
            self.came_from[state] = (self.layer + 1, before, step)
            self.next_bucket.append(state)
        else:
            self.came_from[state] = (self.layer, before, step)
            self.bucket.append(state)

    def drop(self, state: State) -> None:
        """Never visit a state."""
        self.came_from[state] = None

    def path(self, state: State) -> list[Step]:
        """Return the steps from the start to a state."""
        steps: list[Step] = []
        while (origin := self.came_from[state]) is not None:
            _, state, step = origin
            steps.append(step)
        return steps[::-1]


def movers(flying: Flying, starts: tuple[int, ...]) -> Iterator[tuple[int, bool, list[int]]]:
    """List who can move: a local, whether the request begins, and the others in flight."""
    for local in dict.fromkeys(flying):
        others = list(flying)
        others.remove(local)
        yield local, False, others
    for local in starts:
        yield local, True, list(flying)


def beside(others: list[int], target: int) -> Flying:
    """Return who is in flight after a move to a target."""
    return tuple(sorted((*others, target) if target >= 0 else others))
