"""Fewer switches between threads in a run of the same length.
 Steps of a thread that follow each other are moved to its steps before, or those to them, as long as the
reference semantics still replays the run to the same failure.
"""

from dataclasses import replace
from itertools import pairwise

from seriatim.budget import Deadline
from seriatim.program.threads.runs import NotARun, ThreadRun, ThreadStep, replay
from seriatim.program.threads.syntax import ThreadProgram

LEFT = 1.0
"""Seconds that are left to others."""
LONGEST = 80
"""Steps of a run that is tidied."""


def tidy(program: ThreadProgram, run: ThreadRun, deadline: Deadline) -> ThreadRun:
    """A run with the same steps in an order with no more switches; the best one when time is over."""
    if len(run.steps) > LONGEST:
        return run
    best = run
    improved = True
    while improved:
        improved = False
        for index in range(len(best.steps)):
            if deadline.remaining() < LEFT:
                return best
            better = move_earlier(program, best, index)
            if better is not None:
                best, improved = better, True
    return best


def switches(steps: tuple[ThreadStep, ...]) -> int:
    return sum(one.thread != other.thread for one, other in pairwise(steps))


def move_earlier(program: ThreadProgram, run: ThreadRun, index: int) -> ThreadRun | None:
    """The run with consecutive steps of a thread moved to its step before, or that one moved to them."""
    steps = run.steps
    thread = steps[index].thread
    before = next((each for each in reversed(range(index)) if steps[each].thread == thread), None)
    if before is None or before == index - 1:
        return None
    end = next((each for each in range(index, len(steps)) if steps[each].thread != thread), len(steps))
    start = next((each + 1 for each in reversed(range(before)) if steps[each].thread != thread), 0)
    early, between, late = steps[start : before + 1], steps[before + 1 : index], steps[index:end]
    for order in (early + late + between, between + early + late):
        candidate = steps[:start] + order + steps[end:]
        if switches(candidate) < switches(steps):
            attempt = replace(run, steps=candidate)
            if fails_alike(program, attempt):
                return attempt
    return None


def fails_alike(program: ThreadProgram, run: ThreadRun) -> bool:
    try:
        *_, last = replay(program, run)
    except NotARun:
        return False
    return last.failure == run.failure
