"""Proofs by counting as data."""

from dataclasses import dataclass

from seriatim.arithmetic.case_proofs import CaseNode
from seriatim.engines.shared.serial_walks import SerialCover
from seriatim.petri.cuts import CutKind
from seriatim.petri.situations import Direction, Numbers
from seriatim.systems.closure import Coverage


@dataclass(frozen=True, slots=True)
class PlaceCut:
    """A cut (`seriatim.petri.cuts`) whose places are global states, or situations, and locals."""

    kind: CutKind
    control: frozenset[int]
    locals: frozenset[int]


@dataclass(frozen=True, slots=True)
class InSituations:
    """Moves were counted by situation (`seriatim.petri.situations`)."""

    direction: Direction
    locals: tuple[int, ...]
    """The locals whose numbers the situations know."""
    situations: tuple[tuple[int, Numbers], ...]
    """Pairs (global state, numbers of requests at each of these locals)."""


@dataclass(frozen=True, slots=True)
class CaseTree:
    """A proof (`seriatim.engines.shared.case_tree`) whose first rows are the balances of these places, after
    those of situations, if there are any."""

    globals: tuple[int, ...]
    locals: tuple[int, ...]
    completions: tuple[int, ...]
    """The completions in the order of outcomes."""
    nodes: tuple[CaseNode, ...]


@dataclass(frozen=True, slots=True)
class ProvedByCover:
    """Serializable, because the outcomes that the state equation and these cuts allow are covered by linear
    sets of serial outcomes: `seriatim.engines.counting`."""

    coverage: Coverage
    """What can be in flight together."""
    situations: InSituations | None
    cuts: tuple[PlaceCut, ...]
    covers: tuple[SerialCover, ...]
    tree: CaseTree | None
    """A proof without a solver that nothing is outside of the covers, if there is one."""
