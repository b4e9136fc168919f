"""Logs as files of a command line, and messages about their lines."""

import sys
from dataclasses import replace
from typing import TextIO

from seriatim.deciding.logs import unreadable
from seriatim.frontends.sql.postgres_log import is_server_log
from seriatim.source import Diagnostic

HEAD = 10_000
"""How many characters of a file are looked at to tell what it is."""


def open_log(log: str) -> TextIO:
    """The lines of a log; - is standard input. Raises `InputError`."""
    if log == "-":
        return sys.stdin
    try:
        return open(log, encoding="utf-8-sig", newline="")
    except OSError as error:
        raise unreadable(f"cannot read the log: {error.strerror or error}", "name a file, or -") from None


def with_line(diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic with its line in words, because logs are not kept as texts."""
    if diagnostic.span is None:
        return diagnostic
    return replace(diagnostic, message=f"line {diagnostic.span.line}: {diagnostic.message}", span=None)


def server_log_diagnostic(path: str) -> Diagnostic | None:
    """Says what is wrong with a log that a PostgreSQL server has written; None for other files."""
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            head = lines.read(HEAD)
    except OSError:
        return None
    if not is_server_log(head):
        return None
    hint = f"to make a program of its transactions: ser check TABLES.sql --from-log {path}"
    return Diagnostic("SER571", "this is the log of a PostgreSQL server, which has no answers", hint=hint)
