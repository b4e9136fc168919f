"""Evidence of the kind `reduction`: which requests have taken effect, so that steps can be exchanged."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import (
    Invariant,
    Waiting,
)


@dataclass(frozen=True, slots=True)
class ReductionEvidence:
    """Serializable: steps of different requests can be exchanged until each request runs alone."""

    kind: ClassVar[Literal["reduction"]] = "reduction"
    proves: ClassVar[Literal[True]] = True

    invariants: tuple[Invariant, ...]
    late: tuple[Waiting, ...]
    """Requests that have taken effect and are not answered yet. All others take effect later, at the latest
    when they are answered."""
