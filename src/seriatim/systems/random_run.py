"""Sample runs: a random complete interleaving of some requests, the same one for the same seed.

The next request is drawn among those that can move, then one of its moves. Moves that
change nothing are no moves of an `Unfolding`, so a request that spins on a lock waits here instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from seriatim.budget import Deadline
from seriatim.systems.run import Run, Turn
from seriatim.systems.unfolding import INITIAL_GLOBAL, Unfolding


@dataclass(frozen=True, slots=True)
class StuckAtRandom:
    """No complete run: some requests wait for ever."""

    run: Run
    """The run up to that point."""
    waiting: tuple[int, ...]
    """The requests of the run that are in flight."""
    never_begun: tuple[str, ...]
    """The handlers of the requests that could not take their first step."""


@dataclass(frozen=True, slots=True)
class TooLong:
    """No complete run within the largest number of steps."""

    run: Run


class _Request:
    """One of the requests of a run that is being drawn."""

    def __init__(self, handler: int) -> None:
        self.handler = handler
        self.at: int | None = None
        """Its local; None before its first turn."""
        self.number: int | None = None
        """Its number in the run."""


def random_run(
    unfolding: Unfolding,
    handlers: Sequence[int],
    seed: int,
    serial: bool = False,
    max_steps: int = 10_000,
    deadline: Deadline | None = None,
) -> Run | StuckAtRandom | TooLong:
    """One request of each of the given handlers, interleaved; if `serial`, one after the other."""
    random = Random(seed)
    pending = [_Request(handler) for handler in handlers]
    random.shuffle(pending)
    turns: list[Turn] = []
    begun = 0
    global_ = INITIAL_GLOBAL
    while pending:
        if len(turns) == max_steps:
            return TooLong(Run(tuple(turns)))
        if deadline is not None:
            deadline.check()
        options = [
            (request, moves)
            for request in (pending[:1] if serial else pending)
            if (moves := _moves(unfolding, request, global_))
        ]
        if not options:
            return _stuck(unfolding, turns, pending)
        request, moves = random.choice(options)
        local, target, after = random.choice(moves)
        if request.number is None:
            request.number = begun
            begun += 1
        turns.append(Turn(request.number, local, target, global_, after))
        request.at, global_ = target, after
        if target < 0:
            pending.remove(request)
    return Run(tuple(turns))


def _moves(unfolding: Unfolding, request: _Request, global_: int) -> list[tuple[int, int, int]]:
    """The next moves of a request, as (local, target, global after)."""
    if request.at is not None:
        places = [request.at]
    else:
        places = [start for start in unfolding.starts if unfolding.request_of(start) == request.handler]
    return [(local, target, after) for local in places for target, after in unfolding.moves(local, global_)]


def _stuck(unfolding: Unfolding, turns: list[Turn], pending: list[_Request]) -> StuckAtRandom:
    return StuckAtRandom(
        Run(tuple(turns)),
        tuple(sorted(request.number for request in pending if request.number is not None)),
        tuple(sorted(unfolding.requests[request.handler] for request in pending if request.number is None)),
    )


def random_handlers(unfolding: Unfolding, count: int, seed: int) -> list[int]:
    """Some handlers, drawn with repetition; none if there are none."""
    handlers = range(len(unfolding.requests))
    return Random(seed).choices(handlers, k=count) if handlers else []
