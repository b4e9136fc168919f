"""The options that choose how to decide: switches of the paper's method, and how to look at threads."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from seriatim.frontends.protocol import Settings
from seriatim.frozen import frozen
from seriatim.method import ALL_OPTIMIZATIONS, OPTIMIZATIONS, Algorithm, Optimizations, ThreadOptions


class _Letters(click.ParamType[Optimizations]):
    """Optimizations to switch off, by the paper's letters."""

    name = "letters"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Optimizations:
        if isinstance(value, Optimizations):
            return value
        letters = str(value).upper()
        if not letters or not set(letters) <= set(OPTIMIZATIONS):
            self.fail(f"{value!r} are not letters among {', '.join(OPTIMIZATIONS)}.", param, ctx)
        return Optimizations.without(letters)


without_option = click.option(
    "--without",
    "optimizations",
    type=_Letters(),
    default=ALL_OPTIMIZATIONS,
    metavar="LETTERS",
    help="With --method paper, switch optimizations off: B bidirectional slicing, R removal of redundant "
    "periods and components, G generating fewer constraints, S strategic elimination order.",
)


Function = TypeVar("Function", bound=Callable[..., Any])

steps_option = click.option(
    "--steps",
    type=click.Choice(["access", "statement"]),
    default="access",
    show_default=True,
    help="For C: what counts as one step, an access to something shared or a whole statement.",
)


def thread_options(command: Function) -> Function:
    """Adds the options that say how threads are looked at."""
    algorithm = click.option(
        "--algorithm",
        type=click.IntRange(1, 3),
        default=1,
        show_default=True,
        help="For threads: which algorithm of the paper on petrification to use.",
    )
    width = click.option(
        "--width", is_flag=True, help="For threads: say how many threads of a template can exist at a time."
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
