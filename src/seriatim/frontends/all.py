"""All front ends, a line each, and which one reads a source. One is loaded when a file for it comes."""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, cast

from seriatim.frontends.protocol import NO_SETTINGS, Settings
from seriatim.program.inputs import Decidable, Input
from seriatim.source import Diagnostic, InputError, SourceText

if TYPE_CHECKING:
    from seriatim.frontends.protocol import (
        Frontend,
        Replayer,
        ThreadFrontend,
        ThreadTranslation,
        Translation,
    )


@dataclass(frozen=True, slots=True)
class Language:
    """What tells the files of a language, and the options that it understands."""

    folder: str
    suffixes: tuple[str, ...]
    """How the names of its files end."""
    settings: tuple[str, ...] = ()
    """The names of the options that its front end understands, without dashes."""
    marks: tuple[bytes, ...] = ()
    """Words in small letters, one of which is in each file that is met in a folder and worth reading."""

    def is_worth_reading(self, data: bytes) -> bool:
        """Whether a file in a folder is one: most Python files, for instance, have no coroutine."""
        text = data.lower()
        return not self.marks or any(mark in text for mark in self.marks)

    def frontend(self) -> ModuleType:
        """The module that reads it."""
        return import_module(f"seriatim.frontends.{self.folder}.frontend")


SER = Language("ser", (".ser",))
NETWORK = Language("network_json", (".json",), marks=(b'"initial_global"',))
PYTHON = Language(
    "python",
    (".py",),
    ("scope", "cancel", "timeouts", "failures", "calls", "module", "python", "service", "run"),
    (b"async def",),
)
SEEN_OF_SQL = ("run-seen", "model-refuses", "compared")
"""What certificates about SQL files say besides options."""

SQL = Language(
    "sql",
    (".sql", ".spec"),
    ("isolation", "scope", "on-abort", "from-log", "engine", "compare", *SEEN_OF_SQL),
    (b"transaction", b"begin", b"commit"),
)
P4 = Language("p4", (".p4",), ("p4-model", "scope", "entries"))
CONC = Language("conc", (".conc",))
C = Language("c", (".c", ".i"), ("steps", "include", "define"), (b"pthread", b"threads.h", b"stdatomic.h"))

FRONTENDS = (
    SER,
    NETWORK,
    PYTHON,
    SQL,
    P4,
)

THREAD_FRONTENDS = (
    CONC,
    C,
)

EVERYONE = (*FRONTENDS, *THREAD_FRONTENDS)

SUFFIXES = tuple(suffix for each in EVERYONE for suffix in each.suffixes)

FOLDER_SUFFIXES = tuple(suffix for suffix in SUFFIXES if suffix != ".spec")
"""The suffixes of the files that a folder stands for. Not .spec: specifications of programs have it, too."""


ACTION_SUFFIX = ".actions"
"""The suffix of asynchronous programs, which have their own commands."""


def frontend_named(name: str) -> Language | None:
    """The one that the suffix of a name chooses."""
    return next((each for each in FRONTENDS if name.endswith(each.suffixes)), None)


def thread_frontend_named(name: str) -> Language | None:
    """The same for programs with threads."""
    return next((each for each in THREAD_FRONTENDS if name.endswith(each.suffixes)), None)


def frontend_of(source: SourceText) -> Language:
    """The front end of a source: by its suffix or, on standard input, by its first character."""
    by_text = NETWORK if source.text.lstrip().startswith("{") else SER
    return frontend_named(source.name) or by_text


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> "Translation":
    """Raises `InputError` with everything that is wrong with the source, or with the settings."""
    if thread_frontend_named(source.name) is not None:
        message = "this is a program with threads, and the command is about requests"
        hint = (
            "`ser check`, `ser verify`, `ser replay`, `ser run`, `ser show` and `ser fmt` read such programs"
        )
        raise InputError([Diagnostic("SER213", message, hint=hint)])
    if source.name.endswith(ACTION_SUFFIX):
        hint = "decide it with: ser sequentialize, or ser movers"
        raise InputError(
            [Diagnostic("SER561", "this is an asynchronous program, not one with handlers", hint=hint)]
        )
    language = frontend_of(source)
    refuse_misplaced(settings, language)
    return cast("Frontend", language.frontend()).translate(source, settings)


def translate_any(source: SourceText, settings: Settings = NO_SETTINGS) -> "Translation | ThreadTranslation":
    """The same for commands that read programs with threads, too."""
    language = thread_frontend_named(source.name)
    if language is None:
        return translate(source, settings)
    refuse_misplaced(settings, language)
    return cast("ThreadFrontend", language.frontend()).translate(source, settings)


def refuse_misplaced(settings: Settings, language: Language) -> None:
    """Raises `InputError` for settings that a language does not have."""
    foreign = [name for name in settings if name not in language.settings]
    if foreign:
        raise InputError([refuse_setting(name) for name in foreign])


def refuse_setting(name: str) -> Diagnostic:
    understands = [suffix for each in EVERYONE if name in each.settings for suffix in each.suffixes]
    hint = f"it is for files that end in {' or '.join(understands)}" if understands else None
    return Diagnostic("SER920", f"--{name} means nothing for this kind of file", hint=hint)


def replayer_named(name: str) -> "Replayer":
    """The replayer with this name; raises `KeyError` for names that no translation has."""
    kind, _, place = name.partition(":")
    match kind:
        case "python":
            from seriatim.frontends.python.replayer import PythonReplayer  # Most checks repeat nothing.

            return PythonReplayer()
        case "python-runs":
            from seriatim.frontends.python.live.frontend import RunsReplayer

            return RunsReplayer()
        case "postgresql":
            from seriatim.frontends.sql.confirming import PostgresReplayer

            return PostgresReplayer(place)
        case "sql-seen":
            from seriatim.frontends.sql.seen import SeenReplayer

            return SeenReplayer()
        case "p4":
            from seriatim.frontends.p4.replayer import PacketReplayer

            return PacketReplayer()
        case _:
            raise KeyError(name)


def read_decidable(source: SourceText) -> Decidable:
    """Reads a source with requests or threads; raises `InputError`."""
    return translate_any(source).content


def read_input(source: SourceText) -> Input:
    """Reads a source; raises `InputError` with all mistakes."""
    return translate(source).content
