"""The options about translated sources: settings of the front end, and what to do with the translation."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from seriatim.frontends.protocol import ISOLATION_LEVELS, P4_MODELS, Settings
from seriatim.frontends.reading import InputFile, load

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Handling:
    """Options: how to read inputs, and what to do with them besides deciding."""

    settings: Settings
    """Settings for the front end."""
    emit_model: Path | None
    emit_test: Path | None
    replay: bool
    """Whether to repeat violations on the real code."""
    denies_warnings: bool


@dataclass(frozen=True, slots=True)
class Sources:
    """Options: everything about translated sources."""

    scope: str | None
    cancel: bool
    timeouts: bool
    failures: bool
    isolation: str | None
    on_abort: str | None
    from_log: str | None
    engine: str | None
    compare: str | None
    p4_model: str | None
    entries: str | None
    emit_model: Path | None
    emit_test: Path | None
    explain_scope: bool
    replay: bool
    no_run: bool

    def handling(self, settings: "Settings", denies_warnings: bool) -> Handling:
        return Handling(
            settings, self.emit_model, self.emit_test, self.replay and not self.no_run, denies_warnings
        )

    def settings(self) -> Settings:
        """The settings for the front end, as texts; raises `BadInput`.

        Files are read here, so that certificates record their contents.
        """
        found: dict[str, str] = {}
        if self.scope is not None:
            found["scope"] = load(InputFile.from_argument(self.scope), lambda source: source.text)[1]
        for name, is_asked in (
            ("cancel", self.cancel), ("timeouts", self.timeouts), ("failures", self.failures),
        ):  # fmt: skip
            if is_asked:
                found[name] = "yes"
        if self.isolation is not None:
            found["isolation"] = self.isolation
        if self.on_abort is not None and self.on_abort != "retry":
            found["on-abort"] = self.on_abort
        if self.from_log is not None:
            found["from-log"] = load(InputFile.from_argument(self.from_log), lambda source: source.text)[1]
        if self.engine is not None:
            found["engine"] = self.engine
        if self.compare is not None and self.compare != "quick":
            found["compare"] = self.compare
        if self.p4_model is not None:
            found["p4-model"] = self.p4_model
        if self.entries is not None:
            found["entries"] = load(InputFile.from_argument(self.entries), lambda source: source.text)[1]
        return found


_OPTIONS: dict[str, dict[str, Any]] = {
    "--scope": {"metavar": "FILE", "help": "Read marks for a source that you cannot edit, one per line."},
    "--cancel": {"is_flag": True, "help": "For .py: requests may be cancelled wherever they wait."},
    "--timeouts": {"is_flag": True, "help": "For .py: limits of time may be reached at any time."},
    "--failures": {"is_flag": True, "help": "For .py: calls of what is not there may fail."},
    "--isolation": {
        "type": click.Choice([*ISOLATION_LEVELS, "all"]),
        "help": "For .sql: the level of transactions whose BEGIN names none; `all` compares the levels.",
    },
    "--on-abort": {
        "type": click.Choice(["retry", "answer"]),
        "help": "For .sql: what a client does when the database aborts its transaction.  [default: retry]",
    },
    "--from-log": {
        "metavar": "FILE",
        "help": "For .sql: take transactions from a log of SQLAlchemy or Django; the .sql has the tables.",
    },
    "--engine": {
        "metavar": "NAME|URL",
        "help": "For .sql: the database that has its say: postgresql, mariadb (private ones), sqlite, a URL,"
        " or all.  [default: postgresql]",
    },
    "--compare": {
        "type": click.Choice(["quick", "full", "none"]),
        "help": "For .sql: how much of the model to compare with the database.  [default: quick]",
    },
    "--p4-model": {
        "type": click.Choice([*P4_MODELS, "all"]),
        "help": "For .p4: what counts as one step; `all` compares the models.  [default: spec]",
    },
    "--entries": {
        "metavar": "FILE",
        "help": "For .p4: the entries of tables, as commands of simple_switch_CLI.",
    },
    "--emit-model": {
        "type": click.Path(path_type=Path),
        "metavar": "FILE",
        "help": "Write what a source was translated to, as a program (.ser).",
    },
    "--emit-test": {
        "type": click.Path(path_type=Path),
        "metavar": "FILE",
        "help": "For .py: write a pytest test that repeats the race.",
    },
    "--explain-scope": {"is_flag": True, "help": "Show how a source was understood, and decide nothing."},
    "--replay/--no-replay": {
        "default": True,
        "help": "Repeat violations on the real code, and compare verdicts about C with the compiled program; "
        "this executes the source.  [default: replay]",
    },
    "--no-run": {
        "is_flag": True,
        "help": "For .py, .c: never execute the source. Verdicts rest on its text; .py files get none.",
    },
}


def translation_options(command: Function) -> Function:
    """Adds the options of `Sources`."""
    for name, details in reversed(_OPTIONS.items()):
        command = click.option(name, **details)(command)
    return command
