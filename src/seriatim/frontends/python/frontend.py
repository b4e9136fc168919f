"""The front end of asyncio services: `ser check service.py`."""

from seriatim.frontends.protocol import NO_SETTINGS, Settings, Translation
from seriatim.source import SourceText


class PythonFrontend:
    suffixes = (".py",)
    settings = ("scope", "cancel", "module")

    def translate(self, source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
        from seriatim.frontends.python.analysis import translation  # Loaded with the first of them.

        return translation(source, settings)
