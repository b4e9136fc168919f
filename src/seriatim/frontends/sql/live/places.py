"""Places where requests run: what a run needs to know of a database, whichever it is.

`postgres` and `sqlite` are such places, each with the tables of one script.
"""

from typing import Protocol

from seriatim.frontends.sql.live.gates import Gate
from seriatim.frontends.sql.live.text import Text
from seriatim.frontends.sql.live.wire import Cells, Reply

Rows = tuple[tuple[str, tuple[Cells, ...]], ...]
"""The rows of each table, by name."""


class Impossible(Exception):
    """Raised when a script cannot run on this database; gives the reason, and the line if it has one."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class Session(Protocol):
    """A connection of one client."""

    @property
    def status(self) -> str:
        """Whether the session is idle (I), in a transaction (T), or in one that has failed (E)."""

    @property
    def gate(self) -> int | None:
        """The number of the gate at which the session stands, inside a function; None elsewhere."""

    def pass_gate(self) -> None:
        """Lets the session go on."""

    def run(self, text: str) -> list[Reply]:
        """Executes a statement of ours; raises `Failed`."""

    def send(self, text: str) -> None:
        """Starts a statement of the script."""

    def settle(self) -> Reply | None:
        """The reply to it; None if another session blocks it, or it stands at a gate."""

    def cancel(self) -> None:
        """Ends a statement that is blocked."""

    def leave(self) -> None:
        """Ends the open transaction, and gives back what outlives transactions."""


class Place(Protocol):
    """A database with the tables of a script."""

    engine: str
    """Its name and version."""
    level: str
    text: Text
    lines: set[int]
    """The lines of the statements that were executed."""
    complaints: dict[tuple[int, str], str]
    """The message of each error, by line and code."""
    notes: dict[int, str]
    """What is missing on this database, by line."""
    gates: tuple[Gate, ...]
    """The places inside functions where sessions stop, by number; none unless they are wanted."""
    runs: int
    retried: frozenset[str]
    """The codes of errors after which a client starts over."""

    def use_gates(self, wanted: bool) -> None:
        """Puts gates into the functions of the script, where that can be done, or takes them away."""

    def volatile(self, words: frozenset[str]) -> set[str]:
        """Those of some words, in lower case, that name functions of the database itself which may answer
        otherwise the next time."""

    def closed_bodies(self) -> list[str]:
        """The functions and triggers inside which others could move, but no run lets them."""

    def reset(self, state: str | None = None, backwards: bool = False) -> None:
        """Restores the first rows, perhaps stored the other way round; or other ones, by statements that
        fill empty tables."""

    def contents(self) -> Rows:
        """The rows of all tables."""

    def keys(self) -> list[frozenset[str]]:
        """The columns of each key of a table: rows that are sorted by all of them have one order."""

    def peek(self) -> Rows | None:
        """The committed rows in the middle of a run; None if they cannot be read now."""

    def open(self, count: int, backwards: bool = False) -> list[Session]:
        """Sessions without anything left from earlier runs; `backwards` also prefers other plans."""

    def calculate(self, text: str) -> str:
        """The value of an expression, as text that stands in a statement; raises `Impossible`."""

    def has_cycle(self, waiting: list[Session]) -> bool:
        """Whether these sessions block each other, so that the database will end one of them."""
