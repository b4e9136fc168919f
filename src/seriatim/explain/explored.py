"""A run that a reader has chosen, as data: its state, the possible moves, and what explains it so far."""

from enum import StrEnum

from seriatim.explain.timeline import ShownRun, ShownTurn
from seriatim.frozen import frozen
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Fault


class Explicability(StrEnum):
    """Whether something explains a run so far."""

    EXPLAINED = "explained"
    BY_OTHERS = "by_others"
    """Only with requests that have not begun: as it is, nothing explains it."""
    NEVER = "never"
    """No complete run that begins like this is serializable."""
    UNEXPLAINED = "unexplained"
    """As it is, nothing explains it; whether requests that have not begun could is not known."""
    UNKNOWN = "unknown"
    """There is too much to look at."""

    @property
    def is_unexplained(self) -> bool:
        """Whether it is known that nothing explains the run as it is."""
        return self in (Explicability.BY_OTHERS, Explicability.NEVER, Explicability.UNEXPLAINED)


@frozen
class ExplainingState:
    """A state in which a serial order ends that explains the run, and that order."""

    state: GlobalState
    order: tuple[tuple[str, str], ...]
    """(handler, response), as the source calls them."""
    is_current: bool
    """Whether the run is in this state, too."""


@frozen
class Waiting:
    """A request that cannot move now, or whose next step fails."""

    request: int | None
    """From 1 on; None is one that would begin now."""
    handler: str
    fault: Fault | None


@frozen
class Exploration:
    run: ShownRun
    choices: tuple[ShownTurn, ...]
    """What each possible move would do."""
    waiting: tuple[Waiting, ...]
    is_complete: bool
    """Whether nobody is in flight."""
    explicability: Explicability
    explaining: tuple[ExplainingState, ...]
    more_explaining: int
    """States that are not told."""
    unexplained_since: int | None
    """The move, from 1 on, since which nothing has explained the run; None if something does."""
    refused: int | None
    """The place of a choice that is no possible move; those from there on are left out."""
