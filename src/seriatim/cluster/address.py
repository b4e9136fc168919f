"""Addresses of clusters, as in the option `--cluster`."""

import re
from dataclasses import dataclass
from pathlib import Path

LOCAL = re.compile(r"local(?::([1-9][0-9]{0,3}))?")
URL = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?[^/\s:]+:[0-9]{1,5}|(?:tcp|tls)://\[[0-9a-fA-F:]+\]:[0-9]{1,5}")


@dataclass(frozen=True, slots=True)
class LocalWorkers:
    """A number of workers on this machine, which end with this command; None is one for each core."""

    count: int | None


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A scheduler that is running already, by its address."""

    url: str


@dataclass(frozen=True, slots=True)
class SchedulerFile:
    """A scheduler, by the file that contains its address; batch systems use such files."""

    path: Path


Address = LocalWorkers | Scheduler | SchedulerFile


def read_address(text: str) -> Address:
    """The address that a text means; raises `ValueError`, which says what there is."""
    local = LOCAL.fullmatch(text)
    if local is not None:
        return LocalWorkers(None if local[1] is None else int(local[1]))
    if text.startswith("file:"):
        return SchedulerFile(Path(text.removeprefix("file:")))
    if not text.startswith("local:") and URL.fullmatch(text):
        return Scheduler(text if "://" in text else f"tcp://{text}")
    raise ValueError(
        f"{text!r} is not the address of a cluster; write local:4 for four workers on this machine, HOST:PORT"
        " or tls://HOST:PORT for a scheduler, or file:PATH for the file with its address"
    )
