"""Linear constraints over nonnegative rationals, exactly: a smallest solution, or why none exists.

A tableau (Dantzig) says of each *basic* variable how it depends on the others, as integers with a common
denominator: d·v = c + Σ aⱼ·nⱼ. Variables are the counts x, and for each constraint its *slack*, the value
of its form, which is at least 0, or fixed at 0. The others are 0, so that the basic ones are c/d. As long as
one of them is negative, it is exchanged with one that can raise it; this dual simplex method keeps the sum of
all counts as small as it can be, and with Bland's choice of the first among equals, it ends.

Nothing can raise v, although c < 0, if no aⱼ of a variable that may grow is positive. Then the row says by
itself why there is no solution: d·v − Σ aⱼ·nⱼ = c is a sum of nonnegative multiples of nonnegative numbers
(any multiples, of those that are fixed at 0), and it is negative. These multiples are the answer.

If v is an integer for all integer solutions, but c/d is not, the row yields Gomory's cut: the sum of the
nⱼ, each with the part of −aⱼ/d beyond an integer, is at least the part of c/d beyond one, and it differs from
that by an integer. As forms of the counts this is a rounding in Chvátal's sense: a sum of multiples of
constraints, divided by d, coefficients rounded up and the constant rounded down.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from seriatim.arithmetic.formula import Constraint, Form, Relation
from seriatim.budget import Deadline

Multiples = dict[int, int]
"""Multiples of constraints, by number."""


class TooMuchWork(Exception):
    """The bound on entries of tableaus to calculate is reached."""


@dataclass(slots=True)
class Work:
    """How many entries of tableaus may still be calculated."""

    left: int
    deadline: Deadline

    def spend(self, entries: int) -> None:
        self.deadline.check()
        self.left -= entries
        if self.left < 0:
            raise TooMuchWork


@dataclass(slots=True)
class _Row:
    """divisor · variable = constant + Σ coefficient · other variable."""

    divisor: int
    constant: int
    coefficients: dict[int, int]

    def reduce(self) -> "_Row":
        factor = gcd(self.divisor, self.constant, *self.coefficients.values())
        if factor == 1:
            return self
        return _Row(
            self.divisor // factor,
            self.constant // factor,
            {variable: entry // factor for variable, entry in self.coefficients.items()},
        )

    def with_replaced(self, variable: int, by: "_Row") -> "_Row":
        """The same row, after a variable is replaced by what it depends on."""
        times = self.coefficients.get(variable, 0)
        if times == 0:
            return self
        coefficients = {other: e * by.divisor for other, e in self.coefficients.items() if other != variable}
        for other, entry in by.coefficients.items():
            changed = coefficients.get(other, 0) + times * entry
            if changed:
                coefficients[other] = changed
            else:
                del coefficients[other]
        constant = self.constant * by.divisor + times * by.constant
        return _Row(self.divisor * by.divisor, constant, coefficients).reduce()


class Tableau:
    """Constraints by number, from 0 on. Counts are variables from 0 on, slacks negative: ~number."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.rows: dict[int, _Row] = {}
        """The rows by basic variable."""
        self.cost = _Row(1, 0, {})
        """The sum of all counts."""
        self.counts: set[int] = set()
        self.fixed: set[int] = set()
        """The slacks that have to be 0."""
        self._solution: tuple[int, dict[int, int]] | None = None
        """A denominator, and the numerators of all counts but those that are 0; None after a change."""

    def copy(self) -> "Tableau":
        other = Tableau(self.work)
        other.rows = dict(self.rows)
        other.cost = self.cost
        other.counts = set(self.counts)
        other.fixed = set(self.fixed)
        return other

    def add(self, number: int, constraint: Constraint) -> None:
        """Adds a constraint, under a number that no other one has."""
        form = constraint.form
        for variable, _ in form.terms:
            if variable not in self.counts:
                self.counts.add(variable)
                coefficients = {**self.cost.coefficients, variable: self.cost.divisor}
                self.cost = _Row(self.cost.divisor, self.cost.constant, coefficients)
        row = _Row(1, form.constant, dict(form.terms))
        for variable, _ in form.terms:
            if variable in self.rows:
                row = row.with_replaced(variable, self.rows[variable])
        self.rows[~number] = row
        self._solution = None
        if constraint.relation is Relation.IS_ZERO:
            self.fixed.add(~number)

    def solve(self) -> Multiples | None:
        """None if there is a solution; else multiples of constraints whose sum is negative for all counts.

        Raises `TooMuchWork`, or `OutOfBudget` after the deadline.
        """
        while True:
            wrong = min((v for v, row in self.rows.items() if self._is_wrong(v, row)), default=None)
            if wrong is None:
                return None
            sign = 1 if self.rows[wrong].constant < 0 else -1
            entering = self._entering(self.rows[wrong], sign)
            if entering is None:
                return self._why(wrong, sign)
            self._exchange(wrong, entering)

    def _is_wrong(self, variable: int, row: _Row) -> bool:
        return row.constant < 0 or (row.constant > 0 and variable in self.fixed)

    def _entering(self, row: _Row, sign: int) -> int | None:
        """The variable that raises (or lowers) a row at the least cost."""
        best: tuple[Fraction, int] | None = None
        for variable, entry in row.coefficients.items():
            if sign * entry > 0 and variable not in self.fixed:
                ratio = (Fraction(self.cost.coefficients.get(variable, 0), sign * entry), variable)
                if best is None or ratio < best:
                    best = ratio
        return None if best is None else best[1]

    def _exchange(self, leaving: int, entering: int) -> None:
        row = self.rows[leaving]
        changing = [v for v, other in self.rows.items() if v != leaving and entering in other.coefficients]
        self.work.spend((1 + len(changing)) * len(row.coefficients))  # Before anything is changed.
        del self.rows[leaving]
        self._solution = None
        pivot = row.coefficients[entering]
        sign = 1 if pivot > 0 else -1
        coefficients = {v: -sign * entry for v, entry in row.coefficients.items() if v != entering}
        coefficients[leaving] = sign * row.divisor
        turned = _Row(abs(pivot), -sign * row.constant, coefficients).reduce()
        for variable in changing:
            self.rows[variable] = self.rows[variable].with_replaced(entering, turned)
        self.cost = self.cost.with_replaced(entering, turned)
        self.rows[entering] = turned

    def _why(self, wrong: int, sign: int) -> Multiples:
        row = self.rows[wrong]
        multiples = {~v: -sign * entry for v, entry in row.coefficients.items() if v < 0}
        if wrong < 0:
            multiples[~wrong] = sign * row.divisor
        return multiples

    def value(self, form: Form) -> Fraction:
        """Evaluates a form for the solution at hand."""
        return Fraction(self._scale(form), self._counts()[0])

    def satisfies(self, constraint: Constraint) -> bool:
        """Whether the solution at hand does."""
        value = self._scale(constraint.form)
        return value == 0 if constraint.relation is Relation.IS_ZERO else value >= 0

    def _scale(self, form: Form) -> int:
        """The value of a form, times the denominator of all counts."""
        denominator, numerators = self._counts()
        value = form.constant * denominator
        for variable, coefficient in form.terms:
            if variable in numerators:
                value += coefficient * numerators[variable]
        return value

    def _counts(self) -> tuple[int, dict[int, int]]:
        """The solution at hand, with one denominator: many forms are evaluated, and fractions are slow."""
        if self._solution is None:
            used = {v: row for v, row in self.rows.items() if v >= 0 and row.constant}
            denominator = lcm(*(row.divisor for row in used.values()))
            numerators = {v: row.constant * (denominator // row.divisor) for v, row in used.items()}
            self._solution = denominator, numerators
        return self._solution

    def rounding(self) -> tuple[Multiples, int] | None:
        """Multiples of constraints whose sum, divided by a number and rounded, excludes the solution at hand;
        None if that is in integers."""
        row = self._fractional()
        if row is None:
            return None
        parts = {~other: -entry % row.divisor for other, entry in row.coefficients.items() if other < 0}
        return {number: part for number, part in parts.items() if part > 0}, row.divisor

    def cut(self, number: int, max_bits: int) -> bool:
        """Adds the cut that excludes the solution at hand, as a constraint of this number; False if that
        solution is in integers. Raises `TooMuchWork` if the numbers have become too large."""
        row = self._fractional()
        if row is None:
            return False
        if row.divisor.bit_length() > max_bits:
            raise TooMuchWork
        parts = {v: -entry % row.divisor for v, entry in row.coefficients.items() if v not in self.fixed}
        coefficients = {variable: part for variable, part in parts.items() if part > 0}
        self.rows[~number] = _Row(row.divisor, -(row.constant % row.divisor), coefficients).reduce()
        return True

    def _fractional(self) -> _Row | None:
        """A row whose variable is no integer. One that depends on little makes for short sums, and needs the
        fewest cuts by far."""
        fractional = [(variable, row) for variable, row in self.rows.items() if row.constant % row.divisor]
        if not fractional:
            return None
        return min(fractional, key=lambda found: (len(found[1].coefficients), found[1].divisor, found[0]))[1]
