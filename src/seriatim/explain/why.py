"""Why a run violates a property, as data; `explain.causes` finds it out."""

from dataclasses import dataclass, field
from typing import Annotated

from seriatim.certificate.cycle import Access
from seriatim.codec import Key, Omitted
from seriatim.explain.argument import Argument, Nearest
from seriatim.source import Diagnostic


@dataclass(frozen=True, slots=True)
class FinalValues:
    """What an observer saw beside the answers: values of globals, in words."""

    values: Annotated[str, Key("final_values")]


@dataclass(frozen=True, slots=True)
class Timed:
    """Requests of a handler with the same answer and the same place in time."""

    handler: str
    answer: str | None
    """The answer; None if the requests are still in flight."""
    began: int
    """The interval in which they began, counted from 1."""
    times: int


@dataclass(frozen=True, slots=True)
class InTime:
    """The requests that were answered in each interval of time."""

    requests: Annotated[tuple[Timed, ...], Key("in_time")]


Seen = FinalValues | InTime


@dataclass(frozen=True, slots=True)
class NothingExplains:
    """Nothing that is allowed has the outcome of the run."""

    barriers: Annotated[tuple[int, ...], Omitted()] = field(default=(), kw_only=True)
    """The number of turns before each barrier."""
    seen: Annotated[Seen | None, Omitted()] = field(default=None, kw_only=True)
    """What was observed besides answers."""
    is_cut: Annotated[bool, Omitted(), Key("cut")] = field(default=False, kw_only=True)
    """Whether time or memory ran out before the argument was found."""
    argument: Argument | None
    """None if it needs too many cases, or was not asked for."""
    nearest: Nearest | None


@dataclass(frozen=True, slots=True)
class AccessShown:
    """An access of a request to a variable."""

    request: int
    """Counted from 1."""
    handler: str
    access: Access
    line: int | None
    """The line of the access; None in a network system."""


@dataclass(frozen=True, slots=True)
class ConflictShown:
    """The first access comes before the second."""

    variable: str
    first: AccessShown
    second: AccessShown


@dataclass(frozen=True, slots=True)
class Cycle:
    """Each request of a cycle of conflicts would have to come before itself."""

    conflicts: Annotated[tuple[ConflictShown, ...], Key("cycle")]
    """The conflicts, starting with the one that happens first."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A request takes effect."""

    request: int
    """Counted from 1."""
    handler: str
    response: str
    """The answer of the request."""
    line: int | None
    """The line of the mark; None if it passes none and takes effect with its answer."""


@dataclass(frozen=True, slots=True)
class Points:
    """Requests take effect in an order that is not allowed: this one."""

    effects: Annotated[tuple[Effect, ...], Key("points")]


@dataclass(frozen=True, slots=True)
class Fails:
    """A step fails: a failed assertion, a value outside its range, an index without an element."""

    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True)
class Held:
    """A variable that a request waits for, and the request that set it."""

    variable: str
    value: str
    by: int | None
    """The request that set it, counted from 1; None for the initial value."""
    handler: str
    """The handler of that request."""
    line: int | None
    has_ended: bool
    """Whether that request is answered."""


@dataclass(frozen=True, slots=True)
class Waits:
    """A request that can never complete."""

    request: int
    """Counted from 1; requests that arrived and could not begin come after all others."""
    handler: str
    line: int | None
    """Where it waits; None in a network system."""
    holds: tuple[Held, ...]
    """The variables that keep it there."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """Requests in flight can never complete, whatever arrives."""

    waits: tuple[Waits, ...]
    unchanged: tuple[str, ...]
    """The variables that block them and that nothing can change any more."""


Why = NothingExplains | Cycle | Points | Fails | Stuck
