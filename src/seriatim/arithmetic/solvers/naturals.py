"""Linear arithmetic over natural numbers for provers: by branch and cut or by z3, in turns.

Branch and cut finds small solutions at once, and z3 finds its way through many cases; each stalls on
questions that the other answers in no time. `docs/decisions/0012-branch-and-cut-beside-z3.md` has the
figures. The questions that one solver is asked are alike, so the one that answered last goes first.
Where branch and cut answers everything, z3 is not even loaded.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial

from seriatim.arithmetic.formula import Clause, Constraint
from seriatim.arithmetic.solvers.branch_and_cut import BranchAndCut
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Solver, Unknown
from seriatim.budget import Deadline

LITTLE_WORK = 20_000
MUCH_WORK = 1_000_000
"""Entries of tableaus, for branch and cut: before z3 is asked, and after it has given up."""


MAX_VARIABLES = 1_000
"""Larger tableaus take too long to make."""

Procedure = Callable[[list[Constraint], Deadline], Solution | NoSolution | Unknown]
"""A way to answer a question."""


class NaturalSolver:
    """Clauses over natural numbers, to which more can be added."""

    def __init__(self, max_work: int) -> None:
        self._max_work = max_work
        """The most work, in z3's units."""
        self._cutting = BranchAndCut()
        self._z3: Solver | None = None
        """Once it has been asked."""
        self._variables = 0
        self._clauses: list[Clause] = []
        self._known = (0, 0)
        """How many variables and clauses z3 has been told."""
        self._procedures: list[Procedure] = [
            partial(self._cut, LITTLE_WORK),
            self._ask_z3,
            partial(self._cut, MUCH_WORK),
        ]
        """The procedures in the order in which they are tried."""

    def variable(self) -> int:
        """The number of a new variable."""
        self._variables += 1
        return self._cutting.variable()

    def add(self, clause: Clause) -> None:
        self._cutting.add(clause)
        self._clauses.append(clause)

    @contextmanager
    def for_a_while(self) -> Iterator[None]:
        """Clauses that are added meanwhile are forgotten afterwards."""
        clauses = list(self._clauses)
        with self._cutting.for_a_while():
            try:
                yield
            finally:
                self._clauses = clauses
                if self._known[1] > len(clauses):
                    self._z3 = None

    def solve(self, region: Iterable[Constraint], deadline: Deadline) -> Solution | NoSolution | Unknown:
        """Looks for a solution of all clauses so far that satisfies some more constraints, for this once."""
        constraints = list(region)
        for procedure in list(self._procedures):
            answer = procedure(constraints, deadline)
            if not isinstance(answer, Unknown):
                return answer
            self._procedures.append(self._procedures.pop(0))
        return Unknown()

    def _cut(
        self, max_work: int, region: list[Constraint], deadline: Deadline
    ) -> Solution | NoSolution | Unknown:
        if self._variables > MAX_VARIABLES:
            return Unknown()
        return self._cutting.solve(region, max_work, deadline)

    def _ask_z3(self, region: list[Constraint], deadline: Deadline) -> Solution | NoSolution | Unknown:
        if self._z3 is None:
            self._z3 = Solver(self._max_work)
            self._known = (0, 0)
        variables, clauses = self._known
        for _ in range(variables, self._variables):
            self._z3.variable()
        for clause in self._clauses[clauses:]:
            self._z3.add(clause)
        self._known = (self._variables, len(self._clauses))
        return self._z3.solve(region, deadline)
