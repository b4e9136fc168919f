"""The front end of asyncio services: `ser check service.py`.

A file is read first: where all of it can be translated, proofs cover any integers. Otherwise the file is run,
if that is allowed. Whatever the translation says is compared with runs of the file itself
(`deciding/sources.py`).
"""

from dataclasses import replace

from seriatim.frontends.protocol import NO_SETTINGS, Settings, Translation
from seriatim.frontends.python.analysis import translation
from seriatim.source import Diagnostic, InputError, SourceText

RUN = "run"
"""The setting that allows to run a file."""

ONLY_RUN = ("timeouts", "failures", "calls")
"""Settings about what happens in runs, which the text does not tell."""


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
    if asked := [each for each in ONLY_RUN if each in settings]:
        if RUN not in settings:
            hint = "leave out --no-run"
            raise InputError(
                [Diagnostic("SER943", f"`{asked[0]}` can only be tried by running the file", hint=hint)]
            )
        return run(source, settings)
    read = {name: value for name, value in settings.items() if name != RUN}
    try:
        found = translation(source, read)
        return replace(found, compares_runs=RUN in settings)
    except InputError:
        if RUN not in settings:
            raise
        return run(source, settings)


def run(source: SourceText, settings: Settings) -> Translation:
    from seriatim.frontends.python.live.frontend import translate_runs  # Most checks run nothing.

    return translate_runs(source, settings)
