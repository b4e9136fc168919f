"""Logs as files of a command line, and messages about their lines."""

import sys
from dataclasses import replace
from typing import TextIO

from seriatim.deciding.logs import unreadable
from seriatim.source import Diagnostic


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
