"""Statements that begin and end transactions, and statements that belong to none."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from seriatim.frontends.sql.language import (
    Begin,
    Commit,
    Item,
    Level,
    Release,
    Rollback,
    RollbackTo,
    Savepoint,
)
from seriatim.frontends.sql.refusal import unsupported
from seriatim.source import Span, quote

_WORD = re.compile(r"[a-z]+", re.IGNORECASE)


CONNECTING = frozenset({"\\c", "\\connect"})
"""Commands that choose a database. They come before everything else."""

ASIDE = frozenset({"\\echo", "\\qecho", "\\warn", "\\timing", "\\sleep", "\\x", "\\pset"})
"""Client commands that touch no rows: they print or wait."""


OUTSIDE = {
    "create": "CREATE inside a transaction",
    "drop": "DROP",
    "alter": "ALTER",
    "truncate": "TRUNCATE",
    "prepare": "PREPARE",
    "execute": "EXECUTE",
    "declare": "a cursor",
    "fetch": "a cursor",
    "close": "a cursor",
    "move": "a cursor",
    "copy": "COPY",
    "listen": "LISTEN",
    "notify": "NOTIFY",
    "vacuum": "VACUUM",
    "analyze": "ANALYZE",
    "explain": "EXPLAIN",
    "call": "CALL",
    "do": "DO",
    "merge": "MERGE",
    "set": "SET",
    "reset": "RESET",
    "show": "SHOW",
    "cluster": "CLUSTER",
    "reindex": "REINDEX",
    "refresh": "REFRESH",
    "grant": "GRANT",
    "comment": "COMMENT",
}


_WRITTEN_OUT = "write its statements out, with \\gset for values and \\if for conditions"

REMEDIES = {
    "do": (_WRITTEN_OUT,),
    "call": (_WRITTEN_OUT,),
    "declare": ("write the SELECT itself; with FOR UPDATE, it locks the rows at once",),
    "create": ("put it at the top of the file, before the transactions",),
    "truncate": ("write DELETE FROM the table, which waits for rows instead of the table",),
    "merge": ("write INSERT … ON CONFLICT DO UPDATE",),
    "prepare": ("write the statement itself, with parameters as :a",),
    "execute": ("write the statement itself, with parameters as :a",),
}
"""What to write instead of an unsupported statement, by its first word."""


def read_level(text: str) -> Level | None:
    """The isolation level that BEGIN or SET TRANSACTION names."""
    words = " ".join(_WORD.findall(text.lower()))
    for level in Level:
        if level.value in words:
            return level
    if "read uncommitted" in words:
        return Level.READ_COMMITTED  # PostgreSQL has no weaker level.
    return None


_SETTING = re.compile(
    r"(?:set\s+(?:local\s+|session\s+)?|reset\s+)(deadlock_timeout|enable_\w+|work_mem|\w+_cost|debug_parallel_query"
    r"|force_parallel_mode|min_parallel_\w+|max_parallel_\w+|parallel_\w+|application_name|client_min_messages)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_SET_TRANSACTION = re.compile(r"set\s+transaction\b.*", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Prepare:
    """PREPARE TRANSACTION: its changes stay hidden and its locks held until COMMIT PREPARED."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Decide:
    """COMMIT PREPARED or ROLLBACK PREPARED."""

    name: str
    commits: bool
    span: Span


def is_harmless(text: str) -> bool:
    """Whether a statement changes only plans, timing or messages, and no answer."""
    return _SETTING.fullmatch(text) is not None


_MAINTENANCE = re.compile(
    r"(vacuum|analyze|reindex\s+(index|table|schema|database|system)\s+concurrently)\b.*",
    re.IGNORECASE | re.DOTALL,
)


_PREPARATION = re.compile(r"(drop\s+.*\bif\s+exists\b|create\s+database\b).*", re.IGNORECASE | re.DOTALL)


def is_preparation(text: str) -> bool:
    """Whether a statement before the transactions only clears old tables or creates a database: a file starts
    with no tables anyway."""
    return _PREPARATION.fullmatch(text) is not None


def is_maintenance(text: str) -> bool:
    """Whether a statement is maintenance, which changes no rows."""
    return _MAINTENANCE.fullmatch(text) is not None


def read_set_transaction(text: str) -> Level | None:
    """The level that SET TRANSACTION gives to the transaction; None for any other statement."""
    return read_level(text) if _SET_TRANSACTION.fullmatch(text) else None


def read_control(text: str, span: Span) -> Item | Prepare | Decide | None:
    """Reads BEGIN, COMMIT, ROLLBACK and savepoints; None for any other statement."""
    words = text.lower().split()
    match words:
        case ["begin", *rest] | ["start", "transaction", *rest]:
            _only_known(
                rest,
                {
                    "transaction",
                    "work",
                    "isolation",
                    "level",
                    "read",
                    "committed",
                    "repeatable",
                    "deferrable",
                    "not",
                },
            )
            return Begin(read_level(text), span, read_only="only" in text.lower().replace(",", " ").split())
        case ["prepare", "transaction", _]:
            return Prepare(text.split()[-1], span)
        case ["commit" | "rollback", "prepared", _]:
            return Decide(text.split()[-1], words[0] == "commit", span)
        case ["commit" | "end", *rest]:
            _only_known(rest, set())
            return Commit(span)
        case ["rollback" | "abort", "to", "savepoint", name] | ["rollback" | "abort", "to", name]:
            return RollbackTo(name, span)
        case ["rollback" | "abort", *rest]:
            _only_known(rest, set())
            return Rollback(span)
        case ["savepoint", name]:
            return Savepoint(name, span)
        case ["release", "savepoint", name] | ["release", name]:
            return Release(name, span)
        case ["lock", *_] | []:
            return None
        case [word, *_] if word in OUTSIDE:
            raise unsupported(OUTSIDE[word], *REMEDIES.get(word, ()))
    return None


def begins(text: str) -> bool:
    """Whether a statement begins a transaction."""
    return _WORD.findall(text)[:1] in (["begin"], ["BEGIN"]) or text.lower().startswith("start transaction")


def name_of_statement(text: str) -> str:
    """The first words of a statement: `SELECT`, `CREATE FUNCTION`."""
    words = [word.upper() for word in _WORD.findall(text)]
    if words[:3] == ["CREATE", "OR", "REPLACE"]:
        words = ["CREATE", *words[3:]]
    return " ".join(words[: 2 if words[:1] in (["CREATE"], ["ALTER"], ["DROP"]) else 1])


def _only_known(words: Iterable[str], more: set[str]) -> None:
    allowed = {
        "transaction",
        "work",
        *more,
        *({"serializable", "uncommitted", "write", "only"} if more else ()),
    }
    for word in words:
        if word.strip(",") not in allowed:
            raise unsupported(f"{quote(word.upper())} here")
