"""Finds input files, and writes files so that a failure leaves the old one in place."""

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType

from seriatim.frontends.all import FOLDER_SUFFIXES
from seriatim.frontends.reading import InputFile, display_path
from seriatim.source import Diagnostic, InputError

ENDINGS = (signal.SIGINT, signal.SIGTERM)

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


@contextmanager
def delay_signals() -> Iterator[None]:
    """Delays signals that would end the process until the block is done.

    A mask would not do: it holds for one thread only, and the system may deliver a signal to any thread.
    """
    if current_thread() is not main_thread():  # Only the main thread can set handlers.
        yield
        return
    came: list[int] = []

    def remember(number: int, _: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, remember) for number in ENDINGS}
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action or signal.SIG_DFL)
        for kept in came:
            signal.raise_signal(kept)
