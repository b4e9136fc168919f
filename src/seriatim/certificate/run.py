"""Evidence of the kind `run`: a run that nothing allowed explains."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from seriatim.certificate.turns import Turn
from seriatim.codec import Omitted, Positive


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """A violation: a run. The checker finds out by itself that nothing allowed explains it."""

    kind: ClassVar[Literal["run"]] = "run"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Turn, ...]
    barriers: Annotated[tuple[Positive, ...], Omitted()] = ()
    """Turns before each barrier: requests answered before it precede requests that began after it."""
