"""Options that commands share: limits of time, memory and size, JSON, the evidence, files to write; and a
decorator that groups options."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from seriatim.budget import Deadline
from seriatim.cli.terminal import Terminal, color_option
from seriatim.deciding.pipeline import Options
from seriatim.systems.limits import Limits

_DEFAULTS = Options()

Function = TypeVar("Function", bound=Callable[..., Any])

timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=_DEFAULTS.timeout,
    show_default=True,
    metavar="SECONDS",
    help="Time limit for each input.",
)

UNITS = {"k": 2**10, "m": 2**20, "g": 2**30}


def _bytes(ctx: click.Context, param: click.Parameter, size: str | None) -> int | None:
    if size is None:
        return None
    found = re.fullmatch(r"([0-9]+) ?([kmg])(i?b)?", size.lower())
    if found is None or int(found[1]) == 0:
        message = f"{size!r} is not an amount of memory; write it like 500MB or 2GB."
        raise click.BadParameter(message, ctx, param)
    return int(found[1]) * UNITS[found[2]]


memory_option = click.option(
    "--max-memory",
    callback=_bytes,
    show_default="half of what the machine has",
    metavar="SIZE",
    help="How much memory to use for each input, such as 500MB or 2GB.",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")


def path_option(name: str, text: str) -> Callable[[Function], Function]:
    """An option that names a file to write."""
    return click.option(name, type=click.Path(path_type=Path), metavar="PATH", help=text)


evidence_option = path_option("--certificate", "Save the evidence, for `ser verify`.")


jobs_option = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many inputs to work on at a time.",
)


def memory_for_each(given: int | None, jobs: int = 1) -> int | None:
    """Bytes for each input: as given, or the default divided by the number of jobs."""
    if given is not None or _DEFAULTS.max_memory is None:
        return given
    return _DEFAULTS.max_memory // jobs


def states_option(default: int) -> Callable[[Function], Function]:
    """--max-states."""
    return click.option(
        "--max-states",
        type=click.IntRange(min=1),
        default=default,
        show_default=True,
        metavar="N",
        help="How many states to explore.",
    )


STATES_TO_LOOK_AT = 20_000
"""As many as a person or another tool has any use for; a system without bound is not explored for long."""


value_option = click.option(
    "--max-value",
    type=click.IntRange(min=1),
    default=_DEFAULTS.limits.max_value,
    show_default=True,
    metavar="N",
    help="How large the value of a variable may become.",
)


def limits_options(command: Function) -> Function:
    """Adds --max-states and --max-value."""
    return states_option(_DEFAULTS.limits.max_states)(value_option(command))


@dataclass(frozen=True, slots=True)
class Bounds:
    """Options: the limits of time, memory and size."""

    timeout: float
    jobs: int
    max_states: int
    max_value: int
    max_memory: int | None

    def limits(self) -> Limits:
        return Limits(self.max_states, self.max_value)


def collect(**kinds: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorates a command: options named like the fields of a record arrive as one value of that class.

    Put it below the options.
    """

    def collecting(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def called(*arguments: Any, **given: Any) -> None:
            for name, kind in kinds.items():
                given[name] = kind(**{field: given.pop(field) for field in kind.__match_args__})
            command(*arguments, **given)

        return called

    return collecting


@dataclass(frozen=True, slots=True)
class Effort:
    """Options: the time and memory for each input, and colours."""

    timeout: float
    max_memory: int | None
    color: str

    def deadline(self) -> Deadline:
        return Deadline(self.timeout, memory_for_each(self.max_memory))

    def terminal(self) -> Terminal:
        return Terminal.with_color(self.color)


def effort_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds --timeout, --max-memory and --color, which arrive as `effort`."""
    return timeout_option(memory_option(color_option(collect(effort=Effort)(command))))
