"""Evidence of the kind `commit`: which requests have taken effect, and how finely to examine others."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import Invariant, Level
from seriatim.codec import Values


@dataclass(frozen=True, slots=True)
class CommittedState:
    """Requests with this much left to do have taken effect and are not answered yet."""

    handler: str
    code: str
    """The remaining code, or the name of the network system's local state."""
    values: Values
    """Values of local variables."""
    response: str
    """The answer to come."""


@dataclass(frozen=True, slots=True)
class CommitEvidence:
    """Serializable: each request takes effect in one step, and the order of these explains the answers."""

    kind: ClassVar[Literal["commit"]] = "commit"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]
    committed: tuple[CommittedState, ...]
    """A request that is not described here takes effect when it is answered."""
