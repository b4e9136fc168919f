"""The front end of asyncio services: `ser check service.py`.

A file is run, if that is allowed. Its text is translated where it may not be run, where runs leave the
question open, and for what is not asked of runs: other properties, cancelled requests, marks in a file of
their own. Whatever the translation says is compared with runs of the file itself (`deciding/sources.py`).
"""

from dataclasses import replace

from seriatim.frontends.protocol import NO_SETTINGS, Settings, Translation
from seriatim.frontends.python.analysis import translation
from seriatim.frontends.python.live.frontend import RUN, Runs, translate_runs
from seriatim.source import Diagnostic, InputError, SourceText

OF_THE_TEXT = ("cancel", "scope")
"""Settings that runs do not know."""

ONLY_RUN = ("timeouts", "failures", "calls")
"""Settings about what happens in runs, which the text does not tell."""


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
    if asked := [each for each in ONLY_RUN if each in settings]:
        if RUN not in settings:
            hint = "leave out --no-run"
            message = f"`{asked[0]}` can only be tried by running the file"
            raise InputError([Diagnostic("SER943", message, hint=hint)])
        return translate_runs(source, settings)
    match settings.get(RUN):
        case None:
            return translation(source, settings)
        case Runs.ALLOWED | Runs.FOR_TEXT:
            return _translate(source, settings)
        case _:
            return translate_runs(source, settings)


def _translate(source: SourceText, settings: Settings) -> Translation:
    """The better one of what runs say and what the text says."""
    read = {name: value for name, value in settings.items() if name != RUN}
    found, refused = _try_runs(source, settings)
    if found is not None and found.tried is None:
        return found
    try:
        return replace(translation(source, read), compares_runs=True)
    except InputError:
        if found is not None:
            return found
        if refused is not None:
            raise refused from None
        return translate_runs(source, settings)


def _try_runs(source: SourceText, settings: Settings) -> tuple[Translation | None, InputError | None]:
    if settings[RUN] == Runs.FOR_TEXT or any(name in settings for name in OF_THE_TEXT):
        return None, None
    try:
        return translate_runs(source, settings), None
    except InputError as refused:
        return None, refused
