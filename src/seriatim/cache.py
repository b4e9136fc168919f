"""Verdicts of earlier runs, in a folder: a result each, under the digest of everything that was asked.

An entry is not believed. Its evidence is checked again (`seriatim.deciding.rechecking`), so that a folder may
be shared; an entry that is damaged, or does not hold here, is as good as none. Only verdicts are kept: an
input that was undecided may be decided by a faster machine. All entries about one text are in one folder, so
that to find out that it has none costs next to nothing.
"""

import json
import os
from contextlib import suppress
from enum import Enum
from hashlib import sha256
from pathlib import Path
from time import time

from seriatim.frozen import frozen
from seriatim.result import Faulty, Holds, Result, Violated

SUFFIX = ".result.json"

LARGEST = 50_000_000
"""Characters of an entry; what is longer is not kept."""

WORTH_KEEPING = 1.0
"""Seconds: to find, read and re-check an entry takes about as long as a short decision, and short checks on
a busy machine should not leave entries that make the next ones slower."""

SECONDS_KEPT = 90 * 24 * 3600
"""An entry that nobody has used for so long goes, when another one comes beside it."""


@frozen
class Key:
    """What was asked: a text, and everything else that the verdict or its words depend on, as plain data."""

    text: str
    asked: object

    def folder(self) -> Path:
        """For all entries about the text."""
        digest = sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
        return Path(digest[:2], digest[2:])

    def name(self) -> str:
        """Of the entry; it changes with the version of seriatim."""
        text = json.dumps([installed_version(), plain(self.asked)], sort_keys=True)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest() + SUFFIX


@frozen
class Cache:
    folder: Path
    least_seconds: float
    """What was decided faster is not kept."""

    def has(self, key: Key) -> bool:
        """Whether there is an entry, whatever it says."""
        folder = self.folder / key.folder()
        return folder.is_dir() and (folder / key.name()).is_file()

    def recall(self, key: Key) -> Result | None:
        """What is known under a key; not checked yet."""
        if not self.has(key):
            return None
        path = self.folder / key.folder() / key.name()
        from seriatim.report.result_from_json import result_from_json  # Most checks find nothing.

        try:
            result = result_from_json(path.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        with suppress(OSError):  # In somebody else's folder we may not do that.
            os.utime(path)
        return result

    def keep(self, key: Key, result: Result, seconds: float) -> None:
        """Remembers a verdict that took so long. A folder that cannot be written to stays as it is."""
        if not isinstance(result.answer, Holds | Violated | Faulty) or seconds < self.least_seconds:
            return
        from seriatim.report.result_json import result_json  # Not every check has a verdict.

        text = json.dumps(result_json(result))
        if len(text) > LARGEST:
            return
        folder = self.folder / key.folder()
        unfinished = folder / f".{key.name()}.{os.getpid()}.tmp"
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            forget_old(folder.parent)
            try:
                unfinished.write_text(text, "utf-8")
                os.replace(unfinished, folder / key.name())
            finally:
                unfinished.unlink(missing_ok=True)


def default_cache() -> Cache:
    """Where the system keeps what can be made again."""
    named = os.environ.get("XDG_CACHE_HOME")
    return Cache((Path(named) if named else Path.home() / ".cache") / "seriatim", WORTH_KEEPING)


def forget_old(folder: Path) -> None:
    """Removes what nobody has used for long, and what a run that was killed has left behind."""
    oldest = time() - SECONDS_KEPT
    for path in folder.glob("*/*"):
        if path.stat().st_mtime < oldest and path.name.endswith((SUFFIX, ".tmp")):
            path.unlink(missing_ok=True)


def installed_version() -> str:
    from importlib import import_module  # The package itself, which is above everything in it.

    return str(import_module("seriatim").__version__)


def plain(value: object) -> object:
    """The same as JSON has it; raises `TypeError` about what is not plain data."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Enum():
            return [type(value).__name__, value.name]
        case Path():
            return str(value)
        case dict():
            return [[plain(key), plain(each)] for key, each in sorted(value.items())]
        case frozenset():
            return sorted(json.dumps(plain(each)) for each in value)
        case tuple() | list():
            return [plain(each) for each in value]
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is None:
        raise TypeError(f"{type(value).__name__} is not plain data")
    return [type(value).__name__, {name: plain(getattr(value, name)) for name in fields}]
