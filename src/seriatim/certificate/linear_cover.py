"""Evidence of the kind `linear-cover`: counts of steps, and serial runs with all outcomes they allow."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.counting import (
    CutPlaces,
    Situations,
)
from seriatim.certificate.in_flight import Invariant, Level
from seriatim.certificate.serial_paths import SerialPath


@dataclass(frozen=True, slots=True)
class CoverEvidence:
    """Serializable: the outcomes that counting steps allows, under these cuts, are all outcomes of these
    serial runs."""

    kind: ClassVar[Literal["linear-cover"]] = "linear-cover"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]
    situations: Situations | None
    """If given, steps in different situations are counted separately."""
    cuts: tuple[CutPlaces, ...]
    covers: tuple[SerialPath, ...]
