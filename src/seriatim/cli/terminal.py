"""Where texts go: standard output and standard error, each in what it can show."""

import os
import shutil
import sys
from dataclasses import dataclass
from typing import TextIO

import click

from seriatim.report.diagnostics import render
from seriatim.report.look import Look, symbols_for
from seriatim.source import Diagnostic, SourceText

WIDTH_WITHOUT_TERMINAL = 80

color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to use colour; auto: on a terminal, unless NO_COLOR is set.",
)


@dataclass(frozen=True, slots=True)
class Terminal:
    """What the user sees."""

    out: Look
    err: Look

    @classmethod
    def with_color(cls, choice: str) -> "Terminal":
        return cls(_look(sys.stdout, choice), _look(sys.stderr, choice))

    def say(self, text: str) -> None:
        """Prints lines that have their line breaks."""
        click.echo(_encodable(text, sys.stdout), nl=False, color=self.out.color)

    def warn(self, text: str) -> None:
        click.echo(_encodable(text, sys.stderr), nl=False, err=True, color=self.err.color)

    def complain(self, source: SourceText, *diagnostics: Diagnostic) -> None:
        for diagnostic in diagnostics:
            self.warn(render(diagnostic, source, self.err.color))


def _look(stream: TextIO, choice: str) -> Look:
    is_terminal = stream.isatty()
    if choice == "auto":
        color = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    else:
        color = choice == "always"
    fallback = (WIDTH_WITHOUT_TERMINAL, 24)
    width = shutil.get_terminal_size(fallback).columns if is_terminal else WIDTH_WITHOUT_TERMINAL
    return Look(width, symbols_for(stream.encoding or "ascii"), color)


def _encodable(text: str, stream: TextIO) -> str:
    """The text, with escapes for what the encoding of the stream lacks: sources may contain anything."""
    encoding = stream.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
