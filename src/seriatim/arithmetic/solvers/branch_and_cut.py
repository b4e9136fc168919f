"""Linear arithmetic over natural numbers by branch and cut: exact, small, and best where solutions are small.

A case is a tableau with the constraints that hold in it; the simplex method finds a solution in rationals
with the smallest sum, or shows that none exists. A solution that breaks a clause is excluded by a case for
each of its alternatives, of several clauses the one that was added last; one that is no solution in integers,
by Gomory's cuts. The first solution that nothing excludes is an answer, and if no case has one, none exists.
That this ends is not promised, so the work is bounded.

Claim: `Solution` satisfies all clauses, and `NoSolution` means that none exists. Why: both follow from what
`seriatim.arithmetic.solvers.simplex` claims; each solution of all clauses satisfies an alternative of each
clause, and cuts exclude no integers.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from seriatim.arithmetic.formula import Clause, Constraint, Form
from seriatim.arithmetic.solvers.simplex import Tableau, TooMuchWork, Work
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Unknown
from seriatim.budget import Deadline

MAX_BITS = 1_000
"""The most bits of the denominator of a solution."""


class BranchAndCut:
    """Clauses over natural numbers, to which more can be added."""

    def __init__(self) -> None:
        self._variables = 0
        self._numbers = 0
        """The numbers of constraints and cuts so far."""
        self._always = Tableau(Work(0, Deadline()))
        """What holds in all cases."""
        self._further: list[Constraint] = []
        """What holds in all cases as well, and is not in the tableau yet."""
        self._clauses: list[Clause] = []
        """The others."""

    def variable(self) -> int:
        """The number of a new variable."""
        self._variables += 1
        return self._variables - 1

    def add(self, clause: Clause) -> None:
        if len(clause) == 1:
            self._further.append(clause[0])
        else:
            self._clauses.append(clause)

    @contextmanager
    def for_a_while(self) -> Iterator[None]:
        """Clauses that are added meanwhile are forgotten afterwards."""
        always, further, clauses = self._always.copy(), list(self._further), list(self._clauses)
        try:
            yield
        finally:
            self._always, self._further, self._clauses = always, further, clauses

    def solve(
        self, region: Iterable[Constraint], max_work: int, deadline: Deadline
    ) -> Solution | NoSolution | Unknown:
        """Looks for a solution of all clauses so far that satisfies some more constraints, for this once; so
        many entries of tableaus may be calculated. Raises `OutOfBudget` after the deadline."""
        self._always.work = Work(max_work, deadline)
        for constraint in self._further:
            self._always.add(self._number(), constraint)
        self._further = []
        try:
            if self._always.solve() is not None:
                return NoSolution()
            return self._first_solution(self._with(self._always, region))
        except TooMuchWork:
            return Unknown()

    def _first_solution(self, case: Tableau) -> Solution | NoSolution:
        pending = [case]
        while pending:
            case = pending.pop()
            if case.solve() is not None:
                continue
            broken = next((c for c in reversed(self._clauses) if not any(map(case.satisfies, c))), None)
            if broken is not None:
                pending.extend(self._with(case, [alternative]) for alternative in broken)
            elif case.cut(self._number(), MAX_BITS):
                pending.append(case)
            else:
                each = range(self._variables)
                return Solution(tuple(int(case.value(Form(((variable, 1),)))) for variable in each))
        return NoSolution()

    def _with(self, case: Tableau, constraints: Iterable[Constraint]) -> Tableau:
        longer = case.copy()
        for constraint in constraints:
            longer.add(self._number(), constraint)
        longer.work.spend(len(longer.rows))
        return longer

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers
