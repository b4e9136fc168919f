"""Arguments as data: why nothing allowed has an outcome, and which allowed outcomes are nearest."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from seriatim.codec import Key, Omitted, StateInWords, Tagged

Completion = tuple[str, str]
"""A pair (handler, response)."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """A handler whose requests cannot come next: alone, they give none of the answers still to come."""

    handler: str
    wanted: tuple[str, ...]
    """The answers that its requests still have to give."""
    possible: tuple[str, ...]
    """The answers that they can give; empty if they wait for ever."""
    precede: Annotated[tuple[str, ...], Omitted()] = ()
    """The handlers of requests that have to come first, because they were answered before these began."""


@dataclass(frozen=True, slots=True)
class Case:
    """A prefix: which requests can come next, and which cannot."""

    state: StateInWords
    blocked: tuple[Blocked, ...]
    steps: tuple["CaseStep", ...]


@dataclass(frozen=True, slots=True)
class CaseStep:
    """A request runs alone, answers what was observed, and leaves the next case."""

    handler: str
    response: str
    next: Annotated[Case, Key("case")]


@dataclass(frozen=True, slots=True)
class Cases:
    """The whole analysis, from the beginning."""

    root: Annotated[Case, Key("case")]


@dataclass(frozen=True, slots=True)
class Occasion:
    """A global state in which a request could run, and what it can answer there."""

    before: tuple[Completion, ...]
    """An order of requests that leads to this state."""
    state: StateInWords
    possible: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Impossible:
    """An answer that the request cannot give, no matter which other requests have run before."""

    handler: str
    response: str
    occasions: tuple[Occasion, ...]
    """All occasions, those with the fewest requests before them first."""


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """The beginning of a serial order after which no request can come next."""

    order: tuple[Completion, ...]
    state: StateInWords
    blocked: tuple[Blocked, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """A summary of an analysis that is too long to read: its size, and some of its shortest branches."""

    prefixes: int
    dead_ends: int
    shortest: tuple[DeadEnd, ...]


Argument = Annotated[
    Cases | Impossible | Outline,
    Tagged("kind", (("cases", Cases), ("impossible", Impossible), ("outline", Outline))),
]


@dataclass(frozen=True, slots=True)
class Nearest:
    """Serial orders with different outcomes, all equally near; none if no serial order has these requests."""

    changed: int
    """How many answers differ."""
    orders: tuple[tuple[tuple[str, str], ...], ...]
    """Pairs (handler, response), in the order in which the requests run."""


def in_order(responses: Iterable[str]) -> tuple[str, ...]:
    """Each response once, numbers sorted by value."""

    def by_value(response: str) -> tuple[int, str]:
        return (int(response), "") if response.lstrip("-").isdecimal() else (0, response)

    return tuple(sorted(set(responses), key=by_value))
