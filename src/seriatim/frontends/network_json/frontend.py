"""The front end of network systems."""

from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.protocol import Translation
from seriatim.source import SourceText


class NetworkFrontend:
    suffixes = (".json",)

    def translate(self, source: SourceText) -> Translation:
        return Translation(read_system(source.text, source.name))
