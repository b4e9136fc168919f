"""Refusals of SQL that cannot be decided, with place, code and remedy."""

from seriatim.source import Diagnostic, Span

SYNTAX = "SER951"
"""The text is not SQL, or not the SQL of PostgreSQL."""


UNSUPPORTED = "SER952"
"""SQL that is not understood here."""


UNKNOWN = "SER953"
"""A table, a column or a variable that nothing declares."""


HEADER = "SER954"
"""A comment for `ser` that cannot be read."""


NO_LEVEL = "SER955"
"""No isolation level is given."""


UNBOUNDED = "SER956"
"""Values grow without a bound."""


SCOPE = "SER957"
"""A value leaves the scope that was declared for it."""


NO_PARSER = "SER958"
"""The parser of SQL is not installed."""


SEED = "SER959"
"""The schema or the first rows cannot be used."""


class Refusal(Exception):
    """Ends the reading of one statement."""

    def __init__(self, code: str, message: str, hint: str | None = None, span: Span | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.span = span

    def at(self, span: Span) -> Diagnostic:
        """The refusal as a diagnostic; `span` is its place, unless it has one of its own."""
        return Diagnostic(self.code, self.message, self.span or span, self.hint)


REST = "leave it out if no answer and no row depends on it, or write it with what the guide on SQL lists"


def unsupported(what: str, hint: str = REST) -> Refusal:
    return Refusal(UNSUPPORTED, f"{what} is not supported", hint)
