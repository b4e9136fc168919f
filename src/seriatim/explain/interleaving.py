"""A sample of what a serializable input does: two requests interleaved, and a serial order that explains it.

It only illustrates; nothing depends on it. Runs are drawn from the first few seeds, each exactly the one that
`ser run --requests 2 --seed N` shows, and the most telling one is taken: one request changes the shared state
while the other is under way, in as few steps as possible. All bounds are counts, small ones, on an unfolding
of its own: so the same input always has the same sample, however it was decided, and nobody waits for it.
"""

from seriatim.budget import Deadline, OutOfBudget
from seriatim.explain.nearest import nearest_serial
from seriatim.explain.telling import show_run
from seriatim.explain.timeline import Sample
from seriatim.program.inputs import Input
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.random_run import random_handlers, random_run
from seriatim.systems.run import Run

REQUESTS = 2
SEEDS = 40
MAX_STEPS = 10
MAX_MOMENTS = 12
"""Lines of code that a reader is willing to go through who has not asked for them."""
MAX_STATES = 1_000


def interleaving(
    content: Input, source: SourceText, max_moments: int = MAX_MOMENTS, deadline: Deadline | None = None
) -> Sample | None:
    """A sample for a serializable input; None if there is no short one, or no time left."""
    deadline = deadline or Deadline()
    fresh = unfold(content, Limits(MAX_STATES), deadline)
    try:
        for run, seed in _drawn(fresh):
            deadline.check()
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


def _drawn(origin: Origin) -> list[tuple[Run, int]]:
    """Complete interleaved runs with their seeds, the most telling ones first."""
    found: list[tuple[Run, int]] = []
    for seed in range(SEEDS):
        run = random_run(origin, random_handlers(origin, REQUESTS, seed), seed, max_steps=MAX_STEPS)
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
