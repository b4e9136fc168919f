"""Transactions as a log has them: what the checker and the decider of isolation levels both start from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Scalar = int | str
"""An integer, or the text of anything else as EDN writes it, so that `:x`, `"x"` and `1` stay apart."""

Operation = tuple[str, Scalar, Scalar | tuple[Scalar, ...] | None]
"""(append, key, element), (w, key, value), or (r, key, value): a list in logs of appends, or None."""

Status = Literal["ok", "info", "fail"]


@dataclass(frozen=True, slots=True)
class Transaction:
    line: int
    """The line at which it ended, or began if it never ended."""
    process: str | None
    start: int | None
    end: int | None
    """Positions in the log; None if it has no such event. One with status `info` has no end."""
    status: Status
    """Whether it committed, may have, or did not."""
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class TransactionLog:
    transactions: Sequence[Transaction]
    has_lists: bool
    """Whether its writes append to lists; otherwise they overwrite registers."""
    is_timed: bool
    """Whether it says when transactions began."""
    digest: str
    """SHA-256 of its text."""


def key_text(key: Scalar) -> str:
    return str(key)
