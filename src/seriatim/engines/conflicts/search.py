"""Search for a run with a cycle of conflicts, over the number of requests.

Claim: what is found is a run of the system whose conflict graph has a cycle, with as few requests as any, if
no limit was met. States are (g, multiset of locals in flight, monitor), the requests that the monitor tracks
not counted among those in flight. All states with n requests are explored before any with n + 1, for all
numbers of backward requests up to n in turn; a cycle of conflicts has at least as many requests as backward
ones, so none with n requests is missed.
"""

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
from seriatim.engines.shared.layers import Flying, Layers, beside, movers
from seriatim.systems.actions import Action, ActionSystem
from seriatim.systems.limits import LimitReached
from seriatim.systems.unfolding import INITIAL_GLOBAL

ANSWERED = -1
"""A target of nobody in flight."""


@dataclass(frozen=True, slots=True)
class ConflictState:
    global_: int
    flying: Flying
    """The locals of requests in flight that are not tracked, sorted."""
    monitor: Monitor


@dataclass(frozen=True, slots=True)
class ConflictStep:
    """An action of a request, in the part that it had, and its part afterwards."""

    before: ConflictState
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
                before = search.count
                found = search.up_to(requests, last - self.explored, deadline)
                self.explored += search.count - before
                self.is_cut |= search.layers.is_cut
                if found is not None:
                    return found
                if not search.is_done(requests):
                    return None
            if all(search.layers.is_exhausted for search in self.searches):
                return None
            self.clean_up_to = requests
        return None


class BackwardSearch:
    """The search for cycles with a fixed number of backward requests."""

    def __init__(self, system: ActionSystem, backward: int) -> None:
        self.system = system
        self.layers: Layers[ConflictState, ConflictStep] = Layers(
            ConflictState(INITIAL_GLOBAL, (), monitor(backward))
        )
        self.count = 0
        """How many states were visited."""

    def is_done(self, requests: int) -> bool:
        """Whether all runs with this many requests are explored."""
        return self.layers.is_exhausted or (self.layers.layer >= requests and not self.layers.bucket)

    def up_to(self, requests: int, states: int, deadline: Deadline) -> tuple[Acted, ...] | None:
        return self.layers.advance(states, deadline, self.visit, most=requests)

    def visit(self, state: ConflictState) -> tuple[Acted, ...] | None:
        self.count += 1
        if state.monitor.is_closed:
            return self.run_to(state)
        for local, spawns, others in movers(state.flying, self.system.starts):
            self.act(state, local, STRANGER, others, spawns)
        for i, back in enumerate(state.monitor.backs):
            if isinstance(back, At):
                self.act(state, back.local, BackOf(i), list(state.flying))
        for i, front in enumerate(state.monitor.fronts):
            if isinstance(front, At):
                self.act(state, front.local, FrontOf(i), list(state.flying))
        return None

    def act(
        self, state: ConflictState, local: int, part: Part, others: list[int], spawns: bool = False
    ) -> None:
        try:
            actions = self.system.actions(local, state.global_)
        except LimitReached:
            self.layers.is_cut = True
            return
        for action in actions:
            for after, then in following(state.monitor, part, action.label, action.target):
                flying = beside(others, action.target if then == STRANGER else ANSWERED)
                step = ConflictStep(state, local, part, action, then, spawns)
                self.layers.reach(state, step, ConflictState(action.after, flying, after), spawns)

    def run_to(self, state: ConflictState) -> tuple[Acted, ...]:
        strangers: dict[int, list[int]] = {}
        """The untracked requests at each local."""
        tracked: dict[Part, int] = {}
        run: list[Acted] = []
        count = 0
        for step in self.layers.path(state):
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
