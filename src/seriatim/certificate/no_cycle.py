"""Evidence of the kind `no-cycle`: how finely to examine requests to exclude cycles of conflicts."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import Invariant, Level


@dataclass(frozen=True, slots=True)
class NoCycleEvidence:
    """Conflict-serializable: no request can close a cycle of conflicts, given what can be in flight
    together."""

    kind: ClassVar[Literal["no-cycle"]] = "no-cycle"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]
