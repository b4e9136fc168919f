"""Evidence of the kind `simulation`: where requests commit, and what holds of any k, for all integers.

Formulas are lines of SMT-LIB. In them `g.X` is a global, `s.X` its copy in the serial state, and `0.x` a
local of the first request that a formula is about; `0.@v` is an argument that it was called with, and `0.=`
the answer that it has committed to. Sums say what formulas about a few requests cannot.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.arithmetic.term_text import read_term, write_term
from seriatim.arithmetic.terms import Sort, Term
from seriatim.strict_json import boolean, document, integer, natural, positive, record, string, values, wrong

KEYS = ("level", "points", "predicates", "flows")
POINT = ("handler", "code", "committed")
PREDICATE = ("at", "formula")
FLOW = ("factors", "weights", "total")


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

    at: tuple[int, ...]
    """Positions of points in the list, sorted."""
    formula: Term


@dataclass(frozen=True, slots=True)
class RequestFlow:
    """A sum that no step changes: of variables, each times its factor, and of the weights of all requests.

    A factor of an array, `g.A[]`, counts its cell at `i`, for every integer i."""

    factors: tuple[tuple[str, int], ...]
    """The factors of `g.X` and `s.X`, sorted by name."""
    weights: tuple[Term, ...]
    """The weight of a request at each point of the list, over `0.x` and `i`; none is negative."""
    total: int


@dataclass(frozen=True, slots=True)
class SimulationEvidence:
    """The formulas hold at the start and after every step, and exclude mistakes."""

    kind: ClassVar[Literal["simulation"]] = "simulation"
    proves: ClassVar[Literal[True]] = True

    level: int
    """The largest number of requests that a formula is about."""
    points: tuple[RestingPoint, ...]
    predicates: tuple[Predicate, ...]
    """Predicates by points; requests never rest at the same time at points without one."""
    flows: tuple[RequestFlow, ...] = ()


def fields(evidence: SimulationEvidence) -> dict[str, object]:
    points, predicates = points_fields(evidence.points), predicates_fields(evidence.predicates)
    flows = flows_fields(evidence.flows)
    return dict(zip(KEYS, (evidence.level, points, predicates, flows), strict=True))


def flows_fields(flows: tuple[RequestFlow, ...]) -> list[dict[str, object]]:
    return [
        dict(zip(FLOW, (dict(each.factors), list(map(write_term, each.weights)), each.total), strict=True))
        for each in flows
    ]


def points_fields(points: tuple[RestingPoint, ...]) -> list[dict[str, object]]:
    return [dict(zip(POINT, (each.handler, each.code, each.committed), strict=True)) for each in points]


def predicates_fields(predicates: tuple[Predicate, ...]) -> list[dict[str, object]]:
    return [
        dict(zip(PREDICATE, (list(each.at), write_term(each.formula)), strict=True)) for each in predicates
    ]


def read(body: dict[str, object]) -> SimulationEvidence:
    found = document(body, "the certificate", KEYS)
    return SimulationEvidence(
        found.read("level", positive),
        found.items("points", read_point),
        found.items("predicates", read_predicate),
        found.items("flows", read_flow),
    )


def read_flow(value: object, where: str) -> RequestFlow:
    flow = record(value, where, FLOW)
    return RequestFlow(
        flow.read("factors", values), flow.items("weights", _read_weight), flow.read("total", integer)
    )


def read_point(value: object, where: str) -> RestingPoint:
    point = record(value, where, POINT)
    return RestingPoint(
        point.read("handler", string), point.read("code", string), point.read("committed", boolean)
    )


def read_predicate(value: object, where: str) -> Predicate:
    predicate = record(value, where, PREDICATE)
    return Predicate(predicate.items("at", natural), predicate.read("formula", _read_formula))


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
