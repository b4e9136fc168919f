"""Evidence of the kind `points`: a run whose marked points are in an order that is not allowed."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.turns import Turn, read_turn, turns_fields
from seriatim.strict_json import document, positive

KEYS = ("turns", "points")


@dataclass(frozen=True, slots=True)
class PointsEvidence:
    """Not static-linearizable with the points that the program marks: a run in which every request that has
    taken effect has been answered, and the order of their points is not allowed."""

    kind: ClassVar[Literal["points"]] = "points"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Turn, ...]
    points: tuple[int, ...]
    """The turns in which requests take effect, by number, from 1 on."""


def fields(evidence: PointsEvidence) -> dict[str, object]:
    return {"turns": turns_fields(evidence.turns), "points": list(evidence.points)}


def read(body: dict[str, object]) -> PointsEvidence:
    found = document(body, "the certificate", KEYS)
    return PointsEvidence(
        turns=found.items("turns", read_turn),
        points=found.items("points", positive),
    )
