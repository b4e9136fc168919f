"""Evidence of the kind `cycle`: a run, and a cycle of conflicts in it."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.turns import Turn
from seriatim.codec import Positive

Access = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two turns of different requests that access the same variable, at least one of them writing it."""

    first: Positive
    second: Positive
    """The two turns, counted from 1; the first comes before the second."""
    variable: str
    """A global of the program, or `state` in a network system."""
    accesses: tuple[Access, Access]
    """How each turn accesses it."""


@dataclass(frozen=True, slots=True)
class CycleEvidence:
    """Not conflict-serializable: a run, complete or not, and a cycle of conflicts in it. The second turn of
    each conflict and the first one of the next are turns of the same request, and so on round to the
    first."""

    kind: ClassVar[Literal["cycle"]] = "cycle"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Turn, ...]
    conflicts: tuple[Conflict, ...]
