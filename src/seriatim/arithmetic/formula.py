"""Linear constraints over natural numbers as data, for those who build, solve or check them; no solver.

Variables are numbers 0, 1, …; each stands for a natural number.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Form:
    """A constant plus multiples of variables."""

    terms: tuple[tuple[int, int], ...]
    """(variable, coefficient), by variable; no coefficient is 0."""
    constant: int = 0

    def value(self, values: Sequence[int]) -> int:
        return self.constant + sum(coefficient * values[variable] for variable, coefficient in self.terms)


def total(variables: Iterable[int], constant: int = 0) -> Form:
    """The sum of some variables, counted as often as they occur, and a constant."""
    return combination(((1, Form(((variable, 1),))) for variable in variables), constant)


def combination(parts: Iterable[tuple[int, Form]], constant: int = 0) -> Form:
    """The sum of multiples of forms, and a constant."""
    coefficients: dict[int, int] = {}
    for factor, form in parts:
        constant += factor * form.constant
        for variable, coefficient in form.terms:
            coefficients[variable] = coefficients.get(variable, 0) + factor * coefficient
    return Form(tuple(sorted((v, c) for v, c in coefficients.items() if c != 0)), constant)


def round_form(form: Form, divisor: int) -> Form:
    """A natural number if the form is one: its multiples divided and rounded up, its constant rounded down.

    For then the quotient of the form is at least 0; rounding multiples up does not make it smaller, since
    variables are natural; and what comes out is an integer, except for the part that the constant loses.
    """
    terms = tuple((variable, -(-coefficient // divisor)) for variable, coefficient in form.terms)
    return Form(tuple(term for term in terms if term[1] != 0), form.constant // divisor)


class Relation(StrEnum):
    """How a form compares to 0."""

    IS_ZERO = "= 0"
    IS_NATURAL = ">= 0"


@dataclass(frozen=True, slots=True)
class Constraint:
    form: Form
    relation: Relation

    def holds(self, values: Sequence[int]) -> bool:
        value = self.form.value(values)
        return value == 0 if self.relation is Relation.IS_ZERO else value >= 0


def is_zero(form: Form) -> Constraint:
    return Constraint(form, Relation.IS_ZERO)


def at_least(form: Form, bound: int) -> Constraint:
    return Constraint(combination([(1, form)], -bound), Relation.IS_NATURAL)


def at_most(form: Form, bound: int) -> Constraint:
    return Constraint(combination([(-1, form)], bound), Relation.IS_NATURAL)


Clause = tuple[Constraint, ...]
"""Constraints at least one of which holds."""


@dataclass(frozen=True, slots=True)
class Conjunction:
    """Constraints all of which hold of some variables and of quotients of sums of them, rounded down.

    Variable `dimension` + i is quotient i: a form over the variables before it, divided by a positive number.
    The coefficients and the constant of that form are natural, so that quotients are natural, too.
    """

    dimension: int
    quotients: tuple[tuple[Form, int], ...]
    constraints: tuple[Constraint, ...]

    def holds(self, vector: Sequence[int]) -> bool:
        values = list(vector)
        for form, divisor in self.quotients:
            values.append(form.value(values) // divisor)
        return all(constraint.holds(values) for constraint in self.constraints)
