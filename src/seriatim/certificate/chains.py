"""The proofs in evidence of the kind `chains`: the ways that complete runs can go, refined step by step.

`docs/theory/chains.md` defines all that is named here, proves each claim, and says how whoever reads the
evidence rebuilds the structures that it speaks of: no structure is written down. Moves, global states,
places, completions, nodes, edges, covers and parts are numbered from 0 on, in the order of their lists.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ListedMove:
    """A move: from one global state to another, of a request from one place to another.

    Claim of the whole list: every move that complete runs can make is in it. More may be listed.
    """

    before: int
    takes: int | None
    """The place of the request that moves; None for a fresh one."""
    after: int
    gives: int | None
    """The place where it waits then; None if it is answered."""
    answer: int | None
    """The completion, if it is answered; otherwise None."""


@dataclass(frozen=True, slots=True, order=True)
class PrefixRow:
    """The number of tokens on a place is not negative when a run comes to a level, or when it leaves it."""

    level: int
    place: int
    side: Literal["entry", "exit"]


@dataclass(frozen=True, slots=True)
class LevelCut:
    """A set Q of nodes of a level and of places, and what follows for the part of a run at that level.

    Siphon: nothing takes from Q there, or something enters it, or it has a token when the run comes to the
    level. Trap: nothing gives to Q there, or something leaves it, or it has a token when the run leaves.
    """

    level: int
    kind: Literal["siphon", "trap"]
    nodes: tuple[int, ...]
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted in a structure: its equations, these rows and these cuts.

    Claim: the counts of every run satisfy them. It needs no proof but that levels never fall along edges.
    """

    levels: tuple[int, ...]
    """Of each node."""
    rows: tuple[PrefixRow, ...]
    cuts: tuple[LevelCut, ...]


@dataclass(frozen=True, slots=True)
class NoRuns:
    """The structure is empty: no path leads from its start to its end."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The runs that change levels along these edges, in this order, and along no others."""

    bridges: tuple[int, ...]
    proof: "ChainNode"
    """About the structure that consists of the levels between these edges."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Every run is in one of these chains, or its outcome is in a cover.

    Claim: no counts leave an edge of each chain unused and have an outcome in the region and in no cover.
    """

    counts: Counts
    chains: tuple[Chain, ...]


@dataclass(frozen=True, slots=True)
class NodeCase:
    """A node, and how many requests are at each place; None where nothing is said."""

    node: int
    numbers: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Situated:
    """Nodes are told apart by what is known about the numbers of requests, from the start or from the end.

    Claim: the start, or the end, with nobody in flight fits a case, and so does whatever an edge that is
    possible in a case leads to, or comes from.
    """

    direction: Literal["forward", "backward"]
    cases: tuple[NodeCase, ...]
    proof: "ChainNode"
    """About the structure whose nodes are the cases."""


@dataclass(frozen=True, slots=True)
class Layered:
    """Some edges within a level are taken at most so many times; the level is copied, so as to count them.

    Claim: no counts in the region have a larger sum over these edges. If no number is given, nothing is
    claimed, and only whether such an edge has been taken yet is told apart.
    """

    counts: Counts
    level: int
    edges: tuple[int, ...]
    times: int | None
    proof: "ChainNode"
    """About the structure with the copies."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """After an edge between levels, some places have one of these tuples of numbers; a copy of the edge for
    each.

    Claim: no counts in the region use the edge and have other numbers there.
    """

    counts: Counts
    edge: int
    places: tuple[int, ...]
    values: tuple[tuple[int, ...], ...]
    proof: "ChainNode"
    """About the structure with the copies."""


@dataclass(frozen=True, slots=True)
class OutsideCover:
    """An outcome is in a cover, or in one of the parts that make up what is outside of it.

    Nothing is claimed: there is a proof for each part.
    """

    cover: int
    parts: tuple["ChainNode", ...]
    """About the same structure and the region with the part."""


ChainNode = NoRuns | Counted | Situated | Layered | Fixed | OutsideCover
