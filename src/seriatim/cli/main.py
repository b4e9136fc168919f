"""The command `ser`: finds the command that the user means and loads only that one."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from threading import current_thread, main_thread
from typing import Any

import click
from click.exceptions import Exit

from seriatim.cli.exit_codes import ExitCode

COMMANDS = (
    "check",
    "sequentialize",
    "movers",
    "history",
    "fix",
    "fmt",
    "run",
    "show",
    "verify",
    "replay",
    "certificate",
    "play",
    "bench",
    "net",
    "export",
    "reproduce",
    "explain",
    "lsp",
    "completion",
)
"""Commands in the order of the help; each one is a module beside this one."""


class Commands(click.Group):
    """Loads a command when the user names it, and makes every ending a known one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"seriatim.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not ctx.resilient_parsing:
            ctx.fail(f"no such command: {name!r}.{_meant_instead(name)}")
        return super().resolve_command(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with report_interruptions():  # Printing the help happens here.
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with report_interruptions(), interruptible():
            return super().invoke(ctx)


@contextmanager
def report_interruptions() -> Iterator[None]:
    """Reports Ctrl-C and unwritable output in one line, with an exit code that is not a verdict."""
    try:
        yield
    except (KeyboardInterrupt, RuntimeError) as error:
        # Python 3.11 wraps whatever is raised while it makes a class, as it does for each module it loads.
        if not isinstance(error, KeyboardInterrupt) and not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        _tell("interrupted")
        raise Exit(ExitCode.INTERRUPTED) from None
    except BrokenPipeError:
        _forget_output()
        raise Exit(ExitCode.CLOSED_PIPE) from None
    except (
        OSError
    ) as error:  # Errors of input files are reported where these are opened; this is about our own output.
        _forget_output()
        _tell(f"cannot write the output: {error.strerror or error}")
        raise Exit(ExitCode.BAD_INPUT) from None


def _tell(what: str) -> None:
    with suppress(OSError):
        click.echo(f"ser: {what}", err=True)


def _forget_output() -> None:
    """Drops unwritten output. Otherwise Python would try to write it at exit, and complain."""
    with suppress(OSError):  # In tests, for instance, standard output may have no file number.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _meant_instead(name: str) -> str:
    if os.path.exists(name):
        return f" To check this file: ser check {name}"
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS)
    return f" Did you mean {near[0]!r}?" if near else ""


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from seriatim import __version__

        click.echo(f"ser {__version__}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Decide questions about concurrency, for any number of requests or threads.

    Request handlers are serializable if, for every interleaving of any number of requests, some
    one-at-a-time order of the same requests gives the same answers. Other questions: can an assertion
    fail, can requests wait for ever? Each answer comes with a proof or with a run that shows it.

    \b
    Examples:
      ser check counter.ser             decide; show a counterexample if there is one
      ser check programs/ --json        all inputs in a folder, a line of JSON each
      ser run counter.ser --seed=7      a random run, step by step
      ser explain SER006                what an error code means

    \b
    Exit codes:
      0  the property holds (for all inputs)
      1  it does not (for at least one input)
      2  bad input or usage
      3  undecided: a time or size limit was reached
    """


@contextmanager
def interruptible() -> Iterator[None]:
    """Lets Ctrl-C raise `KeyboardInterrupt` inside; before and after, it does what it did.

    Where Ctrl-C is already ignored, as shells do for background jobs, it stays ignored.
    """
    before = signal.getsignal(signal.SIGINT)
    if before in (None, signal.SIG_IGN) or current_thread() is not main_thread():
        # None: not set by Python. Only the main thread can set handlers.
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
