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
)
from seriatim.codec import Positive


@dataclass(frozen=True, slots=True)
class SymbolicReductionEvidence:
    """Serializable: steps of different requests can be exchanged until each request runs alone, wherever the
    formulas hold; and they hold at the start and after every step."""

    kind: ClassVar[Literal["symbolic-reduction"]] = "symbolic-reduction"
    proves: ClassVar[Literal[True]] = True

    level: Positive
    """The largest number of requests that a formula is about."""
    pauses: bool
    """Whether it is about the program in which requests also pause before they wait."""
    points: tuple[RestingPoint, ...]
    """Resting points. Steps before the commit can be moved later, steps after it earlier."""
    predicates: tuple[Predicate, ...]
    """Predicates by points; requests never rest at the same time at points without one."""
    flows: tuple[RequestFlow, ...] = ()
