"""Proofs handler by handler, as a stage."""

from seriatim.engines.modular.engine import modular
from seriatim.engines.modular.evidence import reduction_evidence
from seriatim.engines.shared.reasons import REDUCED
from seriatim.engines.stage import GaveUp, Proof, Task, once
from seriatim.method import Method
from seriatim.systems.from_input import program_of
from seriatim.systems.limits import Limits
from seriatim.systems.posing import OutcomeProblem

MAX_VIEWS = 10_000
VIEWS_PER_HANDLER = 250
"""Pairs of a local and a global state, in all or for each handler, whatever is more: many handlers that see
little of each other have many views."""


def handler_by_handler(task: Task[OutcomeProblem]) -> Proof | GaveUp:
    origin = task.problem.origin
    views = max(MAX_VIEWS, VIEWS_PER_HANDLER * len(origin.requests))
    limits = Limits(min(views, task.limits.max_states), task.limits.max_value)
    answer = modular(program_of(origin), limits, task.deadline)
    return answer if isinstance(answer, GaveUp) else Proof(reduction_evidence(answer), REDUCED)


HANDLER_BY_HANDLER = once(
    "modular",
    Method.MODULAR,
    handler_by_handler,
    lambda task: task.problem.is_serial and bool(task.problem.origin.content.handlers),
)
