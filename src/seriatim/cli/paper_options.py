"""The options of the paper's method, the same for every command that follows it."""

import click

from seriatim.method import ALL_OPTIMIZATIONS, OPTIMIZATIONS, Optimizations


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
