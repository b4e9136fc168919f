"""The command `ser`: finds the command that is meant and loads only that one."""

import os
import sys
from importlib import import_module
from typing import Any

import click

from seriatim.cli.exit_codes import ExitCode

COMMANDS = (
    "check",
    "fix",
    "fmt",
    "run",
    "show",
    "verify",
    "replay",
    "certificate",
    "bench",
    "net",
    "export",
    "reproduce",
    "explain",
    "completion",
)
"""In the order in which the help lists them; each one is a module beside this one."""


class Commands(click.Group):
    """Loads a command when it is asked for, and ends quietly on Ctrl-C or a closed pipe."""

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

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("ser: interrupted", err=True)
            ctx.exit(ExitCode.INTERRUPTED)
        except BrokenPipeError:
            # Python flushes standard output once more at its end, and would complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(ExitCode.CLOSED_PIPE)


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
    """Decide whether concurrent request handlers are serializable.

    Handlers are small programs; `yield` marks where other requests may run. They are serializable if,
    whatever the interleaving and however many requests there are, some one-at-a-time order of the same
    requests gives the same answers.

    \b
    Examples:
      ser check counter.ser             decide; show a counterexample if there is one
      ser check programs/ --json        all .ser and .json files of a folder, a line of JSON each
      ser run counter.ser --seed=7      a random run, step by step
      ser explain SER006                what an error code means

    \b
    Exit codes:
      0  serializable (all inputs)
      1  not serializable (at least one input)
      2  bad input or usage
      3  undecided: a time or size limit was reached
    """
