"""Exchanging steps as a stage: of programs whose values have no bound."""

from seriatim.engines.exchanges.engine import reduce
from seriatim.engines.shared.any_integers import how_many, is_unbounded
from seriatim.engines.shared.reasons import REDUCED
from seriatim.engines.stage import GaveUp, Proof, Task, once
from seriatim.method import Method
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.unfolding import ProgramUnfolding


def exchange_steps(task: Task[OutcomeProblem]) -> Proof | GaveUp:
    origin = task.problem.origin
    assert isinstance(origin, ProgramUnfolding), "the stage needs it"
    found = reduce(origin.program, task.deadline)
    if isinstance(found, GaveUp):
        return found
    return Proof(found, f"{how_many(origin.program)}: {REDUCED[0].lower()}{REDUCED[1:]}")


def applies(task: Task[OutcomeProblem]) -> bool:
    return task.problem.is_serial and isinstance(task.problem.origin, ProgramUnfolding)


def applies_to_unbounded(task: Task[OutcomeProblem]) -> bool:
    origin = task.problem.origin
    return applies(task) and isinstance(origin, ProgramUnfolding) and is_unbounded(origin.program)


EXCHANGE_ALWAYS = once("exchanges", Method.MODULAR, exchange_steps, applies)
EXCHANGE_UNBOUNDED = once("exchanges", Method.MODULAR, exchange_steps, applies_to_unbounded)
