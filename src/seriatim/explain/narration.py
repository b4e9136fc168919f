"""Describes turns for readers of the input: the lines of code that they execute, and what these change."""

import re
from typing import assert_never

from seriatim.explain.timeline import Change, Moment
from seriatim.frozen import replace
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
from seriatim.systems.run import Turn
from seriatim.systems.source_map import Event, events, local_state
from seriatim.systems.unfolding import ProgramUnfolding

_BETWEEN_STATEMENTS = re.compile(r"[\s;:,(){}]*")
_CLOSING = re.compile(r"\s*[)}]")
_BRACKETS = {"(": 1, "{": 1, ")": -1, "}": -1}


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
    """What to show of an expression that has only been evaluated in part."""
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
