"""The front end of network systems."""

from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.protocol import NO_SETTINGS, Settings, Translation
from seriatim.source import SourceText


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
    assert not settings, "it has none"
    return Translation(read_system(source.text, source.name))
