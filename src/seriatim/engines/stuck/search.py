"""Search for a stuck run: a state with requests in flight that can never complete, with few requests.

States are (g, multiset of locals in flight), as in the search for failing steps; what was answered does
not matter. A request that arrives and cannot even take its first step is in flight, too.

A state from which some way leads to one where nobody is in flight is *harmless*: there, everybody can
still complete. What is left, the states with the fewest requests first, is looked at through its
aftermath, which alone tells whether anybody is lost: a request that only waits for one that may still come
is not.
"""

from collections import Counter
from collections.abc import Callable

from seriatim.budget import Deadline
from seriatim.engines.shared.layers import Flying, Layers, beside, movers
from seriatim.method import Minimality
from seriatim.systems.closure import bits
from seriatim.systems.from_input import Origin
from seriatim.systems.limits import LimitReached
from seriatim.systems.run import Run, Step, StuckRun, run_of
from seriatim.systems.unfolding import INITIAL_GLOBAL

State = tuple[int, Flying]

START: State = (INITIAL_GLOBAL, ())

WORK_PER_STATE = 20
"""How much work aftermaths may do for each state that the search may explore."""

WORK_FOR_ONE = 4_000
"""How much of it one of them may do."""


GONE = -1
"""The local of a request that was answered."""

Followed = tuple[int, tuple[int, ...]]
"""(global state, the locals of the requests that are followed)."""


class StuckSearch:
    """A search that can be continued, up to more and more requests."""

    def __init__(self, origin: Origin, matters: Callable[[int], bool] = lambda _: True) -> None:
        self.origin = origin
        self.matters = matters
        """Whether requests at a local must not wait for ever."""
        self.layers: Layers[State, Step | None] = Layers(START)
        """No step if a request arrived and has to wait."""
        self.reached_from: dict[State, list[State]] = {START: []}
        self.explored: dict[State, None] = {}
        self.judged: set[State] = set()
        """States that are not known to be harmless, but whose aftermath has no lost request."""

    def advance(self, states: int, deadline: Deadline) -> tuple[StuckRun, Minimality] | None:
        """Explores up to this many states, then examines those that are not harmless."""
        self.layers.advance(states, deadline, self.visit)
        return self.judge(states * WORK_PER_STATE, deadline)

    def judge(self, max_work: int, deadline: Deadline) -> tuple[StuckRun, Minimality] | None:
        """The first state in whose aftermath somebody is lost, with whether any other comes before it."""
        harmless = self.harmless()
        suspects = [state for state in self.explored if state not in harmless and state not in self.judged]
        if not suspects:
            return None
        fewest_to = self.layers.count_requests
        suspects.sort(key=fewest_to)
        fewest = min(map(fewest_to, (*suspects, *self.judged - harmless)), default=0)
        for state in suspects:
            if max_work <= 0:
                break
            aftermath = Aftermath(self.origin, *state)
            lost = aftermath.lost(min(max_work, WORK_FOR_ONE), deadline)
            max_work -= aftermath.work
            lost_for_us = tuple(place for place in lost or () if self.matters(state[1][place]))
            if lost_for_us:
                is_minimal = not self.layers.is_cut and fewest_to(state) == fewest
                return self.make_run(
                    state, lost_for_us
                ), Minimality.PROVED if is_minimal else Minimality.UNKNOWN
            self.judged.add(state)
        return None

    def clean_up_to(self) -> int:
        """There is no stuck run with at most this many requests."""
        harmless = self.harmless()
        bad = (self.layers.count_requests(state) for state in self.explored if state not in harmless)
        return 0 if self.layers.is_cut else max(0, min([self.layers.layer, *bad]) - 1)

    def visit(self, state: State) -> None:
        """Takes all steps from a state."""
        self.explored[state] = None
        global_, flying = state
        for local, spawns, others in movers(flying, self.origin.starts):
            try:
                moves = self.origin.moves(local, global_)
            except LimitReached:
                self.layers.is_cut = True
                continue
            for target, after in moves:
                step = (local, target, global_, after, spawns)
                self.reach(state, step, (after, beside(others, target)), spawns)
            if spawns and not moves and local not in others:
                self.reach(state, None, (global_, beside(others, local)), spawns)

    def reach(self, before: State, step: Step | None, state: State, spawns: bool) -> None:
        self.reached_from.setdefault(state, []).append(before)
        self.layers.reach(before, step, state, spawns)

    def harmless(self) -> set[State]:
        """The states from which some path leads to one without a request in flight that matters."""
        found = {state for state in self.layers.came_from if not any(map(self.matters, state[1]))}
        pending = list(found)
        while pending:
            for before in self.reached_from[pending.pop()]:
                if before not in found:
                    found.add(before)
                    pending.append(before)
        return found

    def make_run(self, state: State, lost: tuple[int, ...]) -> StuckRun:
        """The run to a state; `lost` are places among its locals."""
        run, arrived = self.run_to(state)
        resting = {turn.request: turn.target for turn in run.turns}
        in_flight = [(request, local) for request, local in resting.items() if local >= 0]
        in_flight += list(enumerate(arrived, len(resting)))
        in_flight.sort()
        lost_locals = {state[1][place] for place in lost}
        numbers = frozenset(request for request, local in in_flight if local in lost_locals)
        return StuckRun(run, state[0], tuple(in_flight), numbers)

    def run_to(self, state: State) -> tuple[Run, list[int]]:
        """The run, and the locals of those who arrived and took no step."""
        path: list[tuple[Counter[int], Step | None]] = []
        at = state
        while (origin := self.layers.came_from[at]) is not None:
            _, before, step = origin
            path.append((Counter(at[1]) - Counter(before[1]), step))
            at = before
        arrived: list[int] = []
        steps: list[Step] = []
        for added, step in reversed(path):
            if step is None:
                arrived += added
            elif not step[4] and step[0] in arrived:
                arrived.remove(step[0])
                steps.append((*step[:4], True))
            else:
                steps.append(step)
        return run_of(steps), arrived


class Aftermath:
    """What can still happen after a state, whatever arrives, and which requests can never complete.

    The requests that are in flight are followed one by one; requests that arrive later are a *crowd*, of
    which only the locals are known that somebody in it can have, not how many.

    Claim: a request that the aftermath calls lost is answered in no run that goes on from the state. Why:
    every state of such a run is covered, by induction over its steps. Requests that have not begun are always
    allowed. If a request of those in flight moves, the crowd stays as it is, and the aftermath has both
    together after the move. If one of the crowd moves, it may be one of several at its local, so the crowd
    keeps that local and gains the new one. So a request that is ever answered, or fails, is so in the
    aftermath.
    """

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
