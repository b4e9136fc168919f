"""A run that the reader has chosen, as data: its state, the possible moves, and what explains it so far."""

from dataclasses import dataclass
from enum import StrEnum

from seriatim.explain.timeline import ShownRun, ShownTurn
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Fault


class Explicability(StrEnum):
    """Whether something explains a run so far."""

    EXPLAINED = "explained"
    BY_OTHERS = "by_others"
    """Nothing explains the run as it is, but further requests could."""
    NEVER = "never"
    """No complete run that begins like this is serializable."""
    UNEXPLAINED = "unexplained"
    """Nothing explains the run as it is; whether further requests could is not known."""
    UNKNOWN = "unknown"
    """There are too many serial runs to explore."""

    @property
    def is_unexplained(self) -> bool:
        """Whether it is known that nothing explains the run as it is."""
        return self in (Explicability.BY_OTHERS, Explicability.NEVER, Explicability.UNEXPLAINED)


@dataclass(frozen=True, slots=True)
class ExplainingState:
    """A state in which a serial order ends that explains the run, and that order."""

    state: GlobalState
    order: tuple[tuple[str, str], ...]
    """(handler, response), as the source calls them."""
    is_current: bool
    """Whether the run is in this state, too."""


@dataclass(frozen=True, slots=True)
class WaitingRequest:
    """A request that cannot move now, or whose next step fails."""

    request: int | None
    """The request, counted from 1; None for one that would begin now."""
    handler: str
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Exploration:
    run: ShownRun
    choices: tuple[ShownTurn, ...]
    """The possible moves, each with its effect."""
    waiting: tuple[WaitingRequest, ...]
    is_complete: bool
    """Whether no request is in flight."""
    explicability: Explicability
    explaining: tuple[ExplainingState, ...]
    more_explaining: int
    """How many further explaining states are not listed."""
    unexplained_since: int | None
    """The move, counted from 1, since which nothing explains the run; None if something does."""
    refused: int | None
    """The position of the first choice that is not a possible move; it and all later ones are ignored."""
