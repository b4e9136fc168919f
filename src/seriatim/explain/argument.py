"""Why nothing that is allowed has an outcome, and what comes near: arguments as data."""

from collections.abc import Iterable

from seriatim.frozen import frozen
from seriatim.program.state import ShownState

Completion = tuple[str, str]
"""(handler, response)."""


@frozen
class Blocked:
    """A handler whose requests cannot come next: alone, they give none of the answers still to come."""

    handler: str
    wanted: tuple[str, ...]
    """What its requests still have to answer."""
    possible: tuple[str, ...]
    """What they can answer; nothing if they wait for ever."""
    precede: tuple[str, ...] = ()
    """If they have to wait for others, who were answered before they began: their handlers."""


@frozen
class Case:
    """A prefix: who can come next, and who cannot."""

    state: ShownState
    blocked: tuple[Blocked, ...]
    steps: tuple["Step", ...]


@frozen
class Step:
    """A request runs alone, answers what was observed, and leaves the next case."""

    handler: str
    response: str
    next: Case


@frozen
class Cases:
    """The whole analysis, from the beginning."""

    root: Case


@frozen
class Occasion:
    """A global state in which a request could run, and what it can answer there."""

    before: tuple[Completion, ...]
    """An order of requests that leads there."""
    state: ShownState
    possible: tuple[str, ...]


@frozen
class Impossible:
    """An answer that the request cannot give, whichever of the others have run before."""

    handler: str
    response: str
    occasions: tuple[Occasion, ...]
    """All of them, those with fewest requests before them first."""


@frozen
class DeadEnd:
    """A beginning of a serial order after which nobody can come next."""

    order: tuple[Completion, ...]
    state: ShownState
    blocked: tuple[Blocked, ...]


@frozen
class Outline:
    """Where the analysis is too long to be read: its size, and some of its shortest branches."""

    prefixes: int
    dead_ends: int
    shortest: tuple[DeadEnd, ...]


Argument = Cases | Impossible | Outline


@frozen
class Nearest:
    """Serial orders with different outcomes, all equally near; none if no serial order has these requests."""

    changed: int
    """How many answers differ."""
    orders: tuple[tuple[tuple[str, str], ...], ...]
    """(handler, response), in the order in which the requests run."""


def in_order(responses: Iterable[str]) -> tuple[str, ...]:
    """Each response once; numbers by their value."""

    def by_value(response: str) -> tuple[int, str]:
        return (int(response), "") if response.lstrip("-").isdecimal() else (0, response)

    return tuple(sorted(set(responses), key=by_value))
