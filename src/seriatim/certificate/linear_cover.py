"""Evidence of the kind `linear-cover`: counts of steps, and serial runs with all outcomes they allow."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.counting import (
    CutPlaces,
    Situations,
    cut_fields,
    read_cut,
    read_situations,
    situations_fields,
)
from seriatim.certificate.in_flight import LEVELS, Invariant, Level, invariants_fields, read_invariant
from seriatim.certificate.serial_paths import SerialPath, paths_fields, read_path
from seriatim.strict_json import Record, document

KEYS = ("level", "invariants", "situations", "cuts", "covers")


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


def fields(evidence: CoverEvidence) -> dict[str, object]:
    return {
        "level": evidence.level,
        "invariants": invariants_fields(evidence.invariants),
        "situations": situations_fields(evidence.situations),
        "cuts": [cut_fields(cut) for cut in evidence.cuts],
        "covers": paths_fields(evidence.covers),
    }


def read(body: dict[str, object]) -> CoverEvidence:
    return read_claim(document(body, "the certificate", KEYS))


def read_claim(found: Record) -> CoverEvidence:
    """Reads the claim, whether or not a proof follows."""
    return CoverEvidence(
        level=found.one_of("level", LEVELS),
        invariants=found.items("invariants", read_invariant),
        situations=found.read("situations", read_situations),
        cuts=found.items("cuts", read_cut),
        covers=found.items("covers", read_path),
    )
