"""Evidence of the kind `fault-run`: a run, and a request whose next step can fail."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.turns import Turn
from seriatim.codec import Positive


@dataclass(frozen=True, slots=True)
class Told:
    """A failure, as the certificate says it."""

    code: str
    """The diagnostic code, which `ser explain` explains."""
    message: str


@dataclass(frozen=True, slots=True)
class FaultRunEvidence:
    """Not safe: after these turns, a step of a request can fail."""

    kind: ClassVar[Literal["fault-run"]] = "fault-run"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Turn, ...]
    request: Positive
    """The number of the request that fails; the next number if it has not begun."""
    handler: str
    """Its handler."""
    fault: Told
