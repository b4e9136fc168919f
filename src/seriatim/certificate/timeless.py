"""Evidence of the kind `timeless`: a proof without time, whose order can be sorted by time."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from seriatim.certificate import all as kinds
from seriatim.certificate.in_flight import Invariant, Level
from seriatim.codec import Codec
from seriatim.strict_json import one_of, wrong

if TYPE_CHECKING:
    from seriatim.certificate.evidence import Evidence
else:
    Evidence = object  # its codec is given below


def _serial(value: object, where: str) -> "Evidence":
    if not isinstance(value, dict) or "kind" not in value:
        raise wrong(where, "evidence of some kind")
    kind = one_of(value["kind"], f"{where}.kind", kinds.KINDS)
    if kind == "timeless":
        raise wrong(f"{where}.kind", "evidence without time")
    return kinds.read(kind, {key: item for key, item in value.items() if key != "kind"})


@dataclass(frozen=True, slots=True)
class TimelessEvidence:
    """Strictly serializable: there is a serial order, and it can be sorted by time."""

    kind: ClassVar[Literal["timeless"]] = "timeless"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]
    """How closely to look at who can be in flight together, to see who can come after whom."""
    serial: Annotated[Evidence, Codec(_serial, kinds.fields_with_kind, schema=kinds.schema(kinds.KINDS))]
    """That the input is serializable."""
