"""Linear arithmetic by z3, over natural numbers or nonnegative rationals: is there a solution, and which?

Reproducible: each solver has a z3 context of its own, a fixed seed, and a bound on z3's own count of its
work; the clock only ends what would take too long for the caller anyway. z3 takes a fifth of a second to
import, so that happens when the first solver is made, not when this module is imported.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from seriatim.arithmetic.formula import Clause, Constraint, Form, Relation
from seriatim.arithmetic.solvers.door import attend, milliseconds
from seriatim.budget import Deadline

if TYPE_CHECKING:
    import z3

OLDER_SIMPLEX, NEWER_SIMPLEX = 2, 6
"""z3 has two solvers for linear arithmetic. The older one is several times faster on residues, of which
outcomes of modular counters are full; the newer one on systems of hundreds of rows over rationals."""


@dataclass(frozen=True, slots=True)
class Solution:
    values: tuple[int, ...]
    """The value of each variable."""


@dataclass(frozen=True, slots=True)
class NoSolution:
    """z3 has shown that no solution exists."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """z3 has not found out within its bound."""


class _Clauses(ABC):
    """Clauses over variables that are at least 0, to which more can be added."""

    LOGIC: ClassVar[str]
    SIMPLEX: ClassVar[int]

    def __init__(self, max_work: int) -> None:
        import z3

        self._z3 = z3
        self._context = z3.Context()
        self._solver = self._new_solver()
        self._todo: deque[Callable[[], object]] = deque()
        """What z3 has not been told yet. It is told when it is asked: even an assertion or a scope can take
        minutes, and only what happens in `_ask` obeys a deadline and Ctrl-C. Terms are made then as well:
        while z3 still has those of an earlier scope, they get other numbers, on which its answers depend."""
        self._is_broken = False
        """Whether z3 was told something and did not take it. Then it is not asked any more: it may lack a
        clause, or keep one for too long."""
        self._count = 0
        """The number of variables, made or to be made."""
        self._max_work = max_work
        self._variables: list[z3.ArithRef] = []
        self._translated: dict[Constraint, z3.BoolRef] = {}
        """Regions share most of their constraints, and z3's terms take longer to make than to use."""
        self._multiples: dict[tuple[int, int], z3.ArithRef] = {}
        """(variable, factor) to their product."""

    def _new_solver(self) -> "z3.Solver":
        solver = self._z3.SolverFor(self.LOGIC, ctx=self._context)
        solver.set("random_seed", 0)
        solver.set("arith.solver", self.SIMPLEX)
        solver.set("ctrl_c", False)  # It would keep Ctrl-C for itself.
        return solver

    def variable(self) -> int:
        """The number of a new variable."""
        self._todo.append(self._make_variable)
        self._count += 1
        return self._count - 1

    def _make_variable(self) -> None:
        variable = self._new(f"v{len(self._variables)}")
        self._solver.add(variable >= 0)
        self._variables.append(variable)

    def add(self, clause: Clause) -> None:
        self._todo.append(partial(self._tell, clause))

    def _tell(self, clause: Clause) -> None:
        parts = [self._constraint(part) for part in clause]
        self._solver.add(parts[0] if len(parts) == 1 else self._z3.Or(parts, self._context))

    @contextmanager
    def for_a_while(self) -> Iterator[None]:
        """Clauses that are added meanwhile are forgotten afterwards."""
        self._todo.append(self._solver.push)
        try:
            yield
        finally:
            self._todo.append(self._solver.pop)

    @abstractmethod
    def _new(self, name: str) -> "z3.ArithRef":
        """A variable."""

    @abstractmethod
    def _number(self, value: int) -> "z3.ArithRef": ...

    def _model(
        self, region: Iterable[Constraint], deadline: Deadline
    ) -> "z3.ModelRef | NoSolution | Unknown":
        """Of all clauses so far and of some more constraints, for this once."""
        with self.for_a_while():
            for constraint in region:
                self.add((constraint,))
            return self._check(deadline)

    def _check(self, deadline: Deadline) -> "z3.ModelRef | NoSolution | Unknown":
        """If z3 gives up, another one is asked: it knows no earlier question and prepares this one better."""
        answer = self._ask(self._solver, deadline)
        if isinstance(answer, Unknown):
            other = self._new_solver()
            self._todo.append(lambda: other.add(self._solver.assertions()))
            answer = self._ask(other, deadline)
        return answer

    def _ask(self, solver: "z3.Solver", deadline: Deadline) -> "z3.ModelRef | NoSolution | Unknown":
        deadline.check()
        solver.set("timeout", milliseconds(deadline))
        solver.set("rlimit", self._max_work)

        def check() -> "z3.CheckSatResult":
            if self._is_broken:
                return self._z3.unknown
            try:
                self._catch_up()
                return solver.check()
            except self._z3.Z3Exception:  # It has failed, of whatever: it does not know.
                return self._z3.unknown

        answer = attend(check, deadline, self._context)
        if answer == self._z3.sat:
            return solver.model()
        if answer == self._z3.unsat:
            return NoSolution()
        deadline.check()
        return Unknown()

    def _catch_up(self) -> None:
        """Tells z3 what it has not been told."""
        self._is_broken = True
        while self._todo:
            self._todo.popleft()()
        self._is_broken = False

    def _constraint(self, constraint: Constraint) -> "z3.BoolRef":
        known = self._translated.get(constraint)
        if known is None:
            form = self._form(constraint.form)
            known = form == 0 if constraint.relation is Relation.IS_ZERO else form >= 0
            self._translated[constraint] = known
        return known

    def _form(self, form: Form) -> "z3.ArithRef":
        """Made without z3's own operators, which convert and compare each argument, thirty times as slow."""
        parts = [*(self._multiple(*term) for term in form.terms), self._number(form.constant)]
        terms = (self._z3.Ast * len(parts))(*(part.ast for part in parts))
        return self._z3.ArithRef(self._z3.Z3_mk_add(self._context.ref(), len(parts), terms), self._context)

    def _multiple(self, variable: int, factor: int) -> "z3.ArithRef":
        key = (variable, factor)
        if key not in self._multiples:
            self._multiples[key] = factor * self._variables[variable]
        return self._multiples[key]


