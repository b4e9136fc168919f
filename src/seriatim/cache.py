"""The cache of verdicts: a folder with a result for each question, under a digest of the question.

Entries are not trusted. Their evidence is checked again (`seriatim.deciding.rechecking`), so a folder may be
shared; an entry that is damaged, or does not hold here, is ignored. Only verdicts are kept: an undecided
input may be decided by a faster machine. All entries about one text are in one folder, so it is cheap to find
out that there are none.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from time import time

from seriatim.report.result_from_json import result_from_json
from seriatim.report.result_json import result_json
from seriatim.result import Faulty, Holds, Recorded, Result, Violated

SUFFIX = ".result.json"

LARGEST = 50_000_000
"""The largest entry in characters; larger ones are not kept."""

WORTH_KEEPING = 1.0
"""Decisions that took fewer seconds are not kept: to find, read and re-check an entry takes about as long,
and short checks on a busy machine should not leave entries that slow down later ones."""

SECONDS_KEPT = 90 * 24 * 3600
"""An entry that was not used for this long is removed when another one is added beside it."""


@dataclass(frozen=True, slots=True)
class CacheKey:
    """The key of an entry: a text, and all else that the verdict or its words depend on, as plain data."""

    text: str
    asked: object

    def folder(self) -> Path:
        """The name of the folder for all entries about the text."""
        digest = sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
        return Path(digest[:2], digest[2:])

    def name(self) -> str:
        """The name of the entry; it changes with the version of seriatim."""
        text = json.dumps([installed_version(), plain(self.asked)], sort_keys=True)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest() + SUFFIX


@dataclass(frozen=True, slots=True)
class Cache:
    folder: Path
    least_seconds: float
    """Decisions that took less time are not kept."""

    def has(self, key: CacheKey) -> bool:
        """Whether there is an entry, valid or not."""
        folder = self.folder / key.folder()
        return folder.is_dir() and (folder / key.name()).is_file()

    def recall(self, key: CacheKey) -> Result | None:
        """The result under a key, not yet re-checked."""
        if not self.has(key):
            return None
        path = self.folder / key.folder() / key.name()
        try:
            result = result_from_json(path.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        with suppress(OSError):  # The folder may belong to another user.
            os.utime(path)
        return result

    def keep(self, key: CacheKey, result: Result, seconds: float) -> None:
        """Saves a verdict that took `seconds`. Does nothing if the folder cannot be written to."""
        if (
            not isinstance(result.answer, Holds | Violated | Faulty | Recorded)
            or seconds < self.least_seconds
        ):
            return
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
    """The system's folder for caches."""
    named = os.environ.get("XDG_CACHE_HOME")
    return Cache((Path(named) if named else Path.home() / ".cache") / "seriatim", WORTH_KEEPING)


def forget_old(folder: Path) -> None:
    """Removes entries that were not used for long, and files that a killed run left behind."""
    oldest = time() - SECONDS_KEPT
    for path in folder.glob("*/*"):
        if path.stat().st_mtime < oldest and path.name.endswith((SUFFIX, ".tmp")):
            path.unlink(missing_ok=True)


def installed_version() -> str:
    return str(import_module("seriatim").__version__)


def plain(value: object) -> object:
    """The value as JSON data. Raises `TypeError` if it is not plain data."""
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
