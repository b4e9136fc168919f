"""Refusals: what cannot be translated exactly is named, with its line and what to do instead."""

from typing import NoReturn

from seriatim.frontends.c.symbols import Array, Cells, Enumerator, Function, Scalar, Structure, Symbol
from seriatim.source import Diagnostic, InputError, Span


def refuse(what: str, span: Span, remedy: str) -> NoReturn:
    raise InputError([Diagnostic("SER091", f"{what} cannot be translated", span, remedy)])


def not_a_value(symbol: Symbol | None, span: Span) -> tuple[str, Span, str]:
    """What is refused where a number is needed, where, and what to do."""
    match symbol:
        case Structure():
            return "a structure as a value", span, "pass its address, or its members one by one"
        case Cells():
            return "the id of a thread as a value", span, "use the variable in which pthread_create stores it"
        case Function():
            return "a function as a value", span, "call it, or keep it in a pointer to a function"
        case Scalar() | Array() | Enumerator() | None:
            return "this as a value", span, "use variables of integer types"
        case _:
            return "an object of pthreads as a value", span, "pass its address to functions of pthreads"
