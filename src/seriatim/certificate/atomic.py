"""Evidence of the kind `atomic`: no handler yields."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import Invariant
from seriatim.strict_json import document


@dataclass(frozen=True, slots=True)
class AtomicEvidence:
    """Serializable: no handler yields, so that every request is one step."""

    kind: ClassVar[Literal["atomic"]] = "atomic"
    proves: ClassVar[Literal[True]] = True
    invariants: ClassVar[tuple[Invariant, ...]] = ()


def fields(_: AtomicEvidence) -> dict[str, object]:
    """Empty: the kind says everything."""
    return {}


def read(body: dict[str, object]) -> AtomicEvidence:
    document(body, "the certificate", ())
    return AtomicEvidence()
