"""A sample of what a serializable input does: two requests interleaved, and a serial order that explains it.

It is only an illustration; nothing depends on it. Runs are drawn from the first few seeds, each exactly as
`ser run --requests 2 --seed N` shows, and the most telling one is taken: one request changes the shared state
while the other is under way, in as few steps as possible. All bounds are counts, small ones, on an unfolding
of its own: so the same input always has the same sample, however it was decided, and it takes no time.
"""

from itertools import islice

from seriatim.budget import Deadline, OutOfBudget
from seriatim.explain.nearest import nearest_serial
from seriatim.explain.telling import show_run
from seriatim.explain.timeline import Sample, ShownRun
from seriatim.program.inputs import Input
from seriatim.program.syntax import Handler, walk
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.random_run import random_handlers, random_run
from seriatim.systems.run import Run

REQUESTS = 2
SEEDS = 40
MAX_STEPS = 10
MOST_STEPS = 200
"""The most steps of a run that was asked for."""
MAX_MOMENTS = 12
"""The most lines of code in a sample that was not asked for."""
MAX_STATES = 1_000
MAX_PARTS = 1_000
"""The most parts of a handler's expression."""


def interleaving(
    content: Input, source: SourceText, max_moments: int = MAX_MOMENTS, deadline: Deadline | None = None
) -> "Sample | None":
    """A sample for a serializable input; None if there is no short one, or no time left."""
    deadline = deadline or Deadline()
    if content.handlers and not any(is_short(handler) for handler in content.handlers):
        return None
    try:
        fresh = unfold(content, Limits(MAX_STATES), deadline)
        for run, seed in _draw_runs(fresh, deadline):
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
        pass  # A sample is only an illustration.
    return None


def any_run(content: Input, source: SourceText, limits: Limits, deadline: Deadline) -> "Sample | None":
    """The shortest complete run that is drawn, even if no request interrupts another; None if there is none.

    Its order is empty if it is not known. Raises `LimitReached` or `OutOfBudget`.
    """
    fresh = unfold(content, limits, deadline)
    for requests in (REQUESTS, 1, REQUESTS + 1, REQUESTS + 2):
        found: list[tuple[Run, int]] = []
        for seed in range(SEEDS):
            deadline.check()
            run = random_run(fresh, random_handlers(fresh, requests, seed), seed, max_steps=MOST_STEPS)
            if isinstance(run, Run):
                found.append((run, seed))
        if found:
            run, seed = min(found, key=lambda drawn: (-drawn[0].switches(), len(drawn[0].turns)))
            nearest = nearest_serial(run.outcome(), fresh, limits.max_states, deadline)
            is_explained = nearest is not None and not nearest.changed and bool(nearest.orders)
            order = nearest.orders[0] if nearest is not None and is_explained else ()
            return Sample(show_run(run, fresh, source), seed, order)
    return None


def find_unanswered_run(
    content: Input, source: SourceText, limits: Limits, deadline: Deadline
) -> "ShownRun | None":
    """A few steps of a request that is not answered; None if no request can take a step."""
    fresh = unfold(content, limits, deadline)
    for handler in range(len(fresh.requests)):
        drawn = random_run(fresh, (handler,), 0, max_steps=MAX_STEPS // 2)
        run = drawn if isinstance(drawn, Run) else drawn.run
        if run.turns:
            return show_run(run, fresh, source)
    return None


def is_short(handler: Handler) -> bool:
    """Whether a handler is short enough to be told step by step: each small step rewrites all of it."""
    return next(islice(walk(handler.body), MAX_PARTS, None), None) is None


def _is_short_throughout(run: Run, origin: Origin) -> bool:
    handlers = dict(enumerate(origin.content.handlers))
    begun = {origin.request_of(turn.local) for turn in run.turns}
    return all(is_short(handler) for request, handler in handlers.items() if request in begun)


def _draw_runs(origin: Origin, deadline: Deadline) -> list[tuple[Run, int]]:
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
