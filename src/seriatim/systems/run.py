"""Runs: which request moves when. They prove that an outcome is possible, and reports show them."""

from collections import Counter
from dataclasses import dataclass

from seriatim.program.syntax import Fault
from seriatim.systems.unfolding import INITIAL_GLOBAL, Unfolding

LONG_RUN = 200
"""Runs with more turns than this are shown folded."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One macro step of one request: from its local, or fresh, to another local or to ~completion."""

    request: int
    """Which request of the run, counted from 0 in the order of their first turns."""
    local: int
    target: int
    before: int
    """The global state before."""
    after: int


@dataclass(frozen=True, slots=True)
class Run:
    """The turns of some requests, in time order; numbers are those of one `Unfolding`."""

    turns: tuple[Turn, ...]

    def requests(self) -> int:
        return len({turn.request for turn in self.turns})

    def outcome(self) -> Counter[int]:
        """How often each completion happened."""
        return Counter(~turn.target for turn in self.turns if turn.target < 0)

    def switches(self) -> int:
        """How often a request takes over from another one that is still in flight."""
        return sum(
            earlier.request != later.request and earlier.target >= 0
            for earlier, later in zip(self.turns, self.turns[1:], strict=False)
        )


@dataclass(frozen=True, slots=True)
class FaultyRun:
    """A run, perhaps with requests still in flight, and then a step in which the program makes a mistake."""

    run: Run
    request: int
    """The number of the request that makes that step; the next number if it has not begun."""
    local: int
    before: int
    """The global state before the step."""
    fault: Fault


@dataclass(frozen=True, slots=True)
class StuckRun:
    """A run, and the requests in flight after it, some of them lost."""

    run: Run
    global_: int
    """The global state after the run."""
    in_flight: tuple[tuple[int, int], ...]
    """Pairs (request, local), by number; requests that arrived and took no step come after all others."""
    lost: frozenset[int]
    """Requests that can never complete, by number."""


def replays(run: Run, unfolding: Unfolding) -> bool:
    """Whether this is a complete run of the system: each turn a move, nobody in flight at the end."""
    global_ = INITIAL_GLOBAL
    at: dict[int, int] = {}
    for turn in run.turns:
        if turn.before != global_ or (turn.target, turn.after) not in unfolding.moves(turn.local, global_):
            return False
        is_in_place = (
            turn.local in unfolding.starts if turn.request not in at else at[turn.request] == turn.local
        )
        if not is_in_place:
            return False
        at[turn.request] = turn.target
        global_ = turn.after
    return all(target < 0 for target in at.values())


Step = tuple[int, int, int, int, bool]
"""(local, target, global state before, after, whether the request begins)."""


def run_of(moves: list[Step]) -> Run:
    """Names the requests of a run that is given by its steps.

    Requests at the same local are interchangeable; the one that moved last goes on if it can, so that
    switches are few.
    """
    waiting: dict[int, list[int]] = {}
    turns: list[Turn] = []
    count = 0
    for local, target, before, after, is_spawn in moves:
        if is_spawn:
            request = count
            count += 1
        else:
            request = waiting[local].pop()
        turns.append(Turn(request, local, target, before, after))
        if target >= 0:
            waiting.setdefault(target, []).append(request)
    return Run(tuple(turns))
