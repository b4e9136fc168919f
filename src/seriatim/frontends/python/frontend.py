"""The front end of asyncio services: `ser check service.py`.

A file is read first: where all of it can be translated, proofs cover any integers. Otherwise the file is run,
if that is allowed. Whatever the translation says is compared with runs of the file itself
(`deciding/sources.py`).
"""

from dataclasses import replace

from seriatim.frontends.protocol import NO_SETTINGS, Settings, Translation
from seriatim.frontends.python.analysis import translation
from seriatim.frontends.python.live.frontend import ANY_INTEGERS, TRIED_INTEGERS, translate_runs
from seriatim.source import InputError, SourceText

RUN = "run"
"""The setting that allows to run a file."""


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
    if settings.get(RUN) in (ANY_INTEGERS, TRIED_INTEGERS):
        return translate_runs(source, settings)
    read = {name: value for name, value in settings.items() if name != RUN}
    try:
        found = translation(source, read)
        return replace(found, compares_runs=RUN in settings)
    except InputError:
        if RUN not in settings:
            raise
        return translate_runs(source, settings)
