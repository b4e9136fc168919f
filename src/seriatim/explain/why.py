"""Why a run violates a property, as data; `explain.causes` finds it out."""

from typing import TYPE_CHECKING

from seriatim.explain.argument import Argument, Nearest
from seriatim.frozen import frozen
from seriatim.source import Diagnostic

if TYPE_CHECKING:
    from seriatim.certificate.cycle import Access


@frozen
class FinalValues:
    """What an observer saw beside the answers: values of globals, in words."""

    values: str


@frozen
class Timed:
    """Requests of a handler with the same answer and the same place in time."""

    handler: str
    answer: str | None
    """With the intervals in which they began and ended; None if they are still in flight."""
    began: int
    """The interval, counted from 1."""
    times: int


@frozen
class InTime:
    """The requests that were answered in each interval of time."""

    requests: tuple[Timed, ...]


Seen = FinalValues | InTime


@frozen
class NothingExplains:
    """Nothing that is allowed has the outcome of the run."""

    argument: Argument | None
    """None if it takes too many cases, or if nobody looked for it."""
    nearest: Nearest | None
    seen: Seen | None = None
    """What else than answers was observed."""
    barriers: tuple[int, ...] = ()
    """After how many turns of the run each of them stands."""
    is_cut: bool = False
    """Whether time or memory ran out before the argument was found."""


@frozen
class AccessShown:
    """What a request of the run does with a variable."""

    request: int
    """Counted from 1."""
    handler: str
    access: "Access"
    line: int | None
    """None in a network system."""


@frozen
class ConflictShown:
    """The first access comes before the second."""

    variable: str
    first: AccessShown
    second: AccessShown


@frozen
class Cycle:
    """Each request of a cycle of conflicts would have to come before itself."""

    conflicts: tuple[ConflictShown, ...]
    """Beginning with the one that happens first."""


@frozen
class Effect:
    """A request takes effect."""

    request: int
    """Counted from 1."""
    handler: str
    response: str
    """With which it is answered."""
    line: int | None
    """Of the mark; None if it passes none, and takes effect with its answer."""


@frozen
class Points:
    """Requests take effect in an order that is not allowed: this one."""

    effects: tuple[Effect, ...]


@frozen
class Fails:
    """A step fails: a failed assertion, a value outside its range, an index without an element."""

    diagnostic: Diagnostic


@frozen
class Held:
    """A variable that somebody waits for, and who gave it its value."""

    variable: str
    value: str
    by: int | None
    """The request that did, counted from 1; None if it is the initial value."""
    handler: str
    """Of that request."""
    line: int | None
    has_ended: bool
    """Whether that request is answered."""


@frozen
class Waits:
    """A request that can never complete."""

    request: int
    """Counted from 1; after all others, if it has arrived and could not begin."""
    handler: str
    line: int | None
    """Where it waits; None in a network system."""
    holds: tuple[Held, ...]
    """The variables that keep it there."""


@frozen
class Stuck:
    """Requests in flight can never complete, whatever arrives."""

    waits: tuple[Waits, ...]
    unchanged: tuple[str, ...]
    """The variables that keep them and that nothing which can still happen changes."""


Why = NothingExplains | Cycle | Points | Fails | Stuck
