"""The options that are about programs with threads alone."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from seriatim.frontends.protocol import Settings
from seriatim.frozen import frozen
from seriatim.systems.threads.options import Algorithm, ThreadOptions

Function = TypeVar("Function", bound=Callable[..., Any])

steps_option = click.option(
    "--steps",
    type=click.Choice(["access", "statement"]),
    default="access",
    show_default=True,
    help="Of C: what is one step, an access to something shared or a whole statement.",
)


def thread_options(command: Function) -> Function:
    """Adds the options that say how threads are looked at."""
    algorithm = click.option(
        "--algorithm",
        type=click.IntRange(1, 3),
        default=1,
        show_default=True,
        help="Of threads: the algorithm of the paper on petrification.",
    )
    width = click.option(
        "--width", is_flag=True, help="Of threads: say how many of a template there can be at a time."
    )
    for option in (width, algorithm, steps_option):
        command = option(command)
    return command


@frozen
class ThreadsAsked:
    """How to look at threads, as the options say."""

    steps: str
    algorithm: int
    width: bool

    def settings(self) -> Settings:
        """What goes to the front end."""
        return {"steps": self.steps} if self.steps == "statement" else {}

    def options(self) -> ThreadOptions:
        algorithms: tuple[Algorithm, ...] = (1, 2, 3)
        return ThreadOptions(algorithms[self.algorithm - 1], self.width)
