"""The front end of programs in Seriatim's own language."""

from seriatim.frontends.protocol import NO_SETTINGS, Settings, Translation
from seriatim.frontends.ser.parser import parse
from seriatim.source import SourceText


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
    assert not settings, "it has none"
    return Translation(parse(source.text, source.name))
