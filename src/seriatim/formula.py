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
