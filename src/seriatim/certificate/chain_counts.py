"""Counts in proofs of the kind `chains`: prefixes of runs, and cuts of a level."""

from dataclasses import dataclass
from typing import Literal

from seriatim.certificate.counting import CutKind
from seriatim.codec import Natural

Side = Literal["entry", "exit"]

Numbers = tuple[Natural, ...]


@dataclass(frozen=True, slots=True, order=True)
class PrefixRow:
    """The number of tokens on a place is not negative when a run comes to a level, or when it leaves it."""

    level: Natural
    place: Natural
    side: Side


@dataclass(frozen=True, slots=True)
class LevelCut:
    """A set Q of nodes of a level and of places, and what follows for the part of a run at that level.

    Siphon: nothing takes from Q there, or something enters it, or it has a token when the run comes to the
    level. Trap: nothing gives to Q there, or something leaves it, or it has a token when the run leaves.
    """

    level: Natural
    kind: CutKind
    nodes: Numbers
    places: Numbers


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted in a structure: its equations, these rows and these cuts.

    Claim: the counts of every run satisfy them. It needs no proof but that levels never fall along edges.
    """

    levels: Numbers
    """The level of each node."""
    rows: tuple[PrefixRow, ...]
    cuts: tuple[LevelCut, ...]
