"""Closures as stages: the moves of the runs that count, for any number of requests."""

from dataclasses import replace

from seriatim.budget import Pieces
from seriatim.engines.stage import Facts, GaveUp, InPieces, Stage, Task
from seriatim.method import Method
from seriatim.systems.closure import close
from seriatim.systems.from_input import explain_limit
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.slicing import MacroSystem, covered_system, slice_system

SHORT_CLOSURE = 5_000
"""The most pairs of a local and a global state in a first closure."""

MAX_COUNTED = 2_000
"""The most pairs of a local and a global state for provers that count."""

SERVES = frozenset({Method.ATOMIC, Method.COMMIT, Method.STATE_EQUATION, Method.CHAINS})


def close_committing(task: Task[OutcomeProblem], is_short: bool) -> Pieces[Facts | GaveUp]:
    """Closes the system in which requests take effect."""
    problem = task.problem
    try:
        committing = yield from _close_committing(task, _limits(task, is_short))
    except LimitReached as reached:
        return _explain_reached(reached, task, is_short)
    is_same = problem.derived is problem.committing and problem.runs == "complete"
    return replace(task.facts, committing=committing, system=committing if is_same else None)


def _close_committing(task: Task[OutcomeProblem], limits: Limits) -> Pieces[MacroSystem]:
    system = task.problem.committing
    if task.problem.runs == "all":
        return covered_system(system, (yield from close(system, limits, task.deadline)))
    return (yield from slice_system(system, limits, task.deadline))


def close_system(task: Task[OutcomeProblem], is_short: bool) -> Pieces[Facts | GaveUp]:
    """Closes the derived system, for complete runs."""
    try:
        system = yield from slice_system(task.problem.derived, _limits(task, is_short), task.deadline)
    except LimitReached as reached:
        return _explain_reached(reached, task, is_short)
    return replace(task.facts, system=system)


def _limits(task: Task[OutcomeProblem], is_short: bool) -> Limits:
    limits = task.limits
    return Limits(min(SHORT_CLOSURE, limits.max_states), limits.max_value) if is_short else limits


def _explain_reached(reached: LimitReached, task: Task[OutcomeProblem], is_short: bool) -> Facts | GaveUp:
    """Says why the closure was not finished; adds nothing where a longer attempt is still to come."""
    if is_short and reached.flag == "--max-states" and task.limits.max_states > SHORT_CLOSURE:
        return task.facts
    reached = explain_limit(reached, task.problem.origin)
    return GaveUp(reached.message, reached.hint)


def is_open(task: Task[OutcomeProblem]) -> bool:
    """Whether the closure is not known, or another method is asked for."""
    return task.facts.system is None or task.method in (Method.MODULAR, Method.SIMULATION)


def is_countable(task: Task[OutcomeProblem]) -> bool:
    return task.facts.system is not None and len(task.facts.system.table) <= MAX_COUNTED


def closing_stages(is_short: bool) -> tuple[Stage[OutcomeProblem], Stage[OutcomeProblem]]:
    """Stages that close first for commit points, then for the derived system, unless both are the same."""
    return (
        Stage(
            "closure",
            Method.AUTO,
            lambda task: InPieces(close_committing(task, is_short)),
            SERVES,
            lambda task: task.facts.committing is None,
        ),
        Stage(
            "closure",
            Method.AUTO,
            lambda task: InPieces(close_system(task, is_short)),
            SERVES,
            lambda task: task.facts.committing is not None and task.facts.system is None,
        ),
    )
