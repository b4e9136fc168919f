"""Evidence of the kind `stuck-run`: a run, and requests in flight that can never complete."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from seriatim.certificate.in_flight import Waiting
from seriatim.certificate.turns import Turn
from seriatim.codec import Inline, Positive


@dataclass(frozen=True, slots=True)
class InFlight:
    """A request in flight after the run."""

    request: Positive
    """The number of the request. Requests that arrived and took no step come after all others."""
    stuck: bool
    """Whether it can never complete."""
    waiting: Annotated[Waiting, Inline()]
    """What it has left to do."""


@dataclass(frozen=True, slots=True)
class StuckRunEvidence:
    """Not free of deadlocks: after these turns, some requests in flight can never complete."""

    kind: ClassVar[Literal["stuck-run"]] = "stuck-run"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Turn, ...]
    in_flight: tuple[InFlight, ...]
    """All requests in flight after the turns."""
