"""Evidence of the kind `never-stuck`: how finely to examine requests to see that one can always complete."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import Invariant, Level


@dataclass(frozen=True, slots=True)
class NeverStuckEvidence:
    """Free of deadlocks: wherever requests are in flight, one of them can complete."""

    kind: ClassVar[Literal["never-stuck"]] = "never-stuck"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]
