"""Evidence of the kind `points`: a run whose marked points are in an order that is not allowed."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.turns import Turn
from seriatim.codec import Positive


@dataclass(frozen=True, slots=True)
class PointsEvidence:
    """Not static-linearizable with the points that the program marks: a run in which every request that has
    taken effect has been answered, and the order of their points is not allowed."""

    kind: ClassVar[Literal["points"]] = "points"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Turn, ...]
    points: tuple[Positive, ...]
    """The turns in which requests take effect, by number, from 1 on."""
