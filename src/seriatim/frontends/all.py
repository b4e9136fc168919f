"""All front ends, a line each, and which one reads a source."""

from seriatim.actions.words import ACTION_SUFFIX
from seriatim.frontends.c.frontend import CFrontend
from seriatim.frontends.conc.frontend import ConcFrontend
from seriatim.frontends.network_json.frontend import NetworkFrontend
from seriatim.frontends.protocol import (
    NO_SETTINGS,
    Frontend,
    Replayer,
    Settings,
    ThreadFrontend,
    ThreadTranslation,
    Translation,
)
from seriatim.frontends.python.frontend import PythonFrontend
from seriatim.frontends.ser.frontend import SerFrontend
from seriatim.frontends.sql.frontend import SqlFrontend
from seriatim.program.inputs import Decidable, Input
from seriatim.source import Diagnostic, InputError, SourceText

SER = SerFrontend()
NETWORK = NetworkFrontend()
PYTHON = PythonFrontend()
SQL = SqlFrontend()
CONC = ConcFrontend()
C = CFrontend()

FRONTENDS: tuple[Frontend, ...] = (
    SER,
    NETWORK,
    PYTHON,
    SQL,
)

THREAD_FRONTENDS: tuple[ThreadFrontend, ...] = (
    CONC,
    C,
)

EVERYONE: tuple[Frontend | ThreadFrontend, ...] = (*FRONTENDS, *THREAD_FRONTENDS)

SUFFIXES = tuple(suffix for frontend in EVERYONE for suffix in frontend.suffixes)

FOLDER_SUFFIXES = tuple(suffix for suffix in SUFFIXES if suffix != ".spec")
"""Of the files that a folder stands for: specifications of programs, no inputs, end in .spec as well."""


def frontend_named(name: str) -> Frontend | None:
    """The one that the suffix of a name chooses."""
    return next((frontend for frontend in FRONTENDS if name.endswith(frontend.suffixes)), None)


def thread_frontend_named(name: str) -> ThreadFrontend | None:
    """The same for programs with threads."""
    return next((frontend for frontend in THREAD_FRONTENDS if name.endswith(frontend.suffixes)), None)


def frontend_of(source: SourceText) -> Frontend:
    """By the suffix of its name or else, as on standard input, by its first character."""
    by_text = NETWORK if source.text.lstrip().startswith("{") else SER
    return frontend_named(source.name) or by_text


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
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
    frontend = frontend_of(source)
    foreign = [name for name in settings if name not in frontend.settings]
    if foreign:
        raise InputError([misplaced_setting(name) for name in foreign])
    return frontend.translate(source, settings)


def translate_any(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation | ThreadTranslation:
    """The same for commands that read programs with threads, too."""
    frontend = thread_frontend_named(source.name)
    if frontend is None:
        return translate(source, settings)
    foreign = [name for name in settings if name not in frontend.settings]
    if foreign:
        raise InputError([misplaced_setting(name) for name in foreign])
    return frontend.translate_threads(source, settings)


def misplaced_setting(name: str) -> Diagnostic:
    understands = [suffix for each in EVERYONE if name in each.settings for suffix in each.suffixes]
    hint = f"it is for files that end in {' or '.join(understands)}" if understands else None
    return Diagnostic("SER920", f"--{name} means nothing for this kind of file", hint=hint)


def replayer_named(name: str) -> Replayer:
    """Who repeats runs on the real thing; raises `KeyError` for names that no translation has."""
    kind, _, place = name.partition(":")
    match kind:
        case "python":
            from seriatim.frontends.python.replayer import PythonReplayer  # Most checks repeat nothing.

            return PythonReplayer()
        case "postgresql":
            from seriatim.frontends.sql.confirming import PostgresReplayer

            return PostgresReplayer(place or None)
        case "sql-simulation":
            from seriatim.frontends.sql.confirming import SerialSimulation

            return SerialSimulation()
        case _:
            raise KeyError(name)


def read_decidable(source: SourceText) -> Decidable:
    """What a source stands for, be it about requests or threads; raises `InputError`."""
    return translate_any(source).content


def read_input(source: SourceText) -> Input:
    """What a source stands for; raises `InputError` with everything that is wrong with it."""
    return translate(source).content
