"""The front end of asyncio services: `ser check service.py`."""

from seriatim.frontends.protocol import NO_SETTINGS, Settings, Translation
from seriatim.frontends.python.analysis import translation
from seriatim.source import SourceText


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
    return translation(source, settings)
