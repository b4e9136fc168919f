"""A sample of what a serializable input does: two requests interleaved, and a serial order that explains it.

It only illustrates; nothing depends on it. Runs are drawn from the first few seeds, each exactly the one that
`ser run --requests 2 --seed N` shows, and the most telling one is taken: one request changes the shared state
while the other is under way, in as few steps as possible. All bounds are counts, small ones, on an unfolding
of its own: so the same input always has the same sample, however it was decided, and nobody waits for it.
"""

from itertools import islice

from seriatim.budget import Deadline, OutOfBudget
from seriatim.explain.nearest import nearest_serial
from seriatim.explain.telling import show_run
from seriatim.explain.timeline import Sample
from seriatim.program.inputs import Input
from seriatim.program.syntax import Handler, Program, walk
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.random_run import random_handlers, random_run
from seriatim.systems.run import Run
from seriatim.systems.unfolding import ProgramUnfolding

REQUESTS = 2
SEEDS = 40
MAX_STEPS = 10
MAX_MOMENTS = 12
"""Lines of code that a reader is willing to go through who has not asked for them."""
MAX_STATES = 1_000
MAX_PARTS = 1_000
"""Of the expression that a handler is."""


def interleaving(
    content: Input, source: SourceText, max_moments: int = MAX_MOMENTS, deadline: Deadline | None = None
) -> Sample | None:
    """A sample for a serializable input; None if there is no short one, or no time left."""
    deadline = deadline or Deadline()
    if isinstance(content, Program) and not any(is_short(handler) for handler in content.handlers):
        return None
    try:
        fresh = unfold(content, Limits(MAX_STATES), deadline)
        for run, seed in _drawn(fresh, deadline):
            deadline.check()
            if not _is_short_throughout(run, fresh):
                continue
            shown = show_run(run, fresh, source)
            turns = shown.timeline.turns
            if not shown.timeline.is_folded and sum(len(turn.moments) for turn in turns) <= max_moments:
                nearest = nearest_serial(run.outcome(), fresh, MAX_STATES, deadline)
                if nearest is None or nearest.changed or not nearest.orders:
                    return None
                return Sample(shown, seed, nearest.orders[0])
    except (LimitReached, OutOfBudget):
        pass  # It only illustrates.
    return None


def is_short(handler: Handler) -> bool:
    """Whether a handler is short enough to be told step by step: each small step rewrites all of it."""
    return next(islice(walk(handler.body), MAX_PARTS, None), None) is None


def _is_short_throughout(run: Run, origin: Origin) -> bool:
    if not isinstance(origin, ProgramUnfolding):
        return True
    handlers = {origin.request_of(turn.local) for turn in run.turns}
    return all(is_short(origin.program.handlers[handler]) for handler in handlers)


def _drawn(origin: Origin, deadline: Deadline) -> list[tuple[Run, int]]:
    """Complete interleaved runs with their seeds, the most telling ones first."""
    found: list[tuple[Run, int]] = []
    for seed in range(SEEDS):
        handlers = random_handlers(origin, REQUESTS, seed)
        run = random_run(origin, handlers, seed, max_steps=MAX_STEPS, deadline=deadline)
        if isinstance(run, Run) and run.switches():
            found.append((run, seed))
    return sorted(found, key=lambda drawn: (not _interferes(drawn[0]), len(drawn[0].turns)))


def _interferes(run: Run) -> bool:
    """Whether a request goes on in another shared state than it left."""
    left: dict[int, int] = {}
    for turn in run.turns:
        if left.get(turn.request, turn.before) != turn.before:
            return True
        left[turn.request] = turn.after
    return False
