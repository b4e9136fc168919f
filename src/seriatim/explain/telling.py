"""Tells runs: from turns, which are numbers, to lines of code and what they changed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from seriatim.explain.timeline import Change, Loop, Moment, ShownRun, ShownTurn, Timeline
from seriatim.folding import Folded, Repeated, fold
from seriatim.program.syntax import (
    Expression,
    If,
    Logical,
    Program,
    While,
    is_generated,
    is_global,
    walk,
)
from seriatim.source import SourceText, Span
from seriatim.systems.from_input import Origin
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.run import LONG_RUN, FaultyRun, Run, Turn
from seriatim.systems.source_map import Event, events, events_to_fault, local_state
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding

_BETWEEN_STATEMENTS = re.compile(r"[\s;:,(){}]*")
_CLOSING = re.compile(r"\s*[)}]")
_BRACKETS = {"(": 1, "{": 1, ")": -1, "}": -1}

Notes = Mapping[int, tuple[str, ...]]
"""Notes on turns, by number, counted from 1."""

NO_NOTES: Notes = {}


def tell_run(
    run: Run,
    origin: Origin,
    source: SourceText,
    barriers: tuple[int, ...] = (),
    notes: Notes = NO_NOTES,
    long: int = LONG_RUN,
) -> Timeline:
    """Tells a run in terms of its source; `barriers` gives the number of turns before each barrier. Folds a
    long run."""
    initial = origin.global_state(INITIAL_GLOBAL)
    names = origin.content.value_names
    teller = _Teller(origin, narrator(origin, source), barriers, notes)
    if len(run.turns) > long:
        turns, loops = teller.fold(run)
        return Timeline(initial, turns, loops, True, names)
    return Timeline(initial, tuple(teller.list_turns(run)), value_names=names)


def show_run(
    run: Run,
    origin: Origin,
    source: SourceText,
    barriers: tuple[int, ...] = (),
    notes: Notes = NO_NOTES,
) -> ShownRun:
    """The run with its sizes."""
    timeline = tell_run(run, origin, source, barriers, notes)
    return ShownRun(timeline, run.requests(), len(run.turns), run.switches())


class _Teller:
    def __init__(
        self, origin: Origin, narrator: "Narrator", barriers: tuple[int, ...] = (), notes: Notes = NO_NOTES
    ) -> None:
        self.origin = origin
        self.narrator = narrator
        self.barriers = barriers
        self.notes = notes

    def list_turns(self, run: Run) -> Iterator[ShownTurn]:
        """All turns of a run."""
        begun: set[int] = set()
        previous: Turn | None = None
        for number, turn in enumerate(run.turns):
            takes_over = previous is not None and previous.request != turn.request and previous.target >= 0
            shown = self.show(turn, number, turn.request not in begun)
            yield replace(shown, is_switch=True) if takes_over else shown
            begun.add(turn.request)
            previous = turn

    def fold(self, run: Run) -> tuple[tuple[ShownTurn, ...], tuple[Loop, ...]]:
        """The turns of a long run, with the turns of a loop listed once, and its loops."""
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
        loops = tuple(_list_items(fold(order), listed))
        lanes: dict[int, int] = {}
        told: dict[int, ShownTurn] = {}
        for kind in dict.fromkeys(listed):
            turn, number, is_first = kinds[kind]
            lane = lanes.setdefault(self.origin.request_of(turn.local), len(lanes))
            self.narrator.is_at(kind, turn.local)
            shown = self.show(replace(turn, request=kind), number, is_first)
            told[kind] = replace(shown, request=lane + 1)
        return tuple(told[kind] for kind in listed), loops

    def show(self, turn: Turn, number: int, is_first: bool) -> ShownTurn:
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


def _list_items(items: "tuple[Folded[int], ...]", listed: list[int]) -> Iterator[Loop]:
    """Adds the items to a list, those of a loop once; returns the loops."""
    for item in items:
        if isinstance(item, Repeated):
            first = len(listed)
            inner = list(_list_items(item.items, listed))
            yield Loop(first, len(listed), item.times)
            yield from inner
        else:
            listed.append(item)


def tell_fault(faulty: FaultyRun, origin: ProgramUnfolding, source: SourceText) -> ShownRun:
    """Tells a run and its failing step."""
    teller = ProgramNarrator(origin, source)
    shown = _Teller(origin, teller).list_turns(faulty.run)
    state = origin.global_state(faulty.before)
    turns = faulty.run.turns
    takes_over = bool(turns) and turns[-1].request != faulty.request and turns[-1].target >= 0
    last = ShownTurn(
        faulty.request + 1,
        origin.requests[origin.request_of(faulty.local)],
        teller.tell(faulty.request, events_to_fault(origin, faulty.local, faulty.before, faulty.fault)),
        state,
        state,
        None,
        None,
        is_switch=takes_over,
        is_first=all(turn.request != faulty.request for turn in turns),
        fails=True,
    )
    initial = origin.global_state(INITIAL_GLOBAL)
    timeline = Timeline(initial, (*shown, last), value_names=origin.program.value_names)
    requests = max(faulty.run.requests(), faulty.request + 1)
    return ShownRun(timeline, requests, len(turns) + 1, faulty.run.switches() + takes_over)


class StateNarrator:
    """Tells turns of a network system, which has states instead of lines."""

    def __init__(self, unfolding: SystemUnfolding) -> None:
        self.unfolding = unfolding

    def moments(self, turn: Turn) -> tuple[Moment, ...]:
        return (Moment(None, (self._name(turn.local),)),)

    def pause(self, turn: Turn) -> str | None:
        return self._name(turn.target)

    def is_at(self, request: int, local: int) -> None:
        """Does nothing: a network system has no locals."""

    def _name(self, local: int) -> str:
        return self.unfolding.system.locals[self.unfolding.local_states[local][1]].name


class ProgramNarrator:
    """Tells turns of a program by its lines."""

    def __init__(self, unfolding: ProgramUnfolding, source: SourceText) -> None:
        self.unfolding = unfolding
        self.lines = source.text.split("\n") if source.text else None
        self.executed = _find_executed_parts(unfolding.program)
        self.locals: dict[tuple[int, str], int] = {}
        """The value of each local of each request. The unfolding forgets those that are not read again."""

    def pause(self, _: Turn) -> str | None:
        return None

    def moments(self, turn: Turn) -> tuple[Moment, ...]:
        made = events(self.unfolding, turn.local, turn.before, turn.target, turn.after)
        return self.tell(turn.request, made)

    def tell(self, request: int, made: tuple[Event, ...]) -> tuple[Moment, ...]:
        """Describes a step of a request, line by line."""
        found: list[_MomentInMaking] = []
        for event in made:
            span = self.executed.get(event.span, event.span)
            # Of expressions over several lines, such as sequences, only assignments are shown.
            if span.line == 0 or (span.line != span.end_line and event.write is None):
                continue
            if not found or found[-1].line != span.line:
                found.append(_MomentInMaking(span.line, self._line(span.line)))
            found[-1].add(span)
            change = self._change(request, event)
            if change is not None:
                found[-1].change(change)
        return tuple(moment.finish() for moment in found)

    def _line(self, number: int) -> str:
        """The text of a line; empty if the program has no text."""
        return "" if self.lines is None else self.lines[number - 1].rstrip("\r")

    def is_at(self, request: int, local: int) -> None:
        """Records the values of a request's live locals at a local state."""
        for name, value in local_state(self.unfolding, local).values:
            self.locals[request, name] = value

    def _change(self, request: int, event: Event) -> Change | None:
        write = event.write
        if write is None or is_generated(write.name):
            return None
        value_names = tuple(self.unfolding.program.value_names.get(write.name, {}).items())
        if is_global(write.name):
            return Change(write.name, write.old, write.new, value_names)
        key = (request, write.name)
        old = self.locals.get(key, 0)
        self.locals[key] = write.new
        return Change(write.name, old, write.new, value_names)


