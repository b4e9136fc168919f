"""Reads an input: the file, then its meaning; errors carry the text that they are about."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from seriatim.diagnostic_text import render
from seriatim.frontends.languages import SUFFIXES
from seriatim.source import Diagnostic, InputError, SourceText, Span

MAX_BYTES = 16 * 1024 * 1024

Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class InputFile:
    """An input that was asked for; it may not exist."""

    path: Path | None
    """None is standard input."""
    part: str = ""
    """The class in a Python file that is meant alone; empty for all of the file."""

    @classmethod
    def from_argument(cls, argument: str) -> "InputFile":
        """The file that an argument of a command line means; - is standard input."""
        return cls(None if argument == "-" else Path(argument))

    @classmethod
    def with_part(cls, argument: str) -> "InputFile":
        """The same, where `file.py::Name` means one class of a file."""
        whole = cls.from_argument(argument)
        name, separator, part = argument.rpartition("::")
        if (
            separator
            and part.isidentifier()
            and name.endswith(".py")
            and whole.path
            and not whole.path.exists()
        ):
            return cls(Path(name), part)
        return whole

    @property
    def name(self) -> str:
        """The name in messages."""
        return "<stdin>" if self.path is None else display_path(self.path)

    @property
    def stem(self) -> str:
        """What files about it are called after."""
        if self.path is None:
            return "stdin"
        name = self.path.name
        if self.part:
            return f"{name.removesuffix('.py')}.{self.part}"
        return next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), name)


def display_path(path: Path) -> str:
    """The name of a file as text that can be shown, whatever bytes it consists of: no terminal obeys it."""
    text = os.fspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


class BadInput(ValueError):
    """An input that cannot be used, as far as it could be read, and why."""

    def __init__(self, source: SourceText, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("".join(render(diagnostic, source) for diagnostic in diagnostics).rstrip())
        self.source = source
        self.diagnostics = tuple(diagnostics)


def load(file: InputFile, parse: Callable[[SourceText], Content]) -> tuple[SourceText, Content]:
    """The text of a file and its parsed content; raises `BadInput`."""
    source, problem = read(file)
    if problem is not None:
        raise BadInput(source, [problem])
    return source, parse_source(source, parse)


def parse_source(source: SourceText, parse: Callable[[SourceText], Content]) -> Content:
    """The parsed content of a text; raises `BadInput`."""
    try:
        return parse(source)
    except InputError as error:
        raise BadInput(source, error.diagnostics) from None


def read(file: InputFile) -> tuple[SourceText, Diagnostic | None]:
    """The text of a file, and what is wrong with the file; in that case the text is what could be read."""
    try:
        data = _bytes(file)
    except OSError as error:
        return SourceText(file.name, ""), _unreadable(file, error)
    if len(data) > MAX_BYTES:
        megabytes = MAX_BYTES // 1024 // 1024
        too_large = Diagnostic(
            "SER205",
            f"larger than {megabytes} MiB",
            hint="is this the right file? Programs and network systems are much smaller",
        )
        return SourceText(file.name, ""), too_large
    try:
        return SourceText(file.name, data.decode("utf-8-sig")), None
    except UnicodeDecodeError as error:
        return SourceText(file.name, data.decode("utf-8-sig", "replace")), _not_utf8(data, error)


def _bytes(file: InputFile) -> bytes:
    """Returns what is in a file, up to one byte more than allowed."""
    if file.path is None:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    with file.path.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


def _unreadable(file: InputFile, error: OSError) -> Diagnostic:
    match error:
        case FileNotFoundError():
            return Diagnostic("SER201", "no such file", hint="check the name and the folder")
        case PermissionError():
            return Diagnostic("SER202", "no permission to read it")
        case IsADirectoryError() if file.path is not None and os.access(file.path, os.R_OK):
            if any(each.name.endswith(SUFFIXES) for each in file.path.iterdir()):
                return Diagnostic("SER203", "this is a folder", hint="name one of the files in it")
            return Diagnostic("SER203", "this directory contains no input file")
        case IsADirectoryError():
            return Diagnostic("SER202", "no permission to read this directory")
        case _:
            return Diagnostic("SER206", f"it cannot be read: {error.strerror or error}")


def _not_utf8(data: bytes, error: UnicodeDecodeError) -> Diagnostic:
    before = error.object[: error.start].decode("utf-8", "replace")
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    byte = error.object[error.start]
    return Diagnostic(
        "SER204",
        f"not UTF-8: unexpected byte 0x{byte:02x} at offset {error.start + len(data) - len(error.object)}",
        Span(line, column, line, column + 1),
        "save the file in the encoding UTF-8",
    )
