"""A run for readers: for each turn, the executed lines of code and what they changed.

A long run is folded: a part that repeats is listed once, with a count (`Timeline.loops`). It does not tell
requests of a handler apart, so turns of different requests can be the same; each handler has one lane.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Literal

from seriatim.explain.names import visible
from seriatim.program.state import GlobalState, Names, name_value
from seriatim.program.syntax import is_global

if TYPE_CHECKING:
    from seriatim.explain.argument import Completion

Actor = Literal["request", "thread", "action"]


@dataclass(frozen=True, slots=True)
class Change:
    """An assignment to a variable."""

    name: str
    old: int
    new: int
    value_names: tuple[tuple[int, str], ...] = ()
    """Names of the variable's values in the text."""
    shared: bool | None = None
    """Whether it is a global; None if the name shows it."""

    def show(self, value: int) -> str:
        return dict(self.value_names).get(value, str(value))

    @property
    def is_shared(self) -> bool:
        return is_global(self.name) if self.shared is None else self.shared


@dataclass(frozen=True, slots=True)
class Moment:
    """The part of one line that a request executes in one go; in a network system, a local state."""

    line: int | None
    pieces: tuple[str, ...]
    """The stretches of the line that were executed, in order."""
    changes: tuple[Change, ...] = ()
    result: str | None = None
    """The result or the changes of a SQL statement; None for other code."""
    columns: tuple[tuple[int, int], ...] = ()
    """First column and column after the end of each stretch, counted from 1; empty in a network system."""


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One macro step of one request."""

    request: int
    """Counted from 1; in a long run, the number of its handler."""
    handler: str
    moments: tuple[Moment, ...]
    before: GlobalState
    after: GlobalState
    response: str | None
    """The answer; None if the request pauses."""
    pauses_at: str | None
    """The local state of a network system in which it pauses."""
    is_switch: bool
    """Whether it takes over from a request that is still in flight."""
    is_first: bool = False
    """Whether it is the first turn of its request."""
    fails: bool = False
    """Whether the turn fails, so that it does not end."""
    follows_barrier: bool = False
    """Whether a time barrier comes directly before it."""
    notes: tuple[str, ...] = ()
    """Notes on the turn."""
    pauses: bool = True
    """Whether to say that the request pauses if the turn ends without an answer."""


@dataclass(frozen=True, slots=True)
class Loop:
    """Turns that are repeated several times in a row."""

    first: int
    end: int
    """The loop consists of `turns[first:end]`."""
    times: int


def repeated_text(loop: Loop) -> str:
    return f"repeat {loop.times:,} times"


@dataclass(frozen=True, slots=True)
class Timeline:
    initial: GlobalState
    turns: tuple[ShownTurn, ...]
    loops: tuple[Loop, ...] = ()
    """Loops; outer before inner ones, earlier before later ones."""
    is_folded: bool = False
    """Whether the run is long, and therefore folded."""
    value_names: Names = field(default_factory=dict)
    """Names of values of certain variables in the text."""
    actor: Actor = "request"
    """What moves: requests, threads, or pending actions."""

    def values(self, state: GlobalState) -> tuple[tuple[str, str], ...]:
        """The variables of a global state with their values, as the text names them; empty if the state has
        only a name."""
        if isinstance(state, str):
            return ()
        return tuple((name, name_value(self.value_names, name, value)) for name, value in state)

    def state_text(self, state: GlobalState) -> str:
        if isinstance(state, str):
            return visible(state)
        return ", ".join(f"{name} = {value}" for name, value in self.values(state))

    def handlers(self) -> tuple[str, ...]:
        """The handler of each request, in the order of their numbers."""
        handlers = {turn.request: turn.handler for turn in self.turns}
        return tuple(handlers[request] for request in sorted(handlers))

    def outcome(self) -> tuple[tuple[str, str, int], ...]:
        """Triples (handler, response, count), sorted."""
        answers: Counter[tuple[str, str]] = Counter()
        for turn, loops in self.turns_in_loops():
            if turn.response is not None:
                answers[turn.handler, turn.response] += prod(loop.times for loop in loops)
        return tuple(sorted((handler, response, count) for (handler, response), count in answers.items()))

    def turns_in_loops(self) -> Iterator[tuple[ShownTurn, tuple[Loop, ...]]]:
        """Each turn with the loops to which it belongs, outer ones first."""
        coming = list(reversed(self.loops))
        around: list[Loop] = []
        for number, turn in enumerate(self.turns):
            around = [loop for loop in around if number < loop.end]
            while coming and coming[-1].first == number:
                around.append(coming.pop())
            yield turn, tuple(around)

    def headings(self) -> list[str]:
        """Headings of the requests, or of the handlers in a long run."""
        names = [visible(handler) for handler in self.handlers()]
        if self.actor == "thread":
            return names  # Requests are numbered.
        return names if self.is_folded else [f"{number}: {name}" for number, name in enumerate(names, 1)]


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run as it is shown, and the sizes of the whole run, folded or not."""

    timeline: Timeline
    requests: int
    steps: int
    switches: int
    """How often a request takes over from another one that is still in flight."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A complete run in which a request takes over from another one, and a serial order with its answers."""

    run: ShownRun
    seed: int
    order: "tuple[Completion, ...]"
    """The serial order of the requests."""


def find_interrupted(shown: Timeline) -> tuple[Moment, ...]:
    """The last moments before a request pauses and another one takes over, in the order of the run."""
    return tuple(
        before.moments[-1] for before, turn in pairwise(shown.turns) if turn.is_switch and before.moments
    )


def interruptions(shown: Timeline) -> tuple[int, ...]:
    """The lines at which requests are interrupted."""
    return tuple(dict.fromkeys(moment.line for moment in find_interrupted(shown) if moment.line is not None))
