"""Files: which ones are meant, what is in them, and how to write one so that a failure leaves the old one."""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import click

from seriatim.source import Diagnostic, InputError, SourceText, Span

SUFFIXES = (".ser", ".json")
CERTIFICATE_SUFFIX = ".cert.json"
MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class InputFile:
    """An input that was asked for; it may not exist."""

    path: Path | None
    """None is standard input."""

    @classmethod
    def named(cls, argument: str) -> "InputFile":
        """The file that an argument of a command line means; - is standard input."""
        return cls(None if argument == "-" else Path(argument))

    @property
    def name(self) -> str:
        """As messages call it."""
        return "<stdin>" if self.path is None else click.format_filename(self.path)

    @property
    def stem(self) -> str:
        """What files about it are called after."""
        if self.path is None:
            return "stdin"
        name = self.path.name
        return next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), name)


def input_files(arguments: Iterable[str]) -> list[InputFile]:
    """The files that arguments of a command line mean; a directory means those in it, sorted by name.

    A directory without any stands for itself, so that whoever reads it finds out.
    """
    found: list[InputFile] = []
    for argument in arguments:
        file = InputFile.named(argument)
        if file.path is not None and file.path.is_dir():
            found.extend(map(InputFile, _children(file.path) or [file.path]))
        else:
            found.append(file)
    return found


def _children(directory: Path) -> list[Path]:
    try:
        return sorted(
            path
            for path in directory.iterdir()
            if path.name.endswith(SUFFIXES)
            and not path.name.endswith(CERTIFICATE_SUFFIX)
            and not path.is_dir()
        )
    except OSError:
        return []


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
    """What is in a file, up to one byte more than allowed."""
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
            return Diagnostic("SER203", "this directory contains no .ser or .json file")
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


def write_whole(path: Path, text: str) -> None:
    """Writes a file under another name and renames it, so that nobody ever sees half of it.

    Raises `InputError` if that is impossible; a file that was there before is still there then.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")  # A device or a pipe: there is nothing to preserve.
            return
        target = path.resolve()
        unfinished = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        try:
            unfinished.write_text(text, encoding="utf-8")
            os.replace(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        name = click.format_filename(path)
        message = f"cannot write {name}: {error.strerror or error}"
        raise InputError([Diagnostic("SER207", message, hint="name another file or folder")]) from None


def make_directory(path: Path) -> None:
    """Creates a directory if it is not there; raises `InputError` if that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        name = click.format_filename(path)
        message = f"cannot create the directory {name}: {error.strerror or error}"
        raise InputError([Diagnostic("SER207", message, hint="name another folder")]) from None
