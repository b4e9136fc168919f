"""A run that was drawn at random, as data: what happens in it, and how it ends."""

from seriatim.explain.argument import Nearest
from seriatim.explain.timeline import ShownRun
from seriatim.frozen import frozen


@frozen
class Answered:
    """All requests were answered."""

    nearest: Nearest | None
    """The serial orders that come nearest, if somebody asked and they are known."""


@frozen
class GotStuck:
    """Some requests wait for ever."""

    waiting: tuple[int, ...]
    """Those in flight, counted from 1."""
    never_begun: tuple[str, ...]
    """The handlers of the others."""


@frozen
class CutShort:
    """Some requests are still in flight after so many steps."""


Ending = Answered | GotStuck | CutShort


@frozen
class DrawnRun:
    run: ShownRun
    ending: Ending
    seed: int
    serial: bool

    @property
    def never_begun(self) -> int:
        """How many requests were asked for and are not in the run."""
        return len(self.ending.never_begun) if isinstance(self.ending, GotStuck) else 0
