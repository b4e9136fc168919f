"""Isolation levels as values: what a statement sees, and what a write does where somebody else has
written.

A database has a table of them. PostgreSQL's is here; another one's repeatable read is another thing, and
would be another table.
"""

from dataclasses import dataclass
from enum import StrEnum

from seriatim.frontends.sql.language import Level


class Sees(StrEnum):
    """Which committed rows a statement sees, beside what its own transaction has written."""

    AT_STATEMENT = "those committed when the statement starts"
    AT_TRANSACTION = "those committed when the first statement of the transaction starts"


@dataclass(frozen=True, slots=True)
class Rules:
    """Where a statement sees rows of its own time, a write waits for the row's newest version and looks
    again whether it is still wanted; where it sees rows of the transaction's start, it fails if the
    row has changed."""

    level: Level
    sees: Sees
    guaranteed: bool = False
    """Whether the database itself promises serializability, if all transactions have this level."""


POSTGRESQL: dict[Level, Rules] = {
    Level.READ_COMMITTED: Rules(Level.READ_COMMITTED, Sees.AT_STATEMENT),
    Level.REPEATABLE_READ: Rules(Level.REPEATABLE_READ, Sees.AT_TRANSACTION),
    Level.SERIALIZABLE: Rules(Level.SERIALIZABLE, Sees.AT_TRANSACTION, guaranteed=True),
}
