"""Files: which ones are meant, and how to write one so that a failure leaves the old one."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from seriatim.cli.signals import undisturbed
from seriatim.frontends.all import FOLDER_SUFFIXES
from seriatim.frontends.reading import InputFile, displayed
from seriatim.source import Diagnostic, InputError

CERTIFICATE_SUFFIX = ".cert.json"
ITF_SUFFIX = ".itf.json"


def input_files(arguments: Iterable[str], suffixes: tuple[str, ...] = FOLDER_SUFFIXES) -> list[InputFile]:
    """The files that arguments of a command line mean; a directory means those in it with a suffix, sorted.

    A directory without any stands for itself, so that reading it reports the mistake.
    """
    found: list[InputFile] = []
    for argument in arguments:
        file = InputFile.named(argument)
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
    """Whether it is Python without coroutines, such as tools and tests that lie beside programs."""
    if path.suffix != ".py":
        return False
    try:
        return b"async def" not in path.read_bytes()
    except OSError:
        return False  # Reading it will tell.


def write_whole(path: Path, content: str | bytes | Iterator[str]) -> None:
    """Writes a file under another name and renames it, so that nobody ever sees half of it.

    Text, whole or in pieces, is written in UTF-8. Raises `InputError` if that is impossible; a file that was
    there before is still there then. Ctrl-C has its effect afterwards.
    """
    try:
        if path.exists() and not path.is_file():
            _write(path, content)  # A device or a pipe: there is nothing to preserve.
            return
        target = path.resolve()
        unfinished = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        with undisturbed():
            try:
                _write(unfinished, content)
                os.replace(unfinished, target)
            finally:
                unfinished.unlink(missing_ok=True)
    except OSError as error:
        name = displayed(path)
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
    """Creates a directory if it is not there; raises `InputError` if that is impossible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        name = displayed(path)
        message = f"cannot create the directory {name}: {error.strerror or error}"
        raise InputError([Diagnostic("SER207", message, hint="name another folder")]) from None
