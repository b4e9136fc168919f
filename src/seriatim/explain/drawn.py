"""A random run as data: what happens in it, and how it ends."""

from dataclasses import dataclass

from seriatim.explain.argument import Nearest
from seriatim.explain.timeline import ShownRun


@dataclass(frozen=True, slots=True)
class Answered:
    """All requests were answered."""

    nearest: Nearest | None
    """The nearest serial orders, if they were asked for and are known."""


@dataclass(frozen=True, slots=True)
class GotStuck:
    """Some requests wait for ever."""

    waiting: tuple[int, ...]
    """The requests in flight, counted from 1."""
    never_begun: tuple[str, ...]
    """The handlers of requests that never began."""


@dataclass(frozen=True, slots=True)
class CutShort:
    """Some requests are still in flight after the largest number of steps."""


Ending = Answered | GotStuck | CutShort


@dataclass(frozen=True, slots=True)
class DrawnRun:
    run: ShownRun
    ending: Ending
    seed: int
    serial: bool

    @property
    def never_begun(self) -> int:
        """How many of the given requests are not in the run."""
        return len(self.ending.never_begun) if isinstance(self.ending, GotStuck) else 0
