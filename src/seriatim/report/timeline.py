"""A run as its reader knows it: per turn, the lines of code that were executed and what they changed."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from seriatim.certificate.format import GlobalState
from seriatim.language.syntax import (
    Expression,
    If,
    Logical,
    Program,
    While,
    is_generated,
    is_global,
    walk,
)
from seriatim.network.from_input import Origin
from seriatim.network.from_system import SystemUnfolding
from seriatim.network.run import FaultyRun, Run, Turn
from seriatim.network.source_map import Event, events, events_to_fault
from seriatim.network.unfolding import INITIAL_GLOBAL, ProgramUnfolding
from seriatim.report.names import visible
from seriatim.source import SourceText, Span

_BETWEEN_STATEMENTS = re.compile(r"[\s;:,(){}]*")
_CLOSING = re.compile(r"\s*[)}]")
_BRACKETS = {"(": 1, "{": 1, ")": -1, "}": -1}


@dataclass(frozen=True, slots=True)
class Change:
    """A variable that was assigned to."""

    name: str
    old: int
    new: int
    value_names: tuple[str, ...] = ()
    """What the text calls 0, 1, …, if it has names for all values of the variable."""

    def shown(self, value: int) -> str:
        return self.value_names[value] if self.value_names else str(value)

    @property
    def is_shared(self) -> bool:
        return is_global(self.name)


@dataclass(frozen=True, slots=True)
class Moment:
    """What a request executes of one line without leaving it; in a network system, a local state."""

    line: int | None
    pieces: tuple[str, ...]
    """The stretches of the line that were executed, in order."""
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One macro step of one request."""

    request: int
    """Counted from 1."""
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
    fails: bool = False
    """Whether the program makes a mistake in it, so that it does not end."""
    follows_barrier: bool = False
    """Whether a barrier of time stands right before it."""
    notes: tuple[str, ...] = ()
    """What matters about it."""


