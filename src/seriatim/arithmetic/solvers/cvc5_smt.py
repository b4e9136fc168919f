"""Linear integer arithmetic by cvc5: a second opinion on what `seriatim.arithmetic.solvers.smt` says.

cvc5 is an extra, `seriatim[cvc5]`; it is imported when the first solver is made. As there, its own count of
its work bounds each question, and the clock only ends what would take too long for the caller. cvc5 takes
such bounds before it begins, so each question goes to a solver of its own; they share their terms.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from seriatim.arithmetic.formula import Clause, Constraint, Form, Relation
from seriatim.arithmetic.solvers.door import attend, milliseconds
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Unknown
from seriatim.budget import Deadline

if TYPE_CHECKING:
    import cvc5


class Cvc5Solver:
    """Clauses over natural numbers, to which more can be added. Raises `ModuleNotFoundError` without cvc5."""

    def __init__(self, max_work: int) -> None:
        import cvc5

        self._cvc5 = cvc5
        self._terms = cvc5.TermManager()
        self._integer = self._terms.getIntegerSort()
        self._zero = self._number(0)
        self._max_work = max_work
        self._variables: list[cvc5.Term] = []
        self._assertions: list[cvc5.Term] = []
        self._translated: dict[Constraint, cvc5.Term] = {}

    def variable(self) -> int:
        """The number of a new variable."""
        variable = self._terms.mkConst(self._integer, f"v{len(self._variables)}")
        self._variables.append(variable)
        self._assertions.append(self._terms.mkTerm(self._cvc5.Kind.GEQ, variable, self._zero))
        return len(self._variables) - 1

    def add(self, clause: Clause) -> None:
        parts = [self._constraint(part) for part in clause]
        match parts:
            case []:
                self._assertions.append(self._terms.mkFalse())
            case [only]:
                self._assertions.append(only)
            case _:
                self._assertions.append(self._terms.mkTerm(self._cvc5.Kind.OR, *parts))

    def solve(self, region: Iterable[Constraint], deadline: Deadline) -> Solution | NoSolution | Unknown:
        """Looks for a solution of all clauses so far that satisfies some more constraints, for this once."""
        deadline.check()
        solver = self._cvc5.Solver(self._terms)
        solver.setLogic("QF_LIA")
        solver.setOption("produce-models", "true")
        solver.setOption("tlimit-per", str(milliseconds(deadline)))
        solver.setOption("rlimit-per", str(self._max_work))
        for term in (*self._assertions, *map(self._constraint, region)):
            solver.assertFormula(term)
        answer = attend(lambda: solver.checkSat(), deadline)
        if answer.isSat():
            return Solution(tuple(solver.getValue(v).getIntegerValue() for v in self._variables))
        if answer.isUnsat():
            return NoSolution()
        deadline.check()
        return Unknown()

    def _constraint(self, constraint: Constraint) -> "cvc5.Term":
        known = self._translated.get(constraint)
        if known is None:
            is_zero = constraint.relation is Relation.IS_ZERO
            kind = self._cvc5.Kind.EQUAL if is_zero else self._cvc5.Kind.GEQ
            known = self._terms.mkTerm(kind, self._form(constraint.form), self._zero)
            self._translated[constraint] = known
        return known

    def _form(self, form: Form) -> "cvc5.Term":
        parts = [
            self._terms.mkTerm(self._cvc5.Kind.MULT, self._number(coefficient), self._variables[variable])
            for variable, coefficient in form.terms
        ]
        parts.append(self._number(form.constant))
        return parts[0] if len(parts) == 1 else self._terms.mkTerm(self._cvc5.Kind.ADD, *parts)

    def _number(self, value: int) -> "cvc5.Term":
        return self._terms.mkInteger(str(value))  # As text: cvc5 takes numbers of at most 64 bits.
