"""The front end of programs in Seriatim's own language."""

from seriatim.frontends.protocol import NO_SETTINGS, Settings, Translation
from seriatim.frontends.ser.parser import parse
from seriatim.source import SourceText


class SerFrontend:
    suffixes = (".ser",)
    settings = ()

    def translate(self, source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:  # noqa: ARG002
        return Translation(parse(source.text, source.name))
