"""The options about translated sources: settings of the front end, and what to do with the translation."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from seriatim.frontends.protocol import NO_SETTINGS, Settings
from seriatim.frontends.reading import InputFile, load

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class TranslationOptions:
    """What a command line says about sources."""

    settings: Settings = field(default_factory=lambda: NO_SETTINGS)
    """For the front end."""
    emit_model: Path | None = None
    explain_scope: bool = False
    replay: bool = True


_META = "seriatim.translation"

_SETTINGS = ("scope", "cancel")
"""The options that go to front ends, by their names."""

_OPTIONS: dict[str, dict[str, Any]] = {
    "--scope": {"metavar": "FILE", "help": "Marks for a source that cannot be edited, a line each."},
    "--cancel": {"is_flag": True, "help": "Of .py: requests may be cancelled wherever they wait."},
    "--emit-model": {
        "type": click.Path(path_type=Path),
        "metavar": "FILE",
        "help": "Write what a source was translated to, as a program (.ser).",
    },
    "--explain-scope": {"is_flag": True, "help": "Show what a source was taken for, and decide nothing."},
    "--replay/--no-replay": {
        "default": True,
        "help": "Repeat violations on the real thing, which executes the source.  [default: replay]",
    },
}


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Keeps a value for `translation_options_of`; commands need no parameter for it."""
    context.meta.setdefault(_META, {})[parameter.name] = value
    return value


def translation_options(command: Function) -> Function:
    """Adds the options; `translation_options_of` tells what was given."""
    for name, details in reversed(_OPTIONS.items()):
        command = click.option(name, callback=_keep, expose_value=False, **details)(command)
    return command


def translation_options_of(context: click.Context) -> TranslationOptions:
    """What was given; raises `BadInput` if a file that it names cannot be read."""
    given: dict[str, Any] = context.meta[_META]
    return TranslationOptions(
        settings_of({name: given[name] for name in _SETTINGS}),
        given["emit_model"],
        given["explain_scope"],
        given["replay"],
    )


def settings_of(given: dict[str, Any]) -> Settings:
    """Those that were given, as texts; a file is read, so that certificates record what was in it."""
    settings: dict[str, str] = {}
    for name, value in given.items():
        if value is None or value is False:
            continue
        if name == "scope":
            settings[name] = load(InputFile.named(value), lambda source: source.text)[1]
        else:
            settings[name] = "yes" if value is True else str(value)
    return settings
