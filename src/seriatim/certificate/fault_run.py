"""Evidence of the kind `fault-run`: a run, and a request whose next step can fail."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.turns import Turn
from seriatim.codec import codec_of
from seriatim.strict_json import document, positive, record, string

KEYS = ("turns", "request", "handler", "fault")
FAULT = ("code", "message")


@dataclass(frozen=True, slots=True)
class FaultRunEvidence:
    """Not safe: after these turns, a step of a request can fail."""

    kind: ClassVar[Literal["fault-run"]] = "fault-run"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Turn, ...]
    request: int
    """The number of the request that fails; the next number if it has not begun."""
    handler: str
    """Its handler."""
    code: str
    """The diagnostic code of the failure, which `ser explain` explains."""
    message: str
    """The failure in words."""


def fields(evidence: FaultRunEvidence) -> dict[str, object]:
    fault = dict(zip(FAULT, (evidence.code, evidence.message), strict=True))
    values = (codec_of(tuple[Turn, ...]).write(evidence.turns), evidence.request, evidence.handler, fault)
    return dict(zip(KEYS, values, strict=True))


def read(body: dict[str, object]) -> FaultRunEvidence:
    found = document(body, "the certificate", KEYS)
    fault = found.read("fault", lambda value, where: record(value, where, FAULT))
    return FaultRunEvidence(
        turns=found.read("turns", codec_of(tuple[Turn, ...]).read),
        request=found.read("request", positive),
        handler=found.read("handler", string),
        code=fault.read("code", string),
        message=fault.read("message", string),
    )
