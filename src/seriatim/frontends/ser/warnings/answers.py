"""Answers that the text alone determines."""

from collections.abc import Iterable

from seriatim.program.syntax import (
    Assign,
    Expression,
    Handler,
    If,
    Number,
    Return,
    Sequence,
    While,
    Yield,
    is_global,
    walk,
    yields,
)


def constant_handlers(handlers: Iterable[Handler]) -> tuple[Handler, ...]:
    """Claim: no two requests of one of these handlers get different answers, whatever is done to the
    globals."""
    return tuple(handler for handler in handlers if _is_constant(handler))


def may_lose_updates(handler: Handler) -> bool:
    """Whether it yields, and gives a global a value that depends on what it has read or chosen."""
    return yields(handler.body) and any(
        isinstance(part, Assign) and is_global(part.name) and not isinstance(part.value, Number)
        for part in walk(handler.body)
    )


def _is_constant(handler: Handler) -> bool:
    values = _values(handler.body)
    for part in walk(handler.body):
        if isinstance(part, Return):
            values |= _values(part.value)
    return None not in values and len(values) <= 1


def _values(expression: Expression) -> set[int | None]:
    """The values that an expression may have; None stands for those that the text does not tell."""
    match expression:
        case Number(value=value):
            return {value}
        case While() | Yield():
            return {0}
        case Return():
            return set()
        case Assign(value=value):
            return _values(value)
        case Sequence(items=(*_, last)):
            return _values(last)
        case If(then=then, otherwise=otherwise):
            return _values(then) | ({0} if otherwise is None else _values(otherwise))
        case _:
            return {None}
