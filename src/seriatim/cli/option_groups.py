"""A command with many options: its help shows them in groups, those that people need most first."""

from collections.abc import Mapping
from typing import Any

import click


class GroupedCommand(click.Command):
    """A command whose help has a heading for each group of options."""

    def __init__(self, *arguments: Any, groups: Mapping[str, tuple[str, ...]], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.groups = groups
        """The names of options by heading, without dashes; those under no heading come last."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = {
            max(each.opts, key=len).lstrip("-"): record
            for each in self.get_params(ctx)
            if isinstance(each, click.Option) and (record := each.get_help_record(ctx)) is not None
        }
        for heading, names in self.groups.items():
            with formatter.section(heading):
                formatter.write_dl([records.pop(name) for name in names])
        if records:
            with formatter.section("Other options"):
                formatter.write_dl(list(records.values()))
