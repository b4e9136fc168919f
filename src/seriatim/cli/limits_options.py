"""The options that bound how long and how far to look, the same for every command that has them."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from seriatim.pipeline import Options

_DEFAULTS = Options()

Function = TypeVar("Function", bound=Callable[..., Any])

timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=_DEFAULTS.timeout,
    show_default=True,
    metavar="SECONDS",
    help="How long to look at each input.",
)


def limits_options(command: Function) -> Function:
    """Adds --max-states and --max-value."""
    states = click.option(
        "--max-states",
        type=click.IntRange(min=1),
        default=_DEFAULTS.limits.max_states,
        show_default=True,
        metavar="N",
        help="How many states to explore.",
    )
    value = click.option(
        "--max-value",
        type=click.IntRange(min=1),
        default=_DEFAULTS.limits.max_value,
        show_default=True,
        metavar="N",
        help="How large the value of a variable may become.",
    )
    return states(value(command))
