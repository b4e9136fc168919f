"""Progress lines on standard error; the line of a check disappears when the check ends."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

import click

from seriatim.budget import Observer
from seriatim.cli.terminal import Terminal
from seriatim.engines.stage import Progress
from seriatim.frontends.languages import Content, content_named
from seriatim.text_width import fit

if TYPE_CHECKING:
    from seriatim.explain.timeline import Actor

QUIET_SECONDS = 1.0
"""Work that takes no longer than this shows no progress."""

_ERASE = "\r\033[K"


@contextmanager
def progress_line(name: str, terminal: Terminal) -> Iterator[Observer[Progress] | None]:
    """An observer that shows progress; None if standard error is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    began = monotonic()
    is_shown = False

    def show(progress: Progress) -> None:
        nonlocal is_shown
        seconds = monotonic() - began
        if seconds >= QUIET_SECONDS:
            is_shown = True
            actor: Actor = "thread" if content_named(name) is Content.THREADS else "request"
            line = f"{name}: {progress_text(progress, actor)}, {seconds:.0f} s"
            terminal.warn(_ERASE + fit(line, terminal.err.width - 1, terminal.err.symbols.ellipsis))

    try:
        yield show
    finally:
        if is_shown:
            terminal.warn(_ERASE)


def progress_text(progress: Progress, actor: "Actor" = "request") -> str:
    parts = [progress.stage]
    if progress.states:
        parts.append(f"{progress.states:,} states")
    if progress.clean_up_to:
        plural = "" if progress.clean_up_to == 1 else "s"
        parts.append(f"no violation with up to {progress.clean_up_to} {actor}{plural}")
    if progress.questions:
        plural = "" if progress.questions == 1 else "s"
        parts.append(f"{progress.questions:,} question{plural} to the solver")
    return ", ".join(parts)


Item = TypeVar("Item")


def counting(items: Iterator[Item], count: int, label: str, name: Callable[[Item], str]) -> Iterator[Item]:
    """Passes items on, and shows how many there have been."""
    if not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(
        items,
        length=count,
        label=label,
        show_pos=True,
        item_show_func=lambda item: None if item is None else Path(name(item)).name,
        file=sys.stderr,
    ) as shown:
        yield from shown
