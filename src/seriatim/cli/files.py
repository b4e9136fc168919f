"""Finds input files, and writes files so that a failure leaves the old one in place."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from seriatim.cli.signals import delay_signals
from seriatim.frontends.all import FOLDER_SUFFIXES
from seriatim.frontends.reading import InputFile, display_path
from seriatim.source import Diagnostic, InputError

CERTIFICATE_SUFFIX = ".cert.json"
ITF_SUFFIX = ".itf.json"


def input_files(arguments: Iterable[str], suffixes: tuple[str, ...] = FOLDER_SUFFIXES) -> list[InputFile]:
    """The files that arguments name. A directory stands for the files in it with these suffixes, sorted.

    A directory without such files stands for itself, so that reading it reports the mistake.
    """
    found: list[InputFile] = []
    for argument in arguments:
        file = InputFile.from_argument(argument)
        if file.path is not None and file.path.is_dir():
            found.extend(map(InputFile, _children(file.path, suffixes) or [file.path]))
        else:
            found.append(file)
    return found


def _children(directory: Path, suffixes: tuple[str, ...]) -> list[Path]:
    try:
        return sorted(
            path
            for path in directory.iterdir()
            if path.name.endswith(suffixes)
            and not path.name.endswith((CERTIFICATE_SUFFIX, ITF_SUFFIX))
            and not path.is_dir()
            and not _is_script(path)
        )
    except OSError:
        return []


def _is_script(path: Path) -> bool:
    """Whether a file is Python without coroutines, such as tools and tests beside programs."""
    if path.suffix != ".py":
        return False
    try:
        return b"async def" not in path.read_bytes()
    except OSError:
        return False  # Reading it reports the mistake.


def write_whole(path: Path, content: str | bytes | Iterator[str]) -> None:
    """Writes a file under another name and renames it, so that no reader sees half of it.

    Text, whole or in pieces, is written in UTF-8. Raises `InputError` if that is impossible; an old file
    is then still there. Ctrl-C takes effect afterwards.
    """
    try:
        if path.exists() and not path.is_file():
            _write(path, content)  # A device or a pipe: there is nothing to preserve.
            return
        target = path.resolve()
        unfinished = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with delay_signals():
            try:
                _write(unfinished, content)
                os.replace(unfinished, target)
            finally:
                unfinished.unlink(missing_ok=True)
    except OSError as error:
        name = display_path(path)
        message = f"cannot write {name}: {error.strerror or error}"
        raise InputError([Diagnostic("SER207", message, hint="name another file or folder")]) from None


def _write(path: Path, content: str | bytes | Iterator[str]) -> None:
    with path.open("wb") as file:
        if isinstance(content, bytes):
            file.write(content)
        else:
            for piece in (content,) if isinstance(content, str) else content:
                file.write(piece.encode("utf-8"))


def make_directory(path: Path) -> None:
    """Creates a directory if it is missing; raises `InputError` if that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        name = display_path(path)
        message = f"cannot create the directory {name}: {error.strerror or error}"
        raise InputError([Diagnostic("SER207", message, hint="name another folder")]) from None
