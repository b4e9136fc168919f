"""The front end of programs in Seriatim's own language."""

from seriatim.frontends.protocol import Translation
from seriatim.frontends.ser.parser import parse
from seriatim.source import SourceText


class SerFrontend:
    suffixes = (".ser",)

    def translate(self, source: SourceText) -> Translation:
        return Translation(parse(source.text, source.name))
