"""Refusals of P4 code that cannot be decided, with place, code and remedy."""

from seriatim.source import Diagnostic, InputError, Span

SYNTAX = "SER961"
"""The text is not P4-16."""

UNSUPPORTED = "SER962"
"""P4 that is not translated."""

UNKNOWN = "SER963"
"""A name that nothing declares, or a type that does not fit."""

MARK = "SER964"
"""A comment for `ser`, or a line of entries, that cannot be read."""

UNBOUNDED = "SER966"
"""Values of a register that grow without a bound, or packets of too many kinds."""

ESCAPE = "SER967"
"""A value leaves the scope that was declared for it."""

DEAD = "SER968"
"""A comparison that has only one answer because of the scopes."""


def refuse(code: str, message: str, span: Span | None, hint: str | None = None) -> InputError:
    """An exception about one place."""
    return InputError([Diagnostic(code, message, span, hint)])


def unsupported(what: str, span: Span, hint: str) -> InputError:
    return refuse(UNSUPPORTED, f"{what} is not supported", span, hint)


def quote_name(name: str) -> str:
    """Quotes a name for a message, in full length."""
    return f"`{name}`"
