"""Lock files in pip's format: exact versions, and the hashes of the files that they may come from."""

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

LOCK = Path(__file__).parents[2] / "requirements" / "dev.lock"

_PIN = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>.*?))?(?P<hashes>(?: --hash=\S+)+)"
)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Pin:
    """One version of a distribution, and the SHA-256 of its files."""

    version: str
    hashes: tuple[str, ...]


class NotLocked(ValueError):
    """A line that names something else than one version and its hashes."""


def read_lock(text: str) -> dict[str, tuple[Pin, ...]]:
    """The pins of each distribution, by its name: several where systems differ; raises `NotLocked`."""
    pins: dict[str, tuple[Pin, ...]] = {}
    for line in re.sub(r"\\\n\s*", "", re.sub(r"(?m)^\s*#.*\n", "", text)).splitlines():
        found = _PIN.fullmatch(line.strip())
        hashes = () if found is None else tuple(_HASH.findall(found["hashes"]))
        if found is None or len(hashes) != line.count("--hash="):
            raise NotLocked(line)
        name = canonicalize_name(found["name"])
        pins[name] = (*pins.get(name, ()), Pin(found["version"], hashes))
    return pins
