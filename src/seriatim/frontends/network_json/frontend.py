"""The front end of network systems."""

from seriatim.frontends.protocol import Translation
from seriatim.source import SourceText


class NetworkFrontend:
    suffixes = (".json",)

    def translate(self, source: SourceText) -> Translation:
        from seriatim.frontends.network_json.format import read_system  # Loaded with the first of them.

        return Translation(read_system(source.text, source.name))
