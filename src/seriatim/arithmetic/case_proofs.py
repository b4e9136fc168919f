"""Questions about counts, and proofs by cases that answer them: data alone.

A proof is a list of nodes. Each node closes a case, or replaces it by others, whose proofs follow in their
order. `seriatim.arithmetic.solvers.case_tree` finds proofs; `seriatim.checking.cases` checks them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seriatim.arithmetic.formula import Clause, Constraint, Form
from seriatim.arithmetic.linear_sets import Membership


@dataclass(frozen=True, slots=True)
class Question:
    """Are there natural numbers that satisfy rows and clauses, with an outcome outside of some sets?"""

    variables: int
    """How many numbers the rows and clauses are about."""
    rows: Sequence[Constraint]
    """Constraints that all hold."""
    clauses: Sequence[Clause]
    outcome: tuple[Form, ...]
    sets: tuple[Membership, ...]
    avoided: Sequence[int]
    """The sets in which the outcome must not be, by index."""
    region: frozenset[tuple[int, int]] = frozenset()
    """(set, part of what is outside of it), by index: the outcome is in each of these parts."""


Multiples = tuple[tuple[int, int], ...]
"""(number of a row, how often it is taken); rows of a case are numbered from 1 on."""


@dataclass(frozen=True, slots=True)
class ByCover:
    """A case for each of the conditions that fail if the outcome is outside of a set."""

    cover: int
    """The number of the set, from 1 on."""


@dataclass(frozen=True, slots=True)
class ByCut:
    """A case for each alternative of a clause."""

    cut: int
    """The number of the clause, from 1 on."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """A further row: a sum of rows, divided by a number and rounded to integers."""

    sum: Multiples
    divisor: int


@dataclass(frozen=True, slots=True)
class Absurd:
    """The case is impossible: a sum of rows says that something negative is not."""

    sum: Multiples


CaseNode = ByCover | ByCut | Rounded | Absurd
