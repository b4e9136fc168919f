"""Settles a question about counts without a solver: by counts, or by a proof by cases that none exist.

A case is a list of constraints. The simplex method finds a solution of it in rationals, or multiples of
constraints whose sum is negative for all counts. These are verified here, so that nobody has to trust the
method: where the sum has a negative constant and no positive multiples of variables, the case is closed,
as natural numbers do not satisfy it. A solution is excluded in one of three ways, by what all solutions of
the question satisfy: a clause that it breaks, a case for each alternative; a set to be avoided in which its
outcome is, a case for each part outside of it; or else a sum of constraints, divided and rounded
(`seriatim.arithmetic.formula.round_form`). So if all cases are closed, there are no counts. If nothing
excludes a solution, it is an answer. That this ends is not promised, and so the work is bounded.
"""

from dataclasses import dataclass
from itertools import count

from seriatim.arithmetic.formula import Constraint, Form, Relation, at_least, combination, round_form
from seriatim.arithmetic.linear_sets import Vector, outside
from seriatim.arithmetic.solvers.simplex import Multiples, Tableau, TooMuchWork, Work
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Unknown
from seriatim.budget import Deadline
from seriatim.checking.outcomes import Question

MAX_BITS = 1_000
"""The most bits of a number in a sum of constraints."""


@dataclass(slots=True)
class Case:
    tableau: Tableau
    rows: dict[int, Constraint]
    """The constraints, by unique numbers."""
    avoided: frozenset[int]
    """The sets that the outcome is known to be outside of."""


def settled(question: Question, work: int, deadline: Deadline) -> Solution | NoSolution | Unknown:
    """The answer, if it is found within this much work. Raises `OutOfBudget` after the deadline."""
    search = Search(question, Work(work, deadline))
    try:
        return search.answer()
    except TooMuchWork:
        return Unknown()


class Search:
    def __init__(self, question: Question, work: Work) -> None:
        self.question = question
        self.work = work
        self.variables = count(question.variables)
        """Numbers of further variables, beyond those of the question."""
        self.numbers = count()
        """Numbers for constraints."""
        self.parts: dict[int, tuple[tuple[Constraint, ...], ...]] = {}

    def answer(self) -> Solution | NoSolution:
        """Answers the question; raises `TooMuchWork`."""
        units = [clause[0] for clause in self.question.clauses if len(clause) == 1]
        region = [row for number, part in sorted(self.question.region) for row in self.outside(number)[part]]
        clauses = [clause for clause in self.question.clauses if len(clause) != 1]
        pending = [self.extended(Case(Tableau(self.work), {}, frozenset()), (*units, *region))]
        while pending:
            case = pending.pop()
            self.work.spend(1 + len(clauses) + len(self.question.avoided))
            absurd = case.tableau.solve()
            if absurd is not None:
                if not is_negative(self.sum(case, absurd)):
                    raise TooMuchWork
                continue
            broken = next((c for c in clauses if not any(map(case.tableau.satisfies, c))), None)
            if broken is not None:
                pending.extend(self.extended(case, (alternative,)) for alternative in broken)
                continue
            covering = self.covering(case)
            if covering is not None:
                case.avoided |= {covering}
                pending.extend(self.extended(case, part) for part in self.outside(covering))
                continue
            rounding = case.tableau.rounding()
            if rounding is None:
                return self.solution(case)
            multiples, divisor = rounding
            if divisor <= 0:
                raise TooMuchWork
            row = at_least(round_form(self.sum(case, multiples), divisor), 0)
            pending.append(self.extended(case, (row,)))
        return NoSolution()

    def solution(self, case: Case) -> Solution:
        """The solution that the tableau has found, if it is right."""
        each = range(self.question.variables)
        values = tuple(int(case.tableau.value(Form(((variable, 1),)))) for variable in each)
        outcome = tuple(form.value(values) for form in self.question.outcome)
        if not all(any(part.holds(values) for part in clause) for clause in self.question.clauses):
            raise TooMuchWork
        if any(self.question.sets[number].holds(outcome) for number in self.question.avoided):
            raise TooMuchWork
        return Solution(values)

    def extended(self, case: Case, rows: tuple[Constraint, ...]) -> Case:
        """The case with more constraints."""
        self.work.spend(len(case.rows) + sum(1 + len(row.form.terms) for row in rows))
        longer = Case(case.tableau.copy(), dict(case.rows), case.avoided)
        for row in rows:
            number = next(self.numbers)
            longer.tableau.add(number, row)
            longer.rows[number] = row
        return longer

    def outside(self, number: int) -> tuple[tuple[Constraint, ...], ...]:
        """The parts outside of a set, about the same quotients and remainders each time."""
        if number not in self.parts:
            forms = self.question.outcome
            self.parts[number] = tuple(outside(self.question.sets[number], forms, self.variables.__next__))
        return self.parts[number]

    def covering(self, case: Case) -> int | None:
        """A set that contains the outcome of the solution at hand and has not been avoided yet."""
        values = [case.tableau.value(form) for form in self.question.outcome]
        if any(value.denominator != 1 for value in values):
            return None
        outcome: Vector = tuple(map(int, values))
        left = (number for number in self.question.avoided if number not in case.avoided)
        return next((number for number in left if self.question.sets[number].holds(outcome)), None)

    def sum(self, case: Case, multiples: Multiples) -> Form:
        """A form that is at least 0 whenever the constraints of the case hold."""
        for number, times in multiples.items():
            if times < 0 and case.rows[number].relation is not Relation.IS_ZERO:
                raise TooMuchWork  # Nothing justifies such a multiple, so the sum proves nothing.
        form = combination((times, case.rows[number].form) for number, times in multiples.items())
        if any(n.bit_length() > MAX_BITS for n in (form.constant, *(c for _, c in form.terms))):
            raise TooMuchWork
        return form


def is_negative(form: Form) -> bool:
    """Whether a form is negative for all natural numbers."""
    return form.constant < 0 and all(coefficient <= 0 for _, coefficient in form.terms)
