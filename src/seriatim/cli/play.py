"""`ser play`: the page on this machine."""

import os
import webbrowser
from pathlib import Path

import click

from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.limits_options import memory_for_each, memory_option
from seriatim.cli.terminal import Terminal, color_option
from seriatim.frontends.reading import InputFile, read
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.web.questions import Room


@click.command("play", short_help="Open a page on which to write, check and explore programs.")
@click.argument("file", required=False, metavar="[FILE]")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", help="Where to listen; 0 is any free port."
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@click.option(
    "--timeout",
    type=click.IntRange(1, 3600),
    default=30,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for each input.",
)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1, 64),
    default=max(1, min(4, os.cpu_count() or 1)),
    show_default="one for each core, up to 4",
    metavar="N",
    help="How many answers to work on at a time, each in a process of its own.",
)
@memory_option
@click.option(
    "--no-run",
    is_flag=True,
    help="Never execute a source; otherwise the page asks before it does.",
)
@color_option
@click.pass_context
def command(
    context: click.Context,
    file: str | None,
    port: int | None,
    no_browser: bool,
    timeout: int,
    jobs: int,
    max_memory: int | None,
    no_run: bool,
    color: str,
) -> None:
    """Serve the page on this machine and open it in a browser, with FILE if given.

    The page checks as you type, shows runs step by step, lets you explore runs of your own, suggests fixes,
    and saves certificates. Python services are decided by running them, once you allow it there. The server
    listens on 127.0.0.1 only and refuses requests from other sites. It needs the extra `web`. Press Ctrl-C to
    stop it.

    \b
    Examples:
      ser play
      ser play counter.ser
      ser play --port 8000 --no-browser

    \b
    Exit codes:
      0  the server was stopped
      2  bad input or usage
    """
    terminal = Terminal.with_color(color)
    try:
        from seriatim.web.play import address, bind, play  # An extra.
    except ImportError:
        hint = "install it: pip install 'seriatim[web]'"
        missing = Diagnostic("SER971", "the server of the page is not installed", hint=hint)
        terminal.complain(SourceText("ser play", ""), missing)
        context.exit(ExitCode.BAD_INPUT)
    source = None if file is None else open_beside(file, terminal, context)
    room = Room(timeout, max_memory=memory_for_each(max_memory, jobs), may_run=not no_run)

    def begin() -> None:
        terminal.say(f"The page is at {place}\nPress Ctrl-C to stop it.\n")
        if not no_browser:
            webbrowser.open(place)

    try:
        with bind(port) as bound:
            place = address(bound, source)
            play(bound, jobs, room, begin)
    except InputError as error:
        terminal.complain(SourceText("ser play", ""), *error.diagnostics)
        context.exit(ExitCode.BAD_INPUT)
    except KeyboardInterrupt:  # The way to end it.
        context.exit(ExitCode.YES)


def open_beside(file: str, terminal: Terminal, context: click.Context) -> SourceText:
    """Reads the file to begin with, and goes to its folder: what stands there is found when it is run."""
    source, problem = read(InputFile.from_argument(file))
    if problem is not None:
        terminal.complain(source, problem)
        context.exit(ExitCode.BAD_INPUT)
    if Path(source.name).is_file():
        os.chdir(Path(source.name).parent)
    return source