class Solver(_Clauses):
    """Clauses over natural numbers."""

    LOGIC = "QF_LIA"
    SIMPLEX = OLDER_SIMPLEX

    def _new(self, name: str) -> "z3.ArithRef":
        return self._z3.Int(name, self._context)

    def _number(self, value: int) -> "z3.ArithRef":
        return self._z3.IntVal(value, self._context)

    def solve(self, region: Iterable[Constraint], deadline: Deadline) -> Solution | NoSolution | Unknown:
        """Looks for a solution of all clauses so far that satisfies some more constraints, for this once."""
        model = self._model(region, deadline)
        if isinstance(model, NoSolution | Unknown):
            return model
        return Solution(tuple(model.eval(v, model_completion=True).as_long() for v in self._variables))


class RationalSolver(_Clauses):
    """Clauses over nonnegative rationals."""

    LOGIC = "QF_LRA"
    SIMPLEX = NEWER_SIMPLEX

    def _new(self, name: str) -> "z3.ArithRef":
        return self._z3.Real(name, self._context)

    def _number(self, value: int) -> "z3.ArithRef":
        return self._z3.RealVal(value, self._context)

    def solve(
        self, region: Iterable[Constraint], deadline: Deadline
    ) -> tuple[Fraction, ...] | NoSolution | Unknown:
        """Looks for values that satisfy all clauses so far and some more constraints, for this once."""
        model = self._model(region, deadline)
        if isinstance(model, NoSolution | Unknown):
            return model
        return tuple(Fraction(model.eval(v, model_completion=True).as_fraction()) for v in self._variables)
