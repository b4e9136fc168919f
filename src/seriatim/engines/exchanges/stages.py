"""Exchanging steps as a stage, for programs whose values have no bound."""

from seriatim.engines.exchanges.engine import reduce
from seriatim.engines.shared.any_integers import how_many, is_unbounded
from seriatim.engines.shared.reasons import REDUCED
from seriatim.engines.stage import GaveUp, Proof, Task, once
from seriatim.method import Method
from seriatim.systems.from_input import program_of
from seriatim.systems.posing import OutcomeProblem


def exchange_steps(task: Task[OutcomeProblem]) -> Proof | GaveUp:
    program = program_of(task.problem.origin)
    found = reduce(program, task.deadline)
    if isinstance(found, GaveUp):
        return found
    return Proof(found, f"{how_many(program)}: {REDUCED[0].lower()}{REDUCED[1:]}")


def applies(task: Task[OutcomeProblem]) -> bool:
    return task.problem.is_serial and bool(task.problem.origin.content.handlers)


def applies_to_unbounded(task: Task[OutcomeProblem]) -> bool:
    return applies(task) and is_unbounded(program_of(task.problem.origin))


EXCHANGE_ALWAYS = once("exchanges", Method.MODULAR, exchange_steps, applies)
EXCHANGE_UNBOUNDED = once("exchanges", Method.MODULAR, exchange_steps, applies_to_unbounded)
