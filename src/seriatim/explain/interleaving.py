"""A sample of what a serializable input does: two requests interleaved, and a serial order that explains it.

It only illustrates; nothing depends on it. Runs are drawn from the first few seeds, each exactly the one that
`ser run --requests 2 --seed N` shows, and the most telling one is taken: one request changes the shared state
while the other is under way, in as few steps as possible. All bounds are counts, small ones, on an unfolding
of its own: so the same input always has the same sample, however it was decided, and nobody waits for it.
"""

from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.explain.nearest import nearest_serial
from seriatim.explain.timeline import timeline
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.random_run import random_handlers, random_run
from seriatim.systems.run import Run
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.verdict import Decision, Holds

REQUESTS = 2
SEEDS = 40
MAX_STEPS = 10
MAX_MOMENTS = 12
"""Lines of code that a reader is willing to go through who has not asked for them."""
MAX_STATES = 1_000


@dataclass(frozen=True, slots=True)
class Interleaving:
    """A complete run in which a request takes over from another one, and a serial order with its answers."""

    run: Run
    origin: Origin
    """The unfolding whose numbers the run has."""
    seed: int
    order: tuple[tuple[str, str], ...]
    """(handler, response), in the order in which the requests run."""


def sample_of(decision: Decision, source: SourceText) -> Interleaving | None:
    """A sample for a verdict that it illustrates: that an input is serializable."""
    if decision.question != SERIALIZABILITY or not isinstance(decision.verdict, Holds):
        return None
    return interleaving(decision.unfolding, source)


def interleaving(origin: Origin, source: SourceText, max_moments: int = MAX_MOMENTS) -> Interleaving | None:
    """A sample for a serializable input that has been unfolded before; None if there is no handy one."""
    content = origin.program if isinstance(origin, ProgramUnfolding) else origin.system
    fresh = unfold(content, Limits(MAX_STATES), Deadline())
    try:
        for run, seed in _drawn(fresh):
            shown = timeline(run, fresh, source)
            if not shown.is_folded and sum(len(turn.moments) for turn in shown.turns) <= max_moments:
                nearest = nearest_serial(run.outcome(), fresh, MAX_STATES)
                if nearest is None or nearest.changed or not nearest.orders:
                    return None
                return Interleaving(run, fresh, seed, nearest.orders[0])
    except LimitReached:
        pass  # Too large to be a handy sample.
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
