"""Asks solvers whether counts satisfy constraints, with an outcome outside of some linear sets.

A solver is asked about one conjunction of constraints on the outcome at a time. If it finds counts with an
outcome in a set, the conjunction is replaced by disjoint ones that make up the rest of it, outside of that
set (`seriatim.arithmetic.linear_sets`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from seriatim.arithmetic.case_proofs import Question
from seriatim.arithmetic.formula import Constraint, combination, is_zero, total
from seriatim.arithmetic.linear_sets import Vector, outside
from seriatim.arithmetic.solvers.named import SolverName, new_solver
from seriatim.arithmetic.solvers.smt import NoSolution, Unknown
from seriatim.budget import OutOfBudget
from seriatim.checking.allowance import Allowance, GaveUp

NO_SOLVER = "this needs a solver, and none may be used"
"""The reason if there is no solver for a question."""


def solution(question: Question, allowance: Allowance, name: SolverName) -> Vector | None:
    """An outcome; None if the solver shows that none exists. Raises `GaveUp` if it does not find out."""
    solver = new_solver(name)
    for _ in range(question.variables):
        solver.variable()
    counts = [total([solver.variable()]) for _ in question.outcome]
    for clause in (*((row,) for row in question.rows), *question.clauses):
        solver.add(clause)
    for count, form in zip(counts, question.outcome, strict=True):
        solver.add((is_zero(combination([(1, form), (-1, count)])),))

    @cache
    def parts(number: int) -> tuple[tuple[Constraint, ...], ...]:
        return tuple(outside(question.sets[number], counts, solver.variable))

    first = tuple(constraint for each, part in sorted(question.region) for constraint in parts(each)[part])
    regions = [first]
    while regions:
        allowance.spend()
        region = regions.pop()
        answer = solver.solve(region, allowance.deadline)
        if isinstance(answer, NoSolution):
            continue
        if isinstance(answer, Unknown):
            raise GaveUp("an integer problem is not decided within the bound on its work")
        vector = tuple(count.value(answer.values) for count in counts)
        covering = next((i for i in question.avoided if question.sets[i].holds(vector)), None)
        if covering is None:
            return vector
        regions.extend((*region, *part) for part in parts(covering))
    return None


@dataclass(frozen=True, slots=True)
class Answers:
    """What solvers say about a question. If no solver found an outcome, one showed that none exists."""

    found: tuple[SolverName, Vector] | None
    confirmed: tuple[SolverName, ...]
    gave_up: dict[SolverName, str]
    """The solvers that gave up, each with its reason."""


def answers(question: Question, allowance: Allowance, solvers: Iterable[SolverName]) -> Answers:
    """Asks solvers one after the other until one finds an outcome; raises `GaveUp` if all give up."""
    confirmed: list[SolverName] = []
    gave_up: dict[SolverName, str] = {}
    for name in solvers:
        try:
            vector = solution(question, allowance, name)
        except OutOfBudget as out:
            gave_up[name] = f"{name} gave up: {out.spent}"
        except GaveUp as reason:
            gave_up[name] = f"{name} gave up: {reason}"
        else:
            if vector is not None:
                return Answers((name, vector), (), {})
            confirmed.append(name)
    if not confirmed:
        raise GaveUp("; ".join(gave_up.values()))
    return Answers(None, tuple(confirmed), gave_up)