Narrator = ProgramNarrator | StateNarrator


def narrator(origin: Origin, source: SourceText) -> Narrator:
    """A narrator for a system that was read from a source."""
    match origin:
        case ProgramUnfolding():
            return ProgramNarrator(origin, source)
        case SystemUnfolding():
            return StateNarrator(origin)
        case _:
            assert_never(origin)


def _find_executed_parts(program: Program) -> dict[Span, Span]:
    """Chooses what to show of an expression that has only been evaluated in part."""
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
        """Half-open column ranges, counted from 0, in the order of execution."""
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
        """Whether the two overlap, or only punctuation is between them."""
        start, end = stretch
        if first > end:
            return _BETWEEN_STATEMENTS.fullmatch(self.text, end, first) is not None
        return start <= last

    def change(self, change: Change) -> None:
        """Records a change: one entry for each variable, however often the line is repeated."""
        earlier = self.changes.get(change.name, change)
        self.changes[change.name] = replace(change, old=earlier.old)

    def finish(self) -> Moment:
        whole = [self._with_brackets(start, end) for start, end in self.stretches]
        pieces = tuple(self.text[start:end].strip() for start, end in whole)
        columns = tuple((start + 1, end + 1) for start, end in whole)
        return Moment(self.line, pieces, tuple(self.changes.values()), columns=columns)

    def _with_brackets(self, start: int, end: int) -> tuple[int, int]:
        """A stretch, extended to the brackets that it opens."""
        piece = self.text[start:end]
        unclosed = sum(_BRACKETS.get(character, 0) for character in piece)
        while unclosed > 0 and (closing := _CLOSING.match(self.text, end)) is not None:
            unclosed -= 1
            end = closing.end()
        return start, end
