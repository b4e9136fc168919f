"""Evidence of the kind `simulation`: where requests commit, and what holds of any k, for all integers.

Formulas are lines of SMT-LIB. In them `g.X` is a global, `s.X` its copy in the serial state, and `0.x` a
local of the first request that a formula is about; `0.@v` is an argument that it was called with, and `0.=`
the answer that it has committed to. Sums say what formulas about a few requests cannot.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from seriatim.arithmetic.term_text import read_term, write_term
from seriatim.arithmetic.terms import Sort, Term
from seriatim.codec import Codec, Natural, Positive, Values
from seriatim.strict_json import string, wrong


def _read_formula(value: object, where: str) -> Term:
    return _read_term(value, where, Sort.BOOL, "a formula, not a number")


def _read_weight(value: object, where: str) -> Term:
    return _read_term(value, where, Sort.INT, "a number, not a formula")


def _read_term(value: object, where: str, sort: Sort, wanted: str) -> Term:
    try:
        term = read_term(string(value, where))
    except ValueError as error:
        raise wrong(where, f"a term of SMT-LIB: {error}") from None
    if term.sort is not sort:
        raise wrong(where, wanted)
    return term


@dataclass(frozen=True, slots=True)
class RestingPoint:
    """A point where requests rest."""

    handler: str
    code: str
    """The remaining code."""
    committed: bool
    """Whether requests there have taken effect."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A formula that holds whenever requests rest at these points."""

    at: tuple[Natural, ...]
    """Positions of points in the list, sorted."""
    formula: Annotated[Term, Codec(_read_formula, write_term, schema=str)]


@dataclass(frozen=True, slots=True)
class RequestFlow:
    """A sum that no step changes: of variables, each times its factor, and of the weights of all requests.

    A factor of an array, `g.A[]`, counts its cell at `i`, for every integer i."""

    factors: Values
    """The factors of `g.X` and `s.X`, sorted by name."""
    weights: tuple[Annotated[Term, Codec(_read_weight, write_term, schema=str)], ...]
    """The weight of a request at each point of the list, over `0.x` and `i`; none is negative."""
    total: int


@dataclass(frozen=True, slots=True)
class SimulationEvidence:
    """The formulas hold at the start and after every step, and exclude mistakes."""

    kind: ClassVar[Literal["simulation"]] = "simulation"
    proves: ClassVar[Literal[True]] = True

    level: Positive
    """The largest number of requests that a formula is about."""
    points: tuple[RestingPoint, ...]
    predicates: tuple[Predicate, ...]
    """Predicates by points; requests never rest at the same time at points without one."""
    flows: tuple[RequestFlow, ...] = ()
