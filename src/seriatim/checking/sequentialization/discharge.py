"""Discharges conditions: by z3 on the condition as it is, then on instances of its quantifiers."""

from collections.abc import Callable, Iterable
from enum import StrEnum

from seriatim.arithmetic.instances import instantiate
from seriatim.arithmetic.smt_text import script
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.scripts import Answer, ask
from seriatim.arithmetic.terms import Term, negate
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.conditions import Condition
from seriatim.frozen import frozen


class Status(StrEnum):
    PROVED = "proved"
    REFUTED = "refuted"
    """The negation has a model; with quantifiers a solver rarely says so."""
    OPEN = "open"
    """No solver could tell."""


@frozen
class Discharged:
    condition: Condition
    status: Status
    method: str
    """What settled it: trivial, solver, instances."""


def condition_script(condition: Condition, goal: Term) -> str:
    """Satisfiable iff the condition does not hold."""
    return script([*condition.hypotheses, negate(goal)], condition.name)


def discharge(condition: Condition, solver: SolverName, deadline: Deadline, seed: int = 0) -> Discharged:
    if condition.is_trivial:
        return Discharged(condition, Status.PROVED, "trivial")
    goals: list[Callable[[], Term]] = [lambda: condition.goal]
    if condition.weaker is not None:
        goals.append(condition.weaker)
    status = Status.OPEN
    for make in goals:
        goal = make()
        answer = ask(condition_script(condition, goal), solver, deadline, seed)
        if answer is Answer.UNSATISFIABLE:
            return Discharged(condition, Status.PROVED, "solver")
        if answer is Answer.SATISFIABLE:
            status = Status.REFUTED
            continue
        for instances in instantiate([*condition.hypotheses, negate(goal)]):
            deadline.check()
            if ask(script(instances, condition.name), solver, deadline, seed) is Answer.UNSATISFIABLE:
                return Discharged(condition, Status.PROVED, "instances")
        status = Status.OPEN
    return Discharged(condition, status, "solver")


def discharge_all(
    conditions: Iterable[Condition], solver: SolverName, deadline: Deadline, seed: int = 0
) -> list[Discharged]:
    return [discharge(each, solver, deadline, seed) for each in conditions]
