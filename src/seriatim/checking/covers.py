"""Covers: linear sets of outcomes, all of which serial runs have.

A cover is a serial run together with cycles of requests that run one after the other. Each cycle begins and
ends in a global state that the run goes through, so it can be inserted there any number of times: all
vectors b + Σ kᵢ·pᵢ, with b the outcome of the run and pᵢ those of the cycles, are outcomes of serial runs.
Covers may come from anywhere: they are replayed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from seriatim.arithmetic.linear_sets import LinearSet, Membership, membership
from seriatim.certificate.serial_paths import SerialPath, SerialStep
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Allowed, Completion
from seriatim.checking.obligation import Obligation, unless
from seriatim.checking.words import counted
from seriatim.program.state import GlobalState


def check_covers(allowed: Allowed, covers: tuple[SerialPath, ...], allowance: Allowance) -> Obligation:
    """Replays paths and cycles."""
    claim = "every cover is a serial run, with cycles through global states on its way"
    amiss = next(misplaced(allowed, covers, allowance), None)
    return unless(amiss, claim, f"{counted(len(covers), 'cover')} replayed", covers)


def misplaced(allowed: Allowed, covers: tuple[SerialPath, ...], allowance: Allowance) -> Iterator[str]:
    """Finds what is wrong with the paths and cycles."""

    def end(start: GlobalState, steps: tuple[SerialStep, ...]) -> GlobalState | None:
        """Where requests that run one after the other lead; None if they can't."""
        global_ = start
        for step in steps:
            allowance.deadline.check()
            if (step.response, step.after) not in allowed.after(global_, step.handler):
                return None
            global_ = step.after
        return global_

    for number, cover in enumerate(covers, 1):
        allowance.deadline.check()
        if end(allowed.initial, cover.steps) is None:
            yield f"the path of cover {number} is not a serial run"
        visited = {allowed.initial, *(step.after for step in cover.steps)}
        for cycle in cover.cycles:
            if cycle.at not in visited or end(cycle.at, cycle.steps) != cycle.at:
                yield f"a cycle of cover {number} can't be inserted into its path"
        try:
            membership(linear_set(cover, tuple(set(completions_in((cover,))))))
        except ValueError:
            yield f"the cycles of cover {number} do not have independent outcomes"


def completions_in(covers: Iterable[SerialPath]) -> Iterator[Completion]:
    """The completions of all steps of covers, as often as they occur."""
    for cover in covers:
        for step in (*cover.steps, *(step for cycle in cover.cycles for step in cycle.steps)):
            yield step.handler, step.response


def linear_set(cover: SerialPath, completions: tuple[Completion, ...]) -> LinearSet:
    """The outcomes of a cover: how often each of these completions occurs."""

    def image(steps: tuple[SerialStep, ...]) -> tuple[int, ...]:
        counts = Counter((step.handler, step.response) for step in steps)
        return tuple(counts[completion] for completion in completions)

    return LinearSet(image(cover.steps), tuple(image(cycle.steps) for cycle in cover.cycles))


def memberships(
    covers: Iterable[SerialPath], completions: tuple[Completion, ...], allowance: Allowance
) -> tuple[Membership, ...]:
    """Says of each cover whether an outcome is in it. An entry of a matrix costs a tenth of a state."""
    found: list[Membership] = []
    for cover in covers:
        allowance.spend(1 + len(completions) ** 2 // 10)
        found.append(membership(linear_set(cover, completions)))
    return tuple(found)
