"""Queries about the markings that a net can reach, in the XML of the Model Checking Contest.

A query asks whether some reachable marking satisfies a predicate (EF), or whether all do (AG). Predicates
are made of linear comparisons of numbers of tokens, of "can fire" and of "nothing can fire"; all of them
become comparisons with 0 as they are read.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import assert_never

from seriatim.arithmetic.formula import Conjunction, Constraint, Relation, at_most, combination
from seriatim.petri.net import Marking


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds."""

    parts: tuple["Predicate", ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one part holds."""

    parts: tuple["Predicate", ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: "Predicate"


Predicate = Constraint | All | Some | Not
"""Variable p of a constraint is the number of tokens on place p."""


class Quantifier(StrEnum):
    EXISTS = "EF"
    """Some reachable marking satisfies the predicate."""
    ALWAYS = "AG"
    """Every reachable marking does."""


@dataclass(frozen=True, slots=True)
class Query:
    name: str
    quantifier: Quantifier
    predicate: Predicate

    def find_sought(self) -> Predicate:
        """What a marking satisfies that settles the query: one that exists, or one that refutes it."""
        return self.predicate if self.quantifier is Quantifier.EXISTS else Not(self.predicate)


MAX_CASES = 2_000


class TooManyCases(Exception):
    """A predicate has too many cases."""


def holds(predicate: Predicate, marking: Marking) -> bool:
    match predicate:
        case Constraint():
            return predicate.holds(marking)
        case All(parts=parts):
            return all(holds(part, marking) for part in parts)
        case Some(parts=parts):
            return any(holds(part, marking) for part in parts)
        case Not(part=part):
            return not holds(part, marking)
        case _:
            assert_never(predicate)


def cases(predicate: Predicate, places: int) -> tuple[Conjunction, ...]:
    """Conjunctions at least one of which holds if and only if the predicate does."""
    found = dict.fromkeys(tuple(dict.fromkeys(case)) for case in _cases(predicate, True))
    return tuple(Conjunction(places, (), case) for case in found)


def _cases(predicate: Predicate, is_wanted: bool) -> list[tuple[Constraint, ...]]:
    match predicate:
        case Constraint():
            return [(predicate,)] if is_wanted else [(each,) for each in negate(predicate)]
        case All(parts=parts):
            return _all(parts, is_wanted) if is_wanted else _some(parts, is_wanted)
        case Some(parts=parts):
            return _some(parts, is_wanted) if is_wanted else _all(parts, is_wanted)
        case Not(part=part):
            return _cases(part, not is_wanted)
        case _:
            assert_never(predicate)


def _some(parts: Sequence[Predicate], is_wanted: bool) -> list[tuple[Constraint, ...]]:
    return _few(case for part in parts for case in _cases(part, is_wanted))


def _all(parts: Sequence[Predicate], is_wanted: bool) -> list[tuple[Constraint, ...]]:
    found: list[tuple[Constraint, ...]] = [()]
    for part in parts:
        found = _few((*left, *right) for left, right in product(found, _cases(part, is_wanted)))
    return found


def _few(found: Iterable[tuple[Constraint, ...]]) -> list[tuple[Constraint, ...]]:
    kept: list[tuple[Constraint, ...]] = []
    for case in found:
        kept.append(case)
        if len(kept) > MAX_CASES:
            raise TooManyCases
    return kept


def negate(constraint: Constraint) -> Iterator[Constraint]:
    """Constraints at least one of which holds if and only if the given one does not."""
    yield at_most(constraint.form, -1)
    if constraint.relation is Relation.IS_ZERO:
        yield Constraint(combination([(1, constraint.form)], -1), Relation.IS_NATURAL)
