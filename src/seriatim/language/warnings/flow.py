"""Code that is never executed, has no effect, or keeps a request for ever."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from seriatim.language.lexer import quote
from seriatim.language.syntax import (
    Assign,
    Binary,
    Choice,
    Expression,
    Fault,
    If,
    Logical,
    Number,
    Operator,
    Program,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    children,
    walk,
)
from seriatim.source import Diagnostic, Span, warning


@dataclass(frozen=True, slots=True)
class Passage:
    """What a request may do on its way through an expression."""

    goes_on: bool
    """Whether some path leaves it in another way than by `return`; conditions count if they are constants."""
    returns: bool
    yields: bool
    chooses: bool
    reads: frozenset[str]
    writes: frozenset[str]


def findings(program: Program) -> Iterator[Diagnostic]:
    for handler in program.handlers:
        found: list[Diagnostic] = []
        passage = _passage(handler.body, found)
        yield from found
        if not passage.goes_on and not passage.returns:
            yield never_answered(handler.name, handler.span)


def never_answered(request: str, span: Span | None) -> Diagnostic:
    """Claim: no complete run contains the request, so it has no part in any outcome."""
    return warning(
        "SER708",
        f"no complete run contains a request {quote(request)}",
        span,
        "the verdict is as if the handler were not there; let its requests come to an end",
    )


def _passage(expression: Expression, found: list[Diagnostic]) -> Passage:
    """Adds to what was found on the way."""
    parts = [_passage(child, found) for child in children(expression)]
    match expression:
        case Sequence(items=items):
            found += _never_executed(items, parts)
            found += _no_effect(items)
        case While():
            found += _waits_alone(expression, *parts)
    reads = frozenset((expression.name,)) if isinstance(expression, Read) else frozenset[str]()
    writes = frozenset((expression.name,)) if isinstance(expression, Assign) else frozenset[str]()
    return Passage(
        _goes_on(expression, parts),
        isinstance(expression, Return) or any(part.returns for part in parts),
        isinstance(expression, Yield) or any(part.yields for part in parts),
        isinstance(expression, Choice) or any(part.chooses for part in parts),
        reads.union(*(part.reads for part in parts)),
        writes.union(*(part.writes for part in parts)),
    )


def _goes_on(expression: Expression, parts: list[Passage]) -> bool:
    match expression:
        case Number() | Choice() | Read() | Yield():
            return True
        case Return() | Fault():
            return False
        case While(condition=Number(value=value)):
            return value == 0
        case While() | Logical():
            return parts[0].goes_on
        case If(otherwise=otherwise):
            return parts[0].goes_on and (otherwise is None or any(part.goes_on for part in parts[1:]))
        case Assign() | Unary() | Binary() | Sequence():
            return all(part.goes_on for part in parts)
        case _:
            assert_never(expression)


def _never_executed(items: tuple[Expression, ...], parts: list[Passage]) -> Iterator[Diagnostic]:
    """Claim: no request gets to the item."""
    for part, following in zip(parts, items[1:], strict=False):
        if not part.goes_on:
            why, where = (
                ("the handler has returned before", "`return`")
                if part.returns
                else ("the loop before it never ends", "loop")
            )
            message = f"this is never executed: {why}"
            yield warning("SER705", message, following.span, f"remove it, or move it before the {where}")
            return


def _no_effect(items: tuple[Expression, ...]) -> Iterator[Diagnostic]:
    """Claim: without the item, which is more than a number, the program means the same."""
    for item in items[:-1]:
        if isinstance(item, Read | Unary | Binary | Logical) and _only_computes(item):
            is_comparison = isinstance(item, Binary) and item.operator is Operator.EQUAL
            yield warning(
                "SER706",
                "this has no effect: its value is not used",
                item.span,
                "to assign, write `:=`" if is_comparison else "remove it, or use its value",
            )


def _only_computes(expression: Expression) -> bool:
    return all(
        isinstance(part, Number | Read | Choice | Unary | Binary | Logical) for part in walk(expression)
    )


def _waits_alone(loop: While[Expression], condition: Passage, body: Passage) -> Iterator[Diagnostic]:
    """Claim: once the condition, which is no constant, holds, the loop never ends.

    Neither the loop nor, without a `yield` in it, anybody else changes what the condition reads.
    """
    changed = condition.writes | body.writes
    is_left = any(part.yields or part.returns for part in (condition, body))
    if condition.reads and not condition.reads & changed and not condition.chooses and not is_left:
        yield warning(
            "SER707",
            "once its condition holds, this loop never ends: there is no `yield` in it",
            loop.condition.span,
            "to wait for others, write `yield` in the loop; to stop for ever, `while (1) { yield }`",
        )
