"""Finds input files, and writes files so that a failure leaves the old one in place."""

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType

from seriatim.frontends.languages import ACTIONS, FOLDER_SUFFIXES, language_named
from seriatim.frontends.reading import InputFile, display_path
from seriatim.source import Diagnostic, InputError

ENDINGS = (signal.SIGINT, signal.SIGTERM)

CERTIFICATE_SUFFIX = ".cert.json"
ITF_SUFFIX = ".itf.json"


NOT_OURS = ("node_modules", "__pycache__", "site-packages")
"""Folders with files that others have written. So have hidden ones, and virtual environments."""


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files that arguments name, and how many others lie in the folders among these."""

    files: tuple[InputFile, ...]
    skipped: int


PROGRAMS = tuple(suffix for suffix in FOLDER_SUFFIXES if suffix not in ACTIONS.suffixes)


def input_files(arguments: Iterable[str], suffixes: tuple[str, ...] = PROGRAMS) -> list[InputFile]:
    """The files that arguments name. A directory stands for the files directly in it with these suffixes,
    sorted.

    A directory without such files stands for itself, so that reading it reports the mistake.
    """
    return list(find_files(arguments, suffixes, deep=False).files)


def find_files(
    arguments: Iterable[str],
    suffixes: tuple[str, ...] = FOLDER_SUFFIXES,
    *,
    deep: bool = True,
    has_parts: bool = False,
) -> FoundFiles:
    """The same, also protocols and files in folders of folders, with the number that was passed over. With
    parts, `file.py::Name` is one class of a file."""
    found: list[InputFile] = []
    skipped = 0
    for argument in arguments:
        file = InputFile.with_part(argument) if has_parts else InputFile.from_argument(argument)
        if file.path is None or not file.path.is_dir():
            found.append(file)
            continue
        listed = list(_listed(file.path, deep))
        taken = sorted(path for path in listed if path.name.endswith(suffixes) and _is_worth_reading(path))
        skipped += len(listed) - len(taken)
        found.extend(map(InputFile, taken or [file.path]))
    return FoundFiles(tuple(found), skipped)


def _listed(directory: Path, deep: bool) -> Iterator[Path]:
    """The files in a folder; folders that cannot be read have none."""
    for folder, folders, names in os.walk(directory):
        here = Path(folder)
        own = (name for name in folders if not name.startswith(".") and name not in NOT_OURS)
        folders[:] = sorted(name for name in own if not (here / name / "pyvenv.cfg").exists()) if deep else []
        yield from (here / name for name in names)


def _is_worth_reading(path: Path) -> bool:
    """Whether a file in a folder is an input, and not a tool, a test or a schema beside programs."""
    if path.name.endswith((CERTIFICATE_SUFFIX, ITF_SUFFIX)):
        return False
    language = language_named(path.name)
    try:
        return language is None or language.is_worth_reading(path.read_bytes())
    except OSError:
        return True  # Reading it reports the mistake.


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
