"""Evidence of the kind `symbolic-reduction`: steps that can be exchanged, for all integers.

Formulas are lines of SMT-LIB, as in evidence of the kind `simulation`, without a serial state: `g.X` is a
global, `g.A[]` an array with a cell for each integer, `0.x` a local of the first request.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.simulation import (
    Predicate,
    RequestFlow,
    RestingPoint,
    flows_fields,
    points_fields,
    predicates_fields,
    read_flow,
    read_point,
    read_predicate,
)
from seriatim.strict_json import boolean, document, positive

KEYS = ("level", "pauses", "points", "predicates", "flows")


@dataclass(frozen=True, slots=True)
class SymbolicReductionEvidence:
    """Serializable: steps of different requests can be exchanged until each request runs alone, wherever the
    formulas hold; and they hold at the start and after every step."""

    kind: ClassVar[Literal["symbolic-reduction"]] = "symbolic-reduction"
    proves: ClassVar[Literal[True]] = True

    level: int
    """The largest number of requests that a formula is about."""
    points: tuple[RestingPoint, ...]
    """Resting points. Steps before the commit can be moved later, steps after it earlier."""
    predicates: tuple[Predicate, ...]
    """Predicates by points; requests never rest at the same time at points without one."""
    flows: tuple[RequestFlow, ...] = ()
    pauses: bool = False
    """Whether it is about the program in which requests also pause before they wait."""


def fields(evidence: SymbolicReductionEvidence) -> dict[str, object]:
    return {
        "level": evidence.level,
        "pauses": evidence.pauses,
        "points": points_fields(evidence.points),
        "predicates": predicates_fields(evidence.predicates),
        "flows": flows_fields(evidence.flows),
    }


def read(body: dict[str, object]) -> SymbolicReductionEvidence:
    found = document(body, "the certificate", KEYS)
    return SymbolicReductionEvidence(
        found.read("level", positive),
        found.items("points", read_point),
        found.items("predicates", read_predicate),
        found.items("flows", read_flow),
        found.read("pauses", boolean),
    )
