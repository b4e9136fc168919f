"""Evidence of the kind `atomic`: no handler yields."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import Invariant


@dataclass(frozen=True, slots=True)
class AtomicEvidence:
    """Serializable: no handler yields, so that every request is one step."""

    kind: ClassVar[Literal["atomic"]] = "atomic"
    proves: ClassVar[Literal[True]] = True
    invariants: ClassVar[tuple[Invariant, ...]] = ()
