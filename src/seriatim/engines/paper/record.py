"""The record of the paper's pipeline: its results so far, step by step."""

from dataclasses import dataclass, field

from seriatim.arithmetic.formula import Conjunction
from seriatim.arithmetic.semilinear.regex import Regex
from seriatim.arithmetic.semilinear.sets import SemilinearSet
from seriatim.engines.paper.serial_language import SerialLanguage
from seriatim.method import Optimizations
from seriatim.petri.from_system import InterleavingNet
from seriatim.petri.reachability import Open, Reached, Unreachable
from seriatim.petri.slicing import Slice


@dataclass(frozen=True, slots=True)
class Asked:
    """One disjunct of the query about the net's places: the rest of the net, and the answer."""

    goal: Conjunction
    part: Slice
    answer: Reached | Unreachable | Open
    seconds: float


@dataclass(slots=True)
class PaperRecord:
    """The results of the steps, in order; None for those not taken yet."""

    optimizations: Optimizations
    interleaving: InterleavingNet | None = None
    language: SerialLanguage | None = None
    regex: Regex | None = None
    serial: SemilinearSet | None = None
    """Ser: entry i of its vectors is about the i-th place of answered requests."""
    query: tuple[Conjunction, ...] | None = None
    """The disjuncts about the net's places: no request is in flight, and no serial run has these answers."""
    asked: list[Asked] = field(default_factory=list)
    """The disjuncts that were decided."""
    seconds: dict[str, float] = field(default_factory=dict)
    """The seconds of each step."""
