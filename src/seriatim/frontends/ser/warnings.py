"""All warnings about a text; among them: code that never runs, has no effect, or keeps a request for ever.

A warning is a claim about every run of the program, such as "this read gives 0 each time", that follows from
the text alone. Each function that warns says its claim. It is worth a warning only if nobody means to write
what is claimed; for readers who do mean it, the hint shows another way to write it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from seriatim.frontends.ser import variable_warnings
from seriatim.frontends.ser.surface import (
    Assert,
    AssignElement,
    Await,
    Call,
    Choose,
    Element,
    For,
    Lock,
    Marked,
    Request,
    Surface,
    SurfaceProgram,
    Unlock,
    walk,
)
from seriatim.frontends.ser.variable_warnings import constants, operands, own_access
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Binary,
    Cell,
    Choice,
    Fault,
    If,
    Logical,
    Number,
    Operator,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
)
from seriatim.source import Diagnostic, Span, quote, warning


@dataclass(frozen=True, slots=True)
class PathSummary:
    """What a request may do on its way through an expression; what a function does counts as all of it."""

    goes_on: bool
    """Whether some path leaves it in another way than by `return`; conditions count if they are constants."""
    returns: bool
    yields: bool
    chooses: bool
    reads: frozenset[str]
    writes: frozenset[str]


def findings(program: SurfaceProgram) -> Iterator[Diagnostic]:
    for definition in program.definitions:
        loops = {part.variable.name for part in walk(definition.body) if isinstance(part, For)}
        fixed = constants(program) | {parameter.name for parameter in definition.parameters} | loops
        found: list[Diagnostic] = []
        paths = _summarize_paths(definition.body, fixed, found)
        yield from found
        if isinstance(definition, Request) and not paths.goes_on and not paths.returns:
            yield never_answered(definition.name, definition.span)


def never_answered(request: str, span: Span | None) -> Diagnostic:
    """Claim: no complete run contains the request, so it has no part in any outcome."""
    return warning(
        "SER708",
        f"no complete run contains a request {quote(request)}",
        span,
        "the verdict is as if the handler were not there; make sure that its requests end",
    )


def _summarize_paths(expression: Surface, fixed: set[str], found: list[Diagnostic]) -> PathSummary:
    """Adds to what was found on the way. What is fixed are constants and arguments."""
    parts = [_summarize_paths(operand, fixed, found) for operand in operands(expression)]
    match expression:
        case Sequence(items=items):
            found += _never_executed(items, parts)
            found += _no_effect(items)
        case While():
            found += _waits_alone(expression, parts[0], parts[1], fixed)
    access = own_access(expression)
    names = () if access is None else (access.name,)
    return PathSummary(
        _goes_on(expression, parts),
        isinstance(expression, Return) or any(part.returns for part in parts),
        isinstance(expression, Yield | Await | Lock | Call) or any(part.yields for part in parts),
        isinstance(expression, Choice | Choose) or any(part.chooses for part in parts),
        frozenset[str]().union(names if access and access.reads else (), *(part.reads for part in parts)),
        frozenset[str]().union(names if access and access.writes else (), *(part.writes for part in parts)),
    )


def _goes_on(expression: Surface, parts: list[PathSummary]) -> bool:
    match expression:
        case Number() | Choice() | Choose() | Read() | Yield():
            return True
        case Return() | Fault():
            return False
        case While(condition=Number(value=value)):
            return value == 0
        case Await(condition=Number(value=value)) | Assert(condition=Number(value=value)):
            return value != 0
        case While() | Logical():
            return parts[0].goes_on
        case If(otherwise=otherwise):
            return parts[0].goes_on and (otherwise is None or any(part.goes_on for part in parts[1:]))
        case (
            Assign()
            | AssignElement()
            | Element()
            | Lock()
            | Unlock()
            | Await()
            | Assert()
            | Call()
            | Marked()
            | For()
        ):
            return all(part.goes_on for part in parts)
        case Unary() | Binary() | Sequence() | Cell() | AssignCell():
            return all(part.goes_on for part in parts)
        case _:
            assert_never(expression)


def _never_executed(items: tuple[Surface, ...], parts: list[PathSummary]) -> Iterator[Diagnostic]:
    """Claim: no request gets to the item."""
    for part, following in zip(parts, items[1:], strict=False):
        if not part.goes_on:
            why, where = (
                ("the handler has returned already", "`return`")
                if part.returns
                else ("the loop before it never ends", "loop")
            )
            message = f"this is never executed: {why}"
            yield warning("SER705", message, following.span, f"remove it, or move it before the {where}")
            return


def _no_effect(items: tuple[Surface, ...]) -> Iterator[Diagnostic]:
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


def _only_computes(expression: Surface) -> bool:
    return all(
        isinstance(part, Number | Read | Choice | Unary | Binary | Logical) for part in walk(expression)
    )


def _waits_alone(
    loop: While[Surface], condition: PathSummary, body: PathSummary, fixed: set[str]
) -> Iterator[Diagnostic]:
    """Claim: once the condition, which depends on more than what is fixed, holds, the loop never ends.

    Neither the loop nor, without a `yield` in it, anybody else changes what the condition reads.
    """
    changed = condition.writes | body.writes
    is_left = any(part.yields or part.returns for part in (condition, body))
    is_steady = not (condition.reads & changed or condition.chooses or is_left)
    if is_steady and condition.reads - fixed:
        yield warning(
            "SER707",
            "once its condition holds, this loop never ends: there is no `yield` in it",
            loop.condition.span,
            "to wait for others, write `yield` in the loop; to stop for ever, `while (1) { yield }`",
        )


_START = Span(1, 1, 1, 1)


def warnings(program: SurfaceProgram) -> tuple[Diagnostic, ...]:
    """The warnings, in the order of the text."""
    with deep_recursion():
        found = [*variable_warnings.findings(program), *findings(program)]
    return tuple(sorted(found, key=lambda warning: (warning.span or _START, warning.code)))
