"""A run as its reader knows it: per turn, the lines of code that were executed and what they changed.

A long run is folded: what happens again and again is told once, with how often (`Timeline.loops`). Requests
are not told apart there, so that turns of different requests can be the same; each handler has one lane.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from math import prod
from typing import Literal

from seriatim.explain.argument import Completion
from seriatim.explain.names import visible
from seriatim.frozen import field, frozen
from seriatim.program.state import GlobalState, Names, named
from seriatim.program.syntax import is_global

Actor = Literal["request", "thread"]


@frozen
class Change:
    """A variable that was assigned to."""

    name: str
    old: int
    new: int
    value_names: tuple[tuple[int, str], ...] = ()
    """What the text calls values of the variable."""
    shared: bool | None = None
    """Whether it is a global; None if its name tells."""

    def shown(self, value: int) -> str:
        return dict(self.value_names).get(value, str(value))

    @property
    def is_shared(self) -> bool:
        return is_global(self.name) if self.shared is None else self.shared


@frozen
class Moment:
    """What a request executes of one line without leaving it; in a network system, a local state."""

    line: int | None
    pieces: tuple[str, ...]
    """The stretches of the line that were executed, in order."""
    changes: tuple[Change, ...] = ()
    result: str | None = None
    """Of a statement of SQL: what came back, or what it changed; None for code of other kinds."""
    columns: tuple[tuple[int, int], ...] = ()
    """Where each stretch begins, and the column after its end, counted from 1; none in a network system."""


@frozen
class ShownTurn:
    """One macro step of one request."""

    request: int
    """Counted from 1; in a long run, the number of its handler."""
    handler: str
    moments: tuple[Moment, ...]
    before: GlobalState
    after: GlobalState
    response: str | None
    """None if it pauses."""
    pauses_at: str | None
    """The local state of a network system in which it pauses."""
    is_switch: bool
    """Whether it takes over from a request that is still in flight."""
    is_first: bool = False
    """Whether its request begins with it."""
    fails: bool = False
    """Whether the program makes a mistake in it, so that it does not end."""
    follows_barrier: bool = False
    """Whether a barrier of time stands right before it."""
    notes: tuple[str, ...] = ()
    """What matters about it."""
    pauses: bool = True
    """Whether to say so if it ends without an answer."""


@frozen
class Loop:
    """Turns that come several times, one after the other."""

    first: int
    end: int
    """`turns[first:end]`."""
    times: int


def repeated_text(loop: Loop) -> str:
    return f"repeat {loop.times:,} times"


@frozen
class Timeline:
    initial: GlobalState
    turns: tuple[ShownTurn, ...]
    loops: tuple[Loop, ...] = ()
    """Outer ones before inner ones, earlier ones before later ones."""
    is_folded: bool = False
    """Whether it is that of a long run."""
    value_names: Names = field(default_factory=dict)
    """What the text calls values of certain variables."""
    actor: Actor = "request"
    """What moves in it: requests or threads."""

    def values(self, state: GlobalState) -> tuple[tuple[str, str], ...]:
        """The variables of a global state with their values, as the text calls them; none if it has only a
        name."""
        if isinstance(state, str):
            return ()
        return tuple((name, named(self.value_names, name, value)) for name, value in state)

    def state_text(self, state: GlobalState) -> str:
        if isinstance(state, str):
            return visible(state)
        return ", ".join(f"{name} = {value}" for name, value in self.values(state))

    def handlers(self) -> tuple[str, ...]:
        """The handler of each request, in the order of their numbers."""
        handlers = {turn.request: turn.handler for turn in self.turns}
        return tuple(handlers[request] for request in sorted(handlers))

    def outcome(self) -> tuple[tuple[str, str, int], ...]:
        """(handler, response, how often), sorted."""
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
        """What to call the requests, or in a long run the handlers."""
        names = [visible(handler) for handler in self.handlers()]
        if self.actor == "thread":
            return names  # They have numbers.
        return names if self.is_folded else [f"{number}: {name}" for number, name in enumerate(names, 1)]


@frozen
class ShownRun:
    """A run as it is shown, and the sizes of all of it, however it is folded."""

    timeline: Timeline
    requests: int
    steps: int
    switches: int
    """How often a request takes over from another one that is still in flight."""


@frozen
class Sample:
    """A complete run in which a request takes over from another one, and a serial order with its answers."""

    run: ShownRun
    seed: int
    order: tuple[Completion, ...]
    """In which the requests run."""


def interrupted(shown: Timeline) -> tuple[Moment, ...]:
    """The last moments before a request pauses and another one takes over, in the order of the run."""
    return tuple(
        before.moments[-1] for before, turn in pairwise(shown.turns) if turn.is_switch and before.moments
    )


def interruptions(shown: Timeline) -> tuple[int, ...]:
    """The lines of these moments."""
    return tuple(dict.fromkeys(moment.line for moment in interrupted(shown) if moment.line is not None))
