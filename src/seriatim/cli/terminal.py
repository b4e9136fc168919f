"""Writes to standard output and standard error, in characters that each can show."""

import os
import sys
from dataclasses import dataclass
from typing import TextIO

import click

from seriatim.diagnostic_text import render
from seriatim.report.text_look import TextLook, symbols_for
from seriatim.source import Diagnostic, SourceText

USUAL_WIDTH = 80

color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to use colour; auto: on a terminal, unless NO_COLOR is set.",
)


@dataclass(frozen=True, slots=True)
class Terminal:
    """The two output streams, and how texts look on them."""

    out: TextLook
    err: TextLook

    @classmethod
    def with_color(cls, choice: str) -> "Terminal":
        return cls(_look(sys.stdout, choice), _look(sys.stderr, choice))

    def say(self, text: str) -> None:
        """Prints lines that already end in line breaks."""
        click.echo(_encodable(text, sys.stdout), nl=False, color=self.out.color)

    def hand_on(self, text: str) -> None:
        """Writes text for another program, always in UTF-8."""
        click.echo(text.encode("utf-8"), nl=False)

    def warn(self, text: str) -> None:
        click.echo(_encodable(text, sys.stderr), nl=False, err=True, color=self.err.color)

    def complain(self, source: SourceText, *diagnostics: Diagnostic) -> None:
        if not diagnostics:
            return
        for diagnostic in diagnostics:
            self.warn(render(diagnostic, source, self.err.color))


def _look(stream: TextIO, choice: str) -> TextLook:
    is_terminal = stream.isatty()
    if choice == "auto":
        color = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    else:
        color = choice == "always"
    # A terminal that does not know its size says 0.
    width = (os.get_terminal_size(stream.fileno()).columns if is_terminal else 0) or USUAL_WIDTH
    return TextLook(width, symbols_for(stream.encoding or "ascii"), color)


def _encodable(text: str, stream: TextIO) -> str:
    """The text, with escapes for characters that the stream cannot encode."""
    encoding = stream.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
