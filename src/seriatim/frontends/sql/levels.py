"""Isolation levels as values: what a statement sees, and what a write does after another transaction has
written.

Each database has its own table of levels; this one is PostgreSQL's. Another database may mean something else
by repeatable read, and would get another table.
"""

from dataclasses import dataclass
from enum import StrEnum

from seriatim.frontends.sql.language import Level


class Sees(StrEnum):
    """The committed rows that a statement sees, besides what its own transaction has written."""

    AT_STATEMENT = "those committed when the statement starts"
    AT_TRANSACTION = "those committed when the first statement of the transaction starts"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one level. Where a statement sees rows committed when it starts, a write waits for the
    row's newest version and checks its condition again; where it sees rows committed when the transaction
    starts, a write fails if the row has changed."""

    level: Level
    sees: Sees
    guaranteed: bool = False
    """Whether the database itself promises serializability, if all transactions have this level."""


POSTGRESQL: dict[Level, Rules] = {
    Level.READ_COMMITTED: Rules(Level.READ_COMMITTED, Sees.AT_STATEMENT),
    Level.REPEATABLE_READ: Rules(Level.REPEATABLE_READ, Sees.AT_TRANSACTION),
    Level.SERIALIZABLE: Rules(Level.SERIALIZABLE, Sees.AT_TRANSACTION, guaranteed=True),
}
