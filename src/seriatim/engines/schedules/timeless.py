"""Strict serializability without barriers, as a stage: a proof that forgets time, if time changes nothing."""

from seriatim.certificate.timeless import TimelessEvidence
from seriatim.engines.portfolio import conclude
from seriatim.engines.schedules.outcomes import OUTCOMES
from seriatim.engines.shared.in_flight import invariants, level
from seriatim.engines.shared.reasons import SORTED_BY_TIME
from seriatim.engines.stage import GaveUp, Proof, Task, once
from seriatim.engines.timeless.order import comes_too_late, fixed_letters
from seriatim.method import Method
from seriatim.properties.statement import Outcomes, Time
from seriatim.systems.closure import closure
from seriatim.systems.limits import LimitReached
from seriatim.systems.posing import OutcomeProblem, pose

IN_THE_WAY = "the order that explains the answers may not respect time"


def forget_time(task: Task[OutcomeProblem]) -> Proof | GaveUp:
    """Tests first whether time can get in the way, since that is cheap. The test considers all runs, as the
    checker does, not complete runs alone."""
    problem = task.problem
    letters = fixed_letters(problem.effects, task.deadline)
    try:
        coverage = closure(problem.origin, task.limits, task.deadline)
    except LimitReached as reached:
        return GaveUp(reached.message, reached.hint)
    if letters is None or comes_too_late(problem.origin, coverage, *letters, task.deadline):
        return GaveUp(IN_THE_WAY)
    plain = pose(Outcomes(None, None), problem.origin, task.limits, task.deadline)
    found = conclude(OUTCOMES, Task(plain, task.limits, task.deadline)).answer
    if not isinstance(found, Proof):
        return GaveUp(IN_THE_WAY) if not isinstance(found, GaveUp) else found
    evidence = TimelessEvidence(level(coverage), invariants(coverage, problem.committing), found.evidence)
    return Proof(evidence, f"{found.reason} {SORTED_BY_TIME}")


def is_in_time(task: Task[OutcomeProblem]) -> bool:
    """Whether serial runs, in an order that respects time, have to explain complete runs."""
    seen = task.problem.statement.seen
    is_asked = isinstance(seen, Time) and not seen.pending and task.problem.is_serial
    return is_asked and task.facts.committing is not None


FORGET_TIME = once("order", Method.STATE_EQUATION, forget_time, is_in_time)
