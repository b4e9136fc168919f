"""Proof that no run has a cycle of conflicts: the monitor, beside whatever a closure allows.

States are (g, monitor): the global state and the requests that the monitor tracks. Everybody else is
over-approximated: any request that the closure allows at g beside each tracked one may act.

Claim: if no reachable state is closed, for any number k of backward requests up to the bound, no run has a
cycle. For a shortest cycle has no more requests than the bound, so no more backward ones; and the monitor
for the fewest backward requests that any cycle has would close on it (`docs/theory/conflicts.md`). If for
some k not all k backward requests can begin, then for k + 1 not even k of them can, and nothing is left to
explore.
"""

from dataclasses import dataclass, replace

from seriatim.budget import Deadline
from seriatim.closure import reached
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
from seriatim.systems.actions import GONE, NOTHING, Action, ActionSystem, Label
from seriatim.systems.closure import Coverage, bits
from seriatim.systems.limits import LimitReached
from seriatim.systems.unfolding import INITIAL_GLOBAL


@dataclass(frozen=True, slots=True)
class PlotState:
    global_: int
    monitor: Monitor


def no_cycle(system: ActionSystem, coverage: Coverage, max_states: int, deadline: Deadline) -> bool:
    """Whether no run has a cycle of conflicts, as far as the coverage tells; raises `LimitReached`."""
    states = 0
    relevant = RelevantActions(system, coverage)
    for backward in range(1, relevant.longest_cycle() + 1):
        exploration = PlotExploration(relevant, coverage, backward, max_states - states, deadline)
        if not exploration.stays_open():
            return False
        if not exploration.is_full:
            break
        states += len(exploration.seen)
    return True


class RelevantActions:
    """The actions that the coverage allows, as far as they matter to cycles.

    Of its accesses, an action keeps those of variables that some action writes; what it writes, it need not
    read as well. Who will have no such accesses any more is gone.
    """

    def __init__(self, system: ActionSystem, coverage: Coverage) -> None:
        found = {
            (local, global_): system.actions(local, global_)
            for global_ in coverage.globals()
            for local in bits(coverage.find_covered(global_))
        }
        self.written = 0
        """The variables that some action writes, as bits."""
        for actions in found.values():
            for action in actions:
                self.written |= action.label.writes
        labelled = {place: tuple(map(self._label, actions)) for place, actions in found.items()}
        active = self._active(labelled)
        self._actions = {
            place: tuple(
                dict.fromkeys(
                    action if action.target in active else replace(action, target=GONE) for action in actions
                )
            )
            for place, actions in labelled.items()
        }

    def _label(self, action: Action) -> Action:
        label = action.label
        return replace(action, label=Label(label.reads & self.written & ~label.writes, label.writes))

    @staticmethod
    def _active(actions: dict[tuple[int, int], tuple[Action, ...]]) -> set[int]:
        """The locals from which some action with accesses can follow."""
        steps = [(local, action) for (local, _), found in actions.items() for action in found]
        active = {local for local, action in steps if action.label != NOTHING}
        return reached(active, ((action.target, local) for local, action in steps))

    def longest_cycle(self) -> int:
        """How many requests a shortest cycle can have."""
        only_read = 0
        for actions in self._actions.values():
            for action in actions:
                only_read |= action.label.reads
        edges = self.written.bit_count() + only_read.bit_count()
        return max(3, edges) if edges else 0

    def of(self, local: int, global_: int) -> tuple[Action, ...]:
        return self._actions[local, global_]


class PlotExploration:
    """All states that can be reached, as far as the coverage tells."""

    def __init__(
        self,
        actions: RelevantActions,
        coverage: Coverage,
        backward: int,
        max_states: int,
        deadline: Deadline,
    ) -> None:
        self.actions = actions
        self.coverage = coverage
        self.max_states = max_states
        self.deadline = deadline
        start = PlotState(INITIAL_GLOBAL, monitor(backward))
        self.seen = {start}
        self.pending = [start]
        self.is_full = False
        """Whether all backward requests have begun somewhere."""
        self._strangers: dict[int, list[tuple[int, Action]]] = {}

    def stays_open(self) -> bool:
        """Explores all states; returns whether none is closed."""
        while self.pending:
            self.deadline.check()
            if len(self.seen) > self.max_states:
                raise LimitReached("--max-states", self.max_states)
            state = self.pending.pop()
            for part, action in self.acts(state):
                for after, _ in following(state.monitor, part, action.label, action.target):
                    if after.is_closed:
                        return False
                    self.reach(PlotState(action.after, after))
        return True

    def reach(self, state: PlotState) -> None:
        if state not in self.seen:
            self.is_full |= state.monitor.is_full
            self.seen.add(state)
            self.pending.append(state)

    def acts(self, state: PlotState) -> list[tuple[Part, Action]]:
        """The requests that may act, and their actions."""
        found: list[tuple[Part, Action]] = []
        for index, back in enumerate(state.monitor.backs):
            if isinstance(back, At):
                found += [(BackOf(index), each) for each in self.actions.of(back.local, state.global_)]
        for index, front in enumerate(state.monitor.fronts):
            if isinstance(front, At):
                found += [(FrontOf(index), each) for each in self.actions.of(front.local, state.global_)]
        beside = self.beside(state)
        found += [
            (STRANGER, action) for local, action in self.strangers(state.global_) if beside >> local & 1
        ]
        return found

    def strangers(self, global_: int) -> list[tuple[int, Action]]:
        """The actions of the requests that can be there."""
        known = self._strangers.get(global_)
        if known is None:
            known = self._strangers[global_] = [
                (local, action)
                for local in bits(self.coverage.find_covered(global_))
                for action in self.actions.of(local, global_)
            ]
        return known

    def beside(self, state: PlotState) -> int:
        """The locals at which others can be beside everybody who is tracked, as bits."""
        mask = self.coverage.find_covered(state.global_)
        for local in state.monitor.list_tracked():
            mask &= self.coverage.together(state.global_, local)
        return mask
