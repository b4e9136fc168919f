"""A run as its reader knows it: per turn, the lines of code that were executed and what they changed.

A long run is folded: what happens again and again is told once, with how often (`Timeline.loops`). Requests
are not told apart there, so that turns of different requests can be the same; each handler has one lane.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import prod

from seriatim.explain.names import visible
from seriatim.explain.narration import Moment, Narrator, ProgramNarrator, narrator
from seriatim.folding import LONG_RUN, Folded, Repeated, folded
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Names, named
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.run import FaultyRun, Run, Turn
from seriatim.systems.source_map import events_to_fault
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding


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


@dataclass(frozen=True, slots=True)
class Loop:
    """Turns that come several times, one after the other."""

    first: int
    end: int
    """`turns[first:end]`."""
    times: int


def repeated_text(loop: Loop) -> str:
    return f"repeat {loop.times:,} times"


@dataclass(frozen=True, slots=True)
class Timeline:
    initial: GlobalState
    turns: tuple[ShownTurn, ...]
    loops: tuple[Loop, ...] = ()
    """Outer ones before inner ones, earlier ones before later ones."""
    is_folded: bool = False
    """Whether it is that of a long run."""
    value_names: Names = field(default_factory=dict)
    """What the text calls values of certain variables."""

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
        return tuple({turn.request: turn.handler for turn in self.turns}.values())

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
        return names if self.is_folded else [f"{number}: {name}" for number, name in enumerate(names, 1)]


Notes = Mapping[int, tuple[str, ...]]
"""What matters about some turns, by number, from 1 on."""

NO_NOTES: Notes = {}


def timeline(
    run: Run,
    origin: Origin,
    source: SourceText,
    barriers: tuple[int, ...] = (),
    notes: Notes = NO_NOTES,
    long: int = LONG_RUN,
) -> Timeline:
    """The run of a system that was read from a source, with barriers after so many turns; folded if it is
    long."""
    initial = origin.global_state(INITIAL_GLOBAL)
    names = origin.content.value_names
    teller = _Teller(origin, narrator(origin, source), barriers, notes)
    if len(run.turns) > long:
        turns, loops = teller.folded(run)
        return Timeline(initial, turns, loops, True, names)
    return Timeline(initial, tuple(teller.listed(run)), value_names=names)


class _Teller:
    def __init__(
        self, origin: Origin, narrator: Narrator, barriers: tuple[int, ...] = (), notes: Notes = NO_NOTES
    ) -> None:
        self.origin = origin
        self.narrator = narrator
        self.barriers = barriers
        self.notes = notes

    def listed(self, run: Run) -> Iterator[ShownTurn]:
        """All turns of a run."""
        begun: set[int] = set()
        previous: Turn | None = None
        for number, turn in enumerate(run.turns):
            takes_over = previous is not None and previous.request != turn.request and previous.target >= 0
            shown = self.shown(turn, number, turn.request not in begun)
            yield replace(shown, is_switch=True) if takes_over else shown
            begun.add(turn.request)
            previous = turn

    def folded(self, run: Run) -> tuple[tuple[ShownTurn, ...], tuple[Loop, ...]]:
        """The turns of a long run, those of a loop once, and its loops."""
        kinds: list[tuple[Turn, int, bool]] = []
        numbers: dict[tuple[int, ...], int] = {}
        begun: set[int] = set()
        order: list[int] = []
        for number, turn in enumerate(run.turns):
            is_first = turn.request not in begun
            begun.add(turn.request)
            own = number if number in self.barriers or number + 1 in self.notes else -1
            key = (turn.local, turn.target, turn.before, turn.after, is_first, own)
            if key not in numbers:
                numbers[key] = len(kinds)
                kinds.append((turn, number, is_first))
            order.append(numbers[key])
        listed: list[int] = []
        loops = tuple(_listed(folded(order), listed))
        lanes: dict[int, int] = {}
        told: dict[int, ShownTurn] = {}
        for kind in dict.fromkeys(listed):
            turn, number, is_first = kinds[kind]
            lane = lanes.setdefault(self.origin.request_of(turn.local), len(lanes))
            self.narrator.is_at(kind, turn.local)
            shown = self.shown(replace(turn, request=kind), number, is_first)
            told[kind] = replace(shown, request=lane + 1)
        return tuple(told[kind] for kind in listed), loops

    def shown(self, turn: Turn, number: int, is_first: bool) -> ShownTurn:
        origin = self.origin
        answers = turn.target < 0
        return ShownTurn(
            turn.request + 1,
            origin.requests[origin.request_of(turn.local)],
            self.narrator.moments(turn),
            origin.global_state(turn.before),
            origin.global_state(turn.after),
            origin.completions[~turn.target][1] if answers else None,
            None if answers else self.narrator.pause(turn),
            is_switch=False,
            is_first=is_first,
            follows_barrier=number in self.barriers,
            notes=self.notes.get(number + 1, ()),
        )


def _listed(items: tuple[Folded[int], ...], listed: list[int]) -> Iterator[Loop]:
    """Adds the items to a list, those of a loop once; the loops, as far as they are."""
    for item in items:
        if isinstance(item, Repeated):
            first = len(listed)
            inner = list(_listed(item.items, listed))
            yield Loop(first, len(listed), item.times)
            yield from inner
        else:
            listed.append(item)


def faulty_timeline(faulty: FaultyRun, origin: ProgramUnfolding, source: SourceText) -> Timeline:
    """A run, and the step in which the program makes a mistake."""
    teller = ProgramNarrator(origin, source)
    shown = _Teller(origin, teller).listed(faulty.run)
    state = origin.global_state(faulty.before)
    turns = faulty.run.turns
    last = ShownTurn(
        faulty.request + 1,
        origin.requests[origin.request_of(faulty.local)],
        teller.told(faulty.request, events_to_fault(origin, faulty.local, faulty.before, faulty.fault)),
        state,
        state,
        None,
        None,
        bool(turns) and turns[-1].request != faulty.request and turns[-1].target >= 0,
        fails=True,
    )
    return Timeline(
        origin.global_state(INITIAL_GLOBAL), (*shown, last), value_names=origin.program.value_names
    )


def interruptions(shown: Timeline) -> tuple[int, ...]:
    """The lines at which a request pauses and another one takes over, in the order of the run."""
    lines = (
        before.moments[-1].line for before, turn in pairwise(shown.turns) if turn.is_switch and before.moments
    )
    return tuple(dict.fromkeys(line for line in lines if line is not None))
