"""Queries about the markings that a net can reach, in the XML of the Model Checking Contest.

A query asks whether some reachable marking satisfies a predicate (EF), or whether all do (AG). Predicates
are made of linear comparisons of numbers of tokens, of "can fire" and of "nothing can fire"; all of them
become comparisons with 0 as they are read.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count, product
from typing import assert_never

from seriatim.arithmetic.formula import (
    Clause,
    Conjunction,
    Constraint,
    Form,
    Relation,
    at_least,
    at_most,
    combination,
    total,
)
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
        """Returns what a marking satisfies that settles the query: one that exists, or one that refutes
        it."""
        return self.predicate if self.quantifier is Quantifier.EXISTS else Not(self.predicate)


@dataclass(frozen=True, slots=True)
class Bound:
    """How many tokens do these places have together at most?"""

    name: str
    places: Form
    """A sum, in which a place may count several times."""


MAX_CASES = 16
"""Each case is a question of its own; predicates with more cases are one question, of clauses."""


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


def clauses(predicate: Predicate, places: int) -> tuple[tuple[Clause, ...], int]:
    """Clauses that have a solution for exactly the markings that satisfy a predicate, and how many more
    variables than places they have. An alternative that is more than one clause gets a variable, which is at
    least 1 only where the alternative holds."""
    extra = count(places)
    found = tuple(_clauses(predicate, True, extra))
    return found, next(extra) - places


def _clauses(predicate: Predicate, is_wanted: bool, extra: "count[int]") -> list[Clause]:
    match predicate:
        case Constraint():
            return [(predicate,)] if is_wanted else [tuple(negate(predicate))]
        case Not(part=part):
            return _clauses(part, not is_wanted, extra)
        case All(parts=parts) if is_wanted:
            return [clause for part in parts for clause in _clauses(part, True, extra)]
        case Some(parts=parts) if not is_wanted:
            return [clause for part in parts for clause in _clauses(part, False, extra)]
        case All(parts=parts) | Some(parts=parts):
            return _any_of([_clauses(part, is_wanted, extra) for part in parts], extra)
        case _:
            assert_never(predicate)


def _any_of(alternatives: list[list[Clause]], extra: "count[int]") -> list[Clause]:
    chosen: list[Constraint] = []
    found: list[Clause] = []
    for inside in alternatives:
        if not inside:
            return []
        if len(inside) == 1:
            chosen += inside[0]
            continue
        marker = total([next(extra)])
        chosen.append(at_least(marker, 1))
        found += [(at_most(marker, 0), *clause) for clause in inside]
    return [tuple(chosen) or (NEVER,), *found]


NEVER = at_least(total(()), 1)


def negate(constraint: Constraint) -> Iterator[Constraint]:
    """Constraints at least one of which holds if and only if the given one does not."""
    yield at_most(constraint.form, -1)
    if constraint.relation is Relation.IS_ZERO:
        yield Constraint(combination([(1, constraint.form)], -1), Relation.IS_NATURAL)
