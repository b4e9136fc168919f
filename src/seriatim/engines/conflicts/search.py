"""Search for a run with a cycle of conflicts, over the number of requests.

Claim: what is found is a run of the system whose conflict graph has a cycle, with as few requests as any, if
no limit was met. States are (g, multiset of locals in flight, monitor), the requests that the monitor tracks
not counted among those in flight. All states with n requests are explored before any with n + 1, for all
numbers of backward requests up to n in turn; a cycle of conflicts has at least as many requests as backward
ones, so none with n requests is missed.
"""

from collections import deque
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.engines.conflicts.monitor import (
    STRANGER,
    At,
    BackOf,
    FrontOf,
    Monitor,
    Part,
    following,
    monitor,
)
from seriatim.systems.actions import Action, ActionSystem
from seriatim.systems.limits import LimitReached
from seriatim.systems.unfolding import INITIAL_GLOBAL


@dataclass(frozen=True, slots=True)
class State:
    global_: int
    flying: tuple[int, ...]
    """The locals of requests in flight that are not tracked, sorted."""
    monitor: Monitor


@dataclass(frozen=True, slots=True)
class Step:
    """An action of a request, in the part that it had, and its part afterwards."""

    before: State
    local: int
    part: Part
    action: Action
    then: Part
    spawns: bool


@dataclass(frozen=True, slots=True)
class Acted:
    """One action of a run of an action system."""

    request: int
    """Counted from 0 in the order of their first actions."""
    local: int
    before: int
    """The global state."""
    action: Action


class ConflictSearch:
    """A search that can be continued, up to more and more requests."""

    def __init__(self, system: ActionSystem) -> None:
        self.system = system
        self.clean_up_to = 0
        """There is no violation with at most this many requests."""
        self.is_cut = False
        """Whether a limit hid some states."""
        self.explored = 0
        self.searches = [BackwardSearch(system, 1)]
        """The searches for 1, 2, … backward requests."""

    def advance(self, states: int, deadline: Deadline) -> tuple[Acted, ...] | None:
        """Explores about this many more states; returns a run with a cycle of conflicts if it finds one."""
        last = self.explored + states
        while self.explored < last:
            requests = self.clean_up_to + 1
            if len(self.searches) < requests:
                self.searches.append(BackwardSearch(self.system, requests))
            for search in self.searches:
                found = search.up_to(requests, last - self.explored, deadline)
                self.explored += search.take_count()
                self.is_cut |= search.is_cut
                if found is not None:
                    return found
                if not search.is_done(requests):
                    return None
            if all(search.is_exhausted for search in self.searches):
                return None
            self.clean_up_to = requests
        return None


class BackwardSearch:
    """The search for cycles with a fixed number of backward requests."""

    def __init__(self, system: ActionSystem, backward: int) -> None:
        self.system = system
        start = State(INITIAL_GLOBAL, (), monitor(backward))
        self.came_from: dict[State, Step | None] = {start: None}
        self.fewest = {start: 0}
        """The smallest known number of requests with which each state is reached."""
        self.bucket = deque([start])
        self.next_bucket: list[State] = []
        self.requests = 0
        self.is_cut = False
        self._count = 0

    @property
    def is_exhausted(self) -> bool:
        return not self.bucket and not self.next_bucket

    def is_done(self, requests: int) -> bool:
        """Whether all runs with this many requests are explored."""
        return self.is_exhausted or (self.requests >= requests and not self.bucket)

    def take_count(self) -> int:
        count, self._count = self._count, 0
        return count

    def up_to(self, requests: int, states: int, deadline: Deadline) -> tuple[Acted, ...] | None:
        while self._count < states:
            if not self.bucket:
                if self.requests >= requests or not self.next_bucket:
                    return None
                self.requests += 1
                self.bucket.extend(state for state in self.next_bucket if self.fewest[state] == self.requests)
                self.next_bucket = []
                continue
            deadline.check()
            self._count += 1
            if self.bucket[0].monitor.is_closed:
                return self.run_to(self.bucket[0])
            self.expand(self.bucket[0])
            self.bucket.popleft()
        return None

    def expand(self, state: State) -> None:
        movers: list[tuple[int, Part, bool]] = [
            (local, STRANGER, False) for local in dict.fromkeys(state.flying)
        ]
        movers += [(local, STRANGER, True) for local in self.system.starts]
        movers += [
            (b.local, BackOf(i), False) for i, b in enumerate(state.monitor.backs) if isinstance(b, At)
        ]
        movers += [
            (f.local, FrontOf(i), False) for i, f in enumerate(state.monitor.fronts) if isinstance(f, At)
        ]
        for local, part, spawns in movers:
            try:
                actions = self.system.actions(local, state.global_)
            except LimitReached:
                self.is_cut = True
                continue
            for action in actions:
                for after, then in following(state.monitor, part, action.label, action.target):
                    self.reach(Step(state, local, part, action, then, spawns), after)

    def reach(self, step: Step, after: Monitor) -> None:
        """The state after a step; it may have been reached before, but with more requests."""
        flying = list(step.before.flying)
        if step.part == STRANGER and not step.spawns:
            flying.remove(step.local)
        if step.then == STRANGER and step.action.target >= 0:
            flying.append(step.action.target)
        state = State(step.action.after, tuple(sorted(flying)), after)
        requests = self.requests + step.spawns
        if self.fewest.get(state, requests + 1) > requests:
            self.fewest[state] = requests
            self.came_from[state] = step
            (self.next_bucket if step.spawns else self.bucket).append(state)

    def run_to(self, state: State) -> tuple[Acted, ...]:
        steps: list[Step] = []
        step = self.came_from[state]
        while step is not None:
            steps.append(step)
            step = self.came_from[step.before]
        strangers: dict[int, list[int]] = {}
        """The untracked requests at each local."""
        tracked: dict[Part, int] = {}
        run: list[Acted] = []
        count = 0
        for step in reversed(steps):
            if step.spawns:
                request, count = count, count + 1
            elif step.part == STRANGER:
                request = strangers[step.local].pop()
            else:
                request = tracked.pop(step.part)
            if step.then != STRANGER:
                tracked[step.then] = request
            elif step.action.target >= 0:
                strangers.setdefault(step.action.target, []).append(request)
            run.append(Acted(request, step.local, step.before.global_, step.action))
        return tuple(run)