@dataclass(frozen=True, slots=True)
class Timeline:
    initial: GlobalState
    turns: tuple[ShownTurn, ...]
    value_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What the text calls 0, 1, … where they are values of certain variables."""

    def values(self, state: GlobalState) -> tuple[tuple[str, str], ...]:
        """The variables of a global state with their values, as the text calls them; none if it has only a
        name."""
        if isinstance(state, str):
            return ()
        names = self.value_names
        return tuple((name, names[name][value] if name in names else str(value)) for name, value in state)

    def state_text(self, state: GlobalState) -> str:
        if isinstance(state, str):
            return visible(state)
        return ", ".join(f"{name} = {value}" for name, value in self.values(state))

    def handlers(self) -> tuple[str, ...]:
        """The handler of each request, in the order of their numbers."""
        return tuple({turn.request: turn.handler for turn in self.turns}.values())

    def outcome(self) -> tuple[tuple[str, str, int], ...]:
        """(handler, response, how often), sorted."""
        answers = Counter((turn.handler, turn.response) for turn in self.turns if turn.response is not None)
        return tuple(sorted((handler, response, count) for (handler, response), count in answers.items()))


def timeline(run: Run, origin: Origin, source: SourceText, barriers: tuple[int, ...] = ()) -> Timeline:
    """The run of a system that was read from a source, with barriers after so many turns."""
    initial = origin.global_state(INITIAL_GLOBAL)
    if isinstance(origin, ProgramUnfolding):
        turns = _shown(run, origin, _ProgramNarrator(origin, source), barriers)
        return Timeline(initial, turns, origin.program.value_names)
    return Timeline(initial, _shown(run, origin, _StateNarrator(origin), barriers))


def _shown(
    run: Run,
    origin: Origin,
    narrator: "_ProgramNarrator | _StateNarrator",
    barriers: tuple[int, ...] = (),
) -> tuple[ShownTurn, ...]:
    shown: list[ShownTurn] = []
    previous: Turn | None = None
    for number, turn in enumerate(run.turns):
        answers = turn.target < 0
        takes_over = previous is not None and previous.request != turn.request and previous.target >= 0
        shown.append(
            ShownTurn(
                turn.request + 1,
                origin.requests[origin.request_of(turn.local)],
                narrator.moments(turn),
                origin.global_state(turn.before),
                origin.global_state(turn.after),
                origin.completions[~turn.target][1] if answers else None,
                None if answers else narrator.pause(turn),
                takes_over,
                follows_barrier=number in barriers,
            )
        )
        previous = turn
    return tuple(shown)


def faulty_timeline(faulty: FaultyRun, origin: ProgramUnfolding, source: SourceText) -> Timeline:
    """A run, and the step in which the program makes a mistake."""
    narrator = _ProgramNarrator(origin, source)
    shown = _shown(faulty.run, origin, narrator)
    state = origin.global_state(faulty.before)
    turns = faulty.run.turns
    last = ShownTurn(
        faulty.request + 1,
        origin.requests[origin.request_of(faulty.local)],
        narrator.told(faulty.request, events_to_fault(origin, faulty.local, faulty.before, faulty.fault)),
        state,
        state,
        None,
        None,
        bool(turns) and turns[-1].request != faulty.request and turns[-1].target >= 0,
        fails=True,
    )
    return Timeline(origin.global_state(INITIAL_GLOBAL), (*shown, last), origin.program.value_names)


def interruptions(shown: Timeline) -> tuple[int, ...]:
    """The lines at which a request pauses and another one takes over, in the order of the run."""
    lines = (
        before.moments[-1].line for before, turn in pairwise(shown.turns) if turn.is_switch and before.moments
    )
    return tuple(dict.fromkeys(line for line in lines if line is not None))


class _StateNarrator:
    """Tells turns of a network system, which has states instead of lines."""

    def __init__(self, unfolding: SystemUnfolding) -> None:
        self.unfolding = unfolding

    def moments(self, turn: Turn) -> tuple[Moment, ...]:
        return (Moment(None, (self._name(turn.local),)),)

    def pause(self, turn: Turn) -> str | None:
        return self._name(turn.target)

    def _name(self, local: int) -> str:
        return self.unfolding.system.locals[self.unfolding.local_states[local][1]].name


class _ProgramNarrator:
    """Tells turns of a program by its lines."""

    def __init__(self, unfolding: ProgramUnfolding, source: SourceText) -> None:
        self.unfolding = unfolding
        self.lines = source.text.split("\n")
        self.executed = _executed_parts(unfolding.program)
        self.locals: dict[tuple[int, str], int] = {}
        """The value of each local of each request. The unfolding forgets those that nobody reads again."""

    def pause(self, _: Turn) -> str | None:
        return None

    def moments(self, turn: Turn) -> tuple[Moment, ...]:
        made = events(self.unfolding, turn.local, turn.before, turn.target, turn.after)
        return self.told(turn.request, made)

    def told(self, request: int, made: tuple[Event, ...]) -> tuple[Moment, ...]:
        """What happens in a step of a request, line by line."""
        found: list[_MomentInMaking] = []
        for event in made:
            span = self.executed.get(event.span, event.span)
            # Of what covers several lines, such as a sequence, only an assignment says something.
            if span.line == 0 or (span.line != span.end_line and event.write is None):
                continue
            if not found or found[-1].line != span.line:
                found.append(_MomentInMaking(span.line, self.lines[span.line - 1].rstrip("\r")))
            found[-1].add(span)
            change = self._change(request, event)
            if change is not None:
                found[-1].change(change)
        return tuple(moment.finish() for moment in found)

    def _change(self, request: int, event: Event) -> Change | None:
        write = event.write
        if write is None or is_generated(write.name):
            return None
        if is_global(write.name):
            value_names = self.unfolding.program.value_names.get(write.name, ())
            return Change(write.name, write.old, write.new, value_names)
        key = (request, write.name)
        old = self.locals.get(key, 0)
        self.locals[key] = write.new
        return Change(write.name, old, write.new)


def _executed_parts(program: Program) -> dict[Span, Span]:
    """What to show of an expression of which only the beginning has been evaluated at its own step."""
    parts: dict[Span, Span] = {}
    for handler in program.handlers:
        for expression in walk(handler.body):
            head = _head(expression)
            if head is not None:
                parts[expression.span] = expression.span.to(head.span)
    return parts


def _head(expression: Expression) -> Expression | None:
    match expression:
        case If(condition=condition) | While(condition=condition):
            return condition
        case Logical(left=left):
            return left
        case _:
            return None


class _MomentInMaking:
    """Collects the stretches of one line that are executed, and what they change."""

    def __init__(self, line: int, text: str) -> None:
        self.line = line
        self.text = text
        self.stretches: list[tuple[int, int]] = []
        """Half-open, counted from 0, in the order of execution."""
        self.changes: dict[str, Change] = {}

    def add(self, span: Span) -> None:
        first = span.column - 1
        last = span.end_column - 1 if span.end_line == span.line else len(self.text)
        near = [stretch for stretch in self.stretches if self._is_near(stretch, first, last)]
        if not near:
            self.stretches.append((first, last))
            return
        self.stretches[self.stretches.index(near[0])] = (
            min(first, *(start for start, _ in near)),
            max(last, *(end for _, end in near)),
        )
        for absorbed in near[1:]:
            self.stretches.remove(absorbed)

    def _is_near(self, stretch: tuple[int, int], first: int, last: int) -> bool:
        """Whether the two overlap, or nothing but punctuation stands between them."""
        start, end = stretch
        if first > end:
            return _BETWEEN_STATEMENTS.fullmatch(self.text, end, first) is not None
        return start <= last

    def change(self, change: Change) -> None:
        """One entry a variable, however often the line is repeated."""
        earlier = self.changes.get(change.name, change)
        self.changes[change.name] = replace(change, old=earlier.old)

    def finish(self) -> Moment:
        pieces = tuple(self._piece(start, end) for start, end in self.stretches)
        return Moment(self.line, pieces, tuple(self.changes.values()))

    def _piece(self, start: int, end: int) -> str:
        """The text of a stretch, with the brackets that it opens."""
        piece = self.text[start:end]
        unclosed = sum(_BRACKETS.get(character, 0) for character in piece)
        while unclosed > 0 and (closing := _CLOSING.match(self.text, end)) is not None:
            unclosed -= 1
            end = closing.end()
        return self.text[start:end].strip()
