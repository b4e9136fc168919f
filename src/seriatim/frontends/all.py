"""Translates sources by the front end of their language, which is loaded when a file for it comes."""

from typing import TYPE_CHECKING, cast

from seriatim.frontends.languages import (
    SOURCES,
    Content,
    Language,
    content_named,
    language_of,
)
from seriatim.frontends.protocol import NO_SETTINGS, RUN, SYSTEM, Settings
from seriatim.program.inputs import Decidable, Input
from seriatim.source import Diagnostic, InputError, SourceText

if TYPE_CHECKING:
    from seriatim.frontends.protocol import (
        ActionTranslation,
        Frontend,
        Replayer,
        ThreadFrontend,
        ThreadTranslation,
        Translation,
    )


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> "Translation":
    """Raises `InputError` with everything that is wrong with the source, or with the settings."""
    content = content_named(source.name)
    if content is Content.THREADS:
        message = "this is a program with threads, and the command is about requests"
        hint = (
            "`ser check`, `ser verify`, `ser replay`, `ser run`, `ser show` and `ser fmt` read such programs"
        )
        raise InputError([Diagnostic("SER213", message, hint=hint)])
    if content is Content.ACTIONS:
        hint = "decide it with: ser sequentialize, or ser movers"
        raise InputError(
            [Diagnostic("SER561", "this is an asynchronous program, not one with handlers", hint=hint)]
        )
    language = language_of(source)
    refuse_misplaced(settings, language)
    return cast("Frontend", language.frontend()).translate(source, settings)


def explain(source: SourceText, settings: Settings = NO_SETTINGS) -> "Translation":
    """A translation that says how a source is understood; nothing has to be decided about it."""
    frontend = language_of(source).frontend()
    if not hasattr(frontend, "explain"):
        return translate(source, settings)
    refuse_misplaced(settings, language_of(source))
    found: Translation = frontend.explain(source, settings)
    return found


def translate_any(source: SourceText, settings: Settings = NO_SETTINGS) -> "Translation | ThreadTranslation":
    """The same for commands that read programs with threads, too."""
    if content_named(source.name) is not Content.THREADS:
        return translate(source, settings)
    language = language_of(source)
    refuse_misplaced(settings, language)
    return cast("ThreadFrontend", language.frontend()).translate(source, settings)


def translate_all(
    source: SourceText, settings: Settings = NO_SETTINGS
) -> "Translation | ThreadTranslation | ActionTranslation":
    """The same for commands that read all that can be decided."""
    if content_named(source.name) is not Content.ACTIONS:
        return translate_any(source, settings)
    language = language_of(source)
    refuse_misplaced(settings, language)
    found: ActionTranslation = language.frontend().translate(source)
    return found


def refuse_misplaced(settings: Settings, language: Language) -> None:
    """Raises `InputError` for settings that a language does not have."""
    foreign = [name for name in settings if name not in language.settings]
    if foreign:
        raise InputError([refuse_setting(name) for name in foreign])


def refuse_setting(name: str) -> Diagnostic:
    understands = [suffix for each in SOURCES if name in each.settings for suffix in each.suffixes]
    hint = f"it is for files that end in {' or '.join(understands)}" if understands else None
    return Diagnostic("SER920", f"--{name} means nothing for this kind of file", hint=hint)


def replayer_named(name: str) -> "Replayer":
    """The replayer with this name; raises `KeyError` for names that no translation has."""
    kind, _, place = name.partition(":")
    match kind:
        case "python-runs":
            from seriatim.frontends.python.frontend import RunsReplayer

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


def allow_run(source: SourceText, settings: Settings = NO_SETTINGS, *, for_states: str = "") -> Settings:
    """The settings with the permission to execute the source, where its language needs that. `for_states`
    asks for all states (`SYSTEM`, `ALONE`); then violations that are seen do not count."""
    if RUN not in language_of(source).settings:
        return settings
    return {**settings, RUN: for_states} if for_states else {RUN: "yes", **settings}


def read_decidable(source: SourceText) -> Decidable:
    """Reads a source with requests or threads, and runs it if that is how it is read; raises `InputError`."""
    return translate_any(source, allow_run(source, for_states=SYSTEM)).content


def read_input(source: SourceText) -> Input:
    """Reads a source in the same way; raises `InputError` with all mistakes."""
    return translate(source, allow_run(source, for_states=SYSTEM)).content
