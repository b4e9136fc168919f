"""The options about translated sources: settings of the front end, and what to do with the translation."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from seriatim.frontends.protocol import Settings
from seriatim.frontends.reading import InputFile, load
from seriatim.frontends.sql.frontend import LEVEL_NAMES
from seriatim.frozen import frozen

Function = TypeVar("Function", bound=Callable[..., Any])


@frozen
class Handling:
    """How to read inputs, and what to do with them besides deciding."""

    settings: Settings
    """For the front end."""
    emit_model: Path | None
    emit_test: Path | None
    replay: bool
    """Whether violations are repeated on the real thing."""
    denies_warnings: bool


@frozen
class Sources:
    """What a command line says about sources that are translated."""

    scope: str | None
    cancel: bool
    isolation: str | None
    confirm: str | None
    emit_model: Path | None
    emit_test: Path | None
    explain_scope: bool
    conformance: int | None
    replay: bool

    def handling(self, settings: "Settings", denies_warnings: bool) -> Handling:
        return Handling(settings, self.emit_model, self.emit_test, self.replay, denies_warnings)

    def settings(self) -> Settings:
        """What goes to the front end, as texts; raises `BadInput`.

        A file is read here, so that certificates record what was in it.
        """
        found: dict[str, str] = {}
        if self.scope is not None:
            found["scope"] = load(InputFile.named(self.scope), lambda source: source.text)[1]
        if self.cancel:
            found["cancel"] = "yes"
        if self.isolation is not None:
            found["isolation"] = self.isolation
        if self.confirm is not None:
            found["confirm"] = self.confirm
        return found


_OPTIONS: dict[str, dict[str, Any]] = {
    "--scope": {"metavar": "FILE", "help": "Marks for a source that cannot be edited, a line each."},
    "--cancel": {"is_flag": True, "help": "Of .py: requests may be cancelled wherever they wait."},
    "--isolation": {
        "type": click.Choice([*LEVEL_NAMES, "all"]),
        "help": "Of .sql: the level of transactions whose BEGIN names none; `all` compares the levels.",
    },
    "--confirm": {
        "is_flag": False,
        "flag_value": "",
        "metavar": "[URL]",
        "help": "Of .sql: repeat violations on a PostgreSQL server; without URL on a private one.",
    },
    "--emit-model": {
        "type": click.Path(path_type=Path),
        "metavar": "FILE",
        "help": "Write what a source was translated to, as a program (.ser).",
    },
    "--emit-test": {
        "type": click.Path(path_type=Path),
        "metavar": "FILE",
        "help": "Of .py: write a test that repeats the race that was found, for pytest.",
    },
    "--conformance": {
        "type": click.IntRange(min=1),
        "metavar": "N",
        "help": "Of .py: follow N random runs of the real code in the model, and decide nothing.",
    },
    "--explain-scope": {"is_flag": True, "help": "Show what a source was taken for, and decide nothing."},
    "--replay/--no-replay": {
        "default": True,
        "help": "Repeat violations on the real thing, which executes the source.  [default: replay]",
    },
}


def translation_options(command: Function) -> Function:
    """Adds the options of `Sources`."""
    for name, details in reversed(_OPTIONS.items()):
        command = click.option(name, **details)(command)
    return command
