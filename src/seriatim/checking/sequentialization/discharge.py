"""Proves conditions by a solver: first each one as it is, then with instances of its quantifiers."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from seriatim.arithmetic.instances import instantiate
from seriatim.arithmetic.smt_text import script
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.scripts import SolverAnswer, ask
from seriatim.arithmetic.terms import Term, both, negate
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.assumptions import Condition


class Status(StrEnum):
    PROVED = "proved"
    REFUTED = "refuted"
    """The negation has a model; with quantifiers a solver rarely says so."""
    OPEN = "open"
    """No solver could tell."""


@dataclass(frozen=True, slots=True)
class Discharged:
    condition: Condition
    status: Status
    goal: Term | None = None
    """The goal that a solver has proved; None if no solver was needed."""


def condition_script(condition: Condition, goal: Term) -> str:
    """Writes a script that is satisfiable iff the condition does not hold."""
    return script([*condition.hypotheses, negate(goal)], condition.name)


def discharge(condition: Condition, solver: SolverName, deadline: Deadline) -> Discharged:
    if condition.is_trivial:
        return Discharged(condition, Status.PROVED)
    goals: list[Callable[[], Term]] = [lambda: condition.goal]
    if condition.weaker is not None:
        goals.append(condition.weaker)
    status = Status.OPEN
    for make in goals:
        goal = make()
        answer = ask(condition_script(condition, goal), solver, deadline)
        unknown = answer is SolverAnswer.UNKNOWN
        if answer is SolverAnswer.UNSATISFIABLE or (
            unknown and follows_from_instances(condition, goal, solver, deadline)
        ):
            return Discharged(condition, Status.PROVED, goal)
        status = Status.OPEN if unknown else Status.REFUTED
    return Discharged(condition, status)


def follows_from_instances(condition: Condition, goal: Term, solver: SolverName, deadline: Deadline) -> bool:
    """Tells whether finitely many instances of the quantifiers suffice."""
    for instances in instantiate([*condition.hypotheses, negate(goal)]):
        deadline.check()
        if ask(script(instances, condition.name), solver, deadline) is SolverAnswer.UNSATISFIABLE:
            return True
    return False


def holds_quickly(condition: Condition, solver: SolverName, deadline: Deadline, work: int) -> bool:
    """Whether a solver proves a condition with little work; for those who ask about many that do not hold."""
    if condition.is_trivial:
        return True
    script_ = condition_script(condition, condition.goal)
    return ask(script_, solver, deadline, z3_work=work) is SolverAnswer.UNSATISFIABLE


def discharge_all(
    conditions: Iterable[Condition], solver: SolverName, deadline: Deadline
) -> Iterator[Discharged]:
    """Discharges conditions in order; tries goals with the same hypotheses together first, for speed."""
    for _, group in groupby(conditions, key=lambda each: (each.hypotheses, each.weaker)):
        open_ = list(group)
        goals = [each.goal for each in open_ if not each.is_trivial]
        if len(goals) > 1 and open_[0].weaker is None:
            whole = replace(open_[0], goal=both(*goals))
            if ask(condition_script(whole, whole.goal), solver, deadline) is SolverAnswer.UNSATISFIABLE:
                yield from (Discharged(each, Status.PROVED, each.goal) for each in open_)
                continue
        for each in open_:
            yield discharge(each, solver, deadline)
