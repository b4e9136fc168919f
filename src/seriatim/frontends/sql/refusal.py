"""Refusals of SQL that cannot be decided, each with a place, a code and a remedy."""

from dataclasses import dataclass

from seriatim.source import Diagnostic, Span

SYNTAX = "SER951"
"""The text is not PostgreSQL's SQL."""


UNSUPPORTED = "SER952"
"""The SQL is not supported."""


UNKNOWN = "SER953"
"""A table, a column or a variable is not declared."""


HEADER = "SER954"
"""A comment for `ser` cannot be read."""


NO_LEVEL = "SER955"
"""No isolation level is given."""


UNBOUNDED = "SER956"
"""Values or rows grow without bound."""


SCOPE = "SER957"
"""A value leaves its declared scope."""


ALONE = "SER949"
"""Statements that no BEGIN joins to a transaction."""


NO_PARSER = "SER958"
"""The SQL parser is not installed."""


SEED = "SER959"
"""The schema or the first rows cannot be used."""


REFUSED_BY_SERVER = "SER960"
"""The database refuses a statement, or does not show a violation again."""


@dataclass(frozen=True, slots=True)
class Growth:
    """A column that takes more and more values, or a table that gets more and more rows."""

    table: str
    column: str | None
    """None for the rows."""
    values: tuple[object, ...] = ()
    """The values that were seen, besides those of the first rows."""


class Refusal(Exception):
    """Raised for SQL that cannot be decided."""

    def __init__(
        self,
        code: str,
        message: str,
        hint: str | None = None,
        span: Span | None = None,
        grows: tuple[Growth, ...] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.span = span
        self.grows = grows

    def at(self, span: Span) -> Diagnostic:
        """The refusal as a diagnostic; `span` is its place, unless it has one of its own."""
        return Diagnostic(self.code, self.message, self.span or span, self.hint)


def no_transactions() -> Diagnostic:
    """The diagnostic for a file without transactions."""
    hint = "put a comment before the statements of each: -- transaction: transfer(a in 0..1)"
    return Diagnostic(HEADER, "the file has no transactions", None, hint)


REST = "leave it out if no answer and no row depends on it, or rewrite it with what the SQL guide lists"


def unsupported(what: str, hint: str = REST) -> Refusal:
    return Refusal(UNSUPPORTED, f"{what} is not supported", hint)
