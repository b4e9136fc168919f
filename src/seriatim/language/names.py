"""Static mistakes: names that clash, have the wrong scope or mean truth values; `%` by something unknown."""

from collections.abc import Iterator

from seriatim.language.lexer import quote
from seriatim.language.syntax import (
    Assign,
    Binary,
    Number,
    Operator,
    Program,
    Read,
    is_global,
    name_span,
    walk,
)
from seriatim.source import Diagnostic, Span

_TRUTH_VALUES = {"true": 1, "false": 0}


def check(program: Program) -> list[Diagnostic]:
    """All static mistakes of a program that follows the grammar."""
    return [*_initial_values(program), *_handlers(program), *_truth_values(program), *_moduli(program)]


def _initial_values(program: Program) -> Iterator[Diagnostic]:
    first: dict[str, Span] = {}
    for initial in program.initial_values:
        if not is_global(initial.name):
            yield Diagnostic(
                "SER026",
                f"{quote(initial.name)} is local to a request and has no initial value",
                initial.span,
                "globals begin with an uppercase letter; locals are 0 when a request begins",
            )
        elif initial.name in first:
            yield Diagnostic(
                "SER025",
                f"{quote(initial.name)} has two initial values",
                initial.span,
                f"the other one stands in line {first[initial.name].line}; remove one of them",
            )
        first.setdefault(initial.name, initial.span)


def _handlers(program: Program) -> Iterator[Diagnostic]:
    if not program.handlers:
        yield Diagnostic(
            "SER027",
            "there is no handler",
            Span(1, 1, 1, 1),
            "write at least one, such as `request main { X := 1 }`",
        )
    first: dict[str, Span] = {}
    for handler in program.handlers:
        if handler.name in first:
            yield Diagnostic(
                "SER023",
                f"there are two handlers named {quote(handler.name)}",
                handler.span,
                f"the other one stands in line {first[handler.name].line}; rename one of them",
            )
        first.setdefault(handler.name, handler.span)


def _truth_values(program: Program) -> Iterator[Diagnostic]:
    for handler in program.handlers:
        for part in walk(handler.body):
            if isinstance(part, Read | Assign) and part.name in _TRUTH_VALUES:
                yield Diagnostic(
                    "SER009",
                    f"`{part.name}` cannot name a variable",
                    name_span(part),
                    f"truth values are 1 and 0; write `{_TRUTH_VALUES[part.name]}`",
                )


def _moduli(program: Program) -> Iterator[Diagnostic]:
    for handler in program.handlers:
        for part in walk(handler.body):
            match part:
                case Binary(operator=Operator.MODULO, right=Number(value=value)) if value > 0:
                    pass
                case Binary(operator=Operator.MODULO, right=right):
                    yield Diagnostic(
                        "SER024",
                        "the right side of `%` is not a positive constant",
                        right.span,
                        "write a number greater than 0, as in `(X + 1) % 3`",
                    )
