"""Candidates that drop yields, or move one.

Claim. Dropping a yield changes nothing for a request that runs alone: the value of `yield` is 0, and nobody
else is there. So the serial outcomes stay the same. And every run of the changed program is one of the
program itself in which nobody takes over at these yields, so there are no new outcomes. Hence dropping more
keeps a program serializable, and minimal sets of yields are worth knowing. Moving a yield within its sequence
leaves what a request does alone as it is, too; and the requests that went through it before still do.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.program.changing import transform
from seriatim.program.syntax import (
    Expression,
    Handler,
    Number,
    Program,
    Sequence,
    While,
    Yield,
    sequence,
    walk,
)
from seriatim.repair.candidate import Candidate, Change, write
from seriatim.repair.edit import Edit, Offsets
from seriatim.source import Span


@dataclass(frozen=True, slots=True)
class YieldPlace:
    """A yield of a program."""

    number: int
    span: Span
    is_statement: bool
    """Whether it stands in a sequence and its value, 0, is not the sequence's own."""
    in_loop: bool

    def __str__(self) -> str:
        return f"line {self.span.line}"


def places(program: Program, text: str) -> tuple[YieldPlace, ...]:
    """All yields that are written in the text, in its order."""
    offsets = Offsets(text)
    statements: set[Span] = set()
    in_loops: set[Span] = set()
    found: set[Span] = set()
    for handler in program.handlers:
        for part in walk(handler.body):
            match part:
                case Sequence(items=items):
                    statements |= {item.span for item in items[:-1] if isinstance(item, Yield)}
                case While():
                    in_loops |= {inner.span for inner in walk(part) if isinstance(inner, Yield)}
                case Yield(span=span) if offsets.stands_at(span, "yield"):
                    found.add(span)
    return tuple(
        YieldPlace(number, span, span in statements, span in in_loops)
        for number, span in enumerate(sorted(found))
    )


def drop_yields(program: Program, text: str, chosen: tuple[YieldPlace, ...]) -> Candidate | None:
    """The program without these yields."""
    offsets = Offsets(text)
    edits = [
        offsets.without_statement(place.span) if place.is_statement else Edit(*offsets.of(place.span), "0")
        for place in chosen
    ]
    intended = without(program, frozenset(place.span for place in chosen))
    result = write(text, edits, intended)
    if result is None:
        return None
    lines = join_words([str(place.span.line) for place in chosen])
    noun = "the yield in line" if len(chosen) == 1 else "the yields in lines"
    return Candidate(
        Change.DROP,
        f"drop {noun} {lines}",
        "No other request runs there any more: the code before and after it has to run in one step.",
        result,
        intended,
        tuple(place.number for place in chosen),
        any(place.in_loop for place in chosen),
    )


def without(program: Program, spans: frozenset[Span]) -> Program:
    """The program without the yields at these places; where their value counts, it is 0."""

    def change(part: Expression) -> Expression:
        match part:
            case Yield(span=span) if span in spans:
                return Number(0, span)
            case Sequence(items=items):
                kept = [item for item in items[:-1] if not (isinstance(item, Number) and item.span in spans)]
                return sequence(*kept, items[-1])
            case _:
                return part

    return with_bodies(program, [transform(handler.body, change) for handler in program.handlers])


def with_bodies(program: Program, bodies: list[Expression]) -> Program:
    handlers: list[Handler] = [
        replace(handler, body=body) for handler, body in zip(program.handlers, bodies, strict=True)
    ]
    return replace(program, handlers=tuple(handlers))


def move_yields(
    program: Program, text: str, all_yields: tuple[YieldPlace, ...]
) -> Iterator[tuple[int, Candidate]]:
    """Each yield at the other places of its sequence, with the number of statements that it passes."""
    numbers = {place.span: place.number for place in all_yields}
    for index, handler in enumerate(program.handlers):
        for part in walk(handler.body):
            if isinstance(part, Sequence):
                for source, item in enumerate(part.items[:-1]):
                    if item.span in numbers:
                        for passed, candidate in _elsewhere(program, index, part, source, text):
                            yield passed, replace(candidate, yields=(numbers[item.span],))


def _elsewhere(
    program: Program, handler: int, around: Sequence[Expression], source: int, text: str
) -> Iterator[tuple[int, Candidate]]:
    """A yield of a handler at the other places of the sequence around it, except beside another yield."""
    offsets = Offsets(text)
    items = around.items
    taken = offsets.whole_line(items[source].span)
    if taken is None:
        return
    line = text[taken.start : taken.end]
    for target in range(len(items)):
        beside = items[max(0, target - 1) : target + 1]
        if target in (source, source + 1) or any(isinstance(item, Yield) for item in beside):
            continue
        place = offsets.of(items[target].span)[0]
        indentation = offsets.indentation(place)
        if indentation is None:
            continue
        rest = [*items[:source], *items[source + 1 :]]
        rest.insert(target if target < source else target - 1, items[source])
        intended = _replace(program, handler, around, sequence(*rest))
        at = place - len(indentation)
        result = write(text, [taken, Edit(at, at, line)], intended)
        if result is not None:
            passed = source - target if target < source else target - source - 1
            where = items[target].span.line
            title = f"move the yield in line {items[source].span.line} to before line {where}"
            meaning = "Other requests may run there instead; the code around the old place becomes one step."
            yield passed, Candidate(Change.MOVE, title, meaning, result, intended)


def _replace(program: Program, handler: int, old: Sequence[Expression], new: Expression) -> Program:
    def change(part: Expression) -> Expression:
        return new if isinstance(part, Sequence) and part.span == old.span else part

    bodies = [each.body for each in program.handlers]
    bodies[handler] = transform(bodies[handler], change)
    return with_bodies(program, bodies)


def join_words(words: list[str]) -> str:
    """`1`, `1 and 2`, `1, 2 and 3`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
