"""Watches files: does something once, and again whenever a file has changed."""

from collections.abc import Callable, Sequence
from time import sleep

import click

from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import find_files
from seriatim.cli.terminal import Terminal

LOOK_EVERY = 0.2
"""Seconds between two looks at the files."""

Fingerprint = tuple[tuple[str, tuple[int, int] | None], ...]
"""The name of each file, with the time of its last change and its size; None if the file is missing."""


def watched(files: Sequence[str], check: Callable[[], int], terminal: Terminal) -> int:
    """Checks whenever a file has changed, until Ctrl-C; returns the exit code of the last check.

    If that was interrupted, it is `INTERRUPTED`.
    """
    code: int = ExitCode.INTERRUPTED
    seen: Fingerprint | None = None
    try:
        while True:
            now = fingerprint(files)
            if now != seen:
                seen = now
                code = ExitCode.INTERRUPTED
                click.clear()
                code = check()
                terminal.warn("\nwatching for changes; press Ctrl-C to stop\n")
            sleep(LOOK_EVERY)
    except KeyboardInterrupt:
        return code


def fingerprint(files: Sequence[str]) -> Fingerprint:
    """A value that changes when a file changes, or when a folder has other files."""
    found: list[tuple[str, tuple[int, int] | None]] = []
    for file in find_files(files, has_parts=True).files:
        try:
            status = None if file.path is None else file.path.stat()
        except OSError:  # The file is gone for a moment: many editors write a file by replacing it.
            status = None
        found.append((file.name, None if status is None else (status.st_mtime_ns, status.st_size)))
    return tuple(found)
