"""Counts in proofs of the kind `chains`: prefixes of runs, and cuts of a level."""

from dataclasses import dataclass
from typing import Literal

from seriatim.certificate.counting import CUT_KINDS, CutKind
from seriatim.strict_json import Record, items, natural, record

Side = Literal["entry", "exit"]

SIDES: tuple[Side, ...] = ("entry", "exit")
COUNTS = ("levels", "rows", "cuts")
ROW = ("level", "place", "side")
CUT = ("level", "kind", "nodes", "places")


@dataclass(frozen=True, slots=True, order=True)
class PrefixRow:
    """The number of tokens on a place is not negative when a run comes to a level, or when it leaves it."""

    level: int
    place: int
    side: Side


@dataclass(frozen=True, slots=True)
class LevelCut:
    """A set Q of nodes of a level and of places, and what follows for the part of a run at that level.

    Siphon: nothing takes from Q there, or something enters it, or it has a token when the run comes to the
    level. Trap: nothing gives to Q there, or something leaves it, or it has a token when the run leaves.
    """

    level: int
    kind: CutKind
    nodes: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted in a structure: its equations, these rows and these cuts.

    Claim: the counts of every run satisfy them. It needs no proof but that levels never fall along edges.
    """

    levels: tuple[int, ...]
    """The level of each node."""
    rows: tuple[PrefixRow, ...]
    cuts: tuple[LevelCut, ...]


def counts_fields(counts: Counts) -> tuple[object, ...]:
    """The values of the keys `COUNTS`."""
    rows = [dict(zip(ROW, (row.level, row.place, row.side), strict=True)) for row in counts.rows]
    cuts = [dict(zip(CUT, (cut.level, cut.kind, cut.nodes, cut.places), strict=True)) for cut in counts.cuts]
    return counts.levels, rows, cuts


def read_counts(fields: Record) -> Counts:
    return Counts(
        levels=fields.read("levels", numbers),
        rows=fields.items("rows", _row),
        cuts=fields.items("cuts", _cut),
    )


def numbers(value: object, where: str) -> tuple[int, ...]:
    return items(value, where, natural)


def _row(value: object, where: str) -> PrefixRow:
    fields = record(value, where, ROW)
    return PrefixRow(
        level=fields.read("level", natural),
        place=fields.read("place", natural),
        side=fields.one_of("side", SIDES),
    )


def _cut(value: object, where: str) -> LevelCut:
    fields = record(value, where, CUT)
    return LevelCut(
        level=fields.read("level", natural),
        kind=fields.one_of("kind", CUT_KINDS),
        nodes=fields.read("nodes", numbers),
        places=fields.read("places", numbers),
    )
