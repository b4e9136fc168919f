"""The front end of network systems."""

from seriatim.frontends.protocol import NO_SETTINGS, Settings, Translation
from seriatim.source import SourceText


class NetworkFrontend:
    suffixes = (".json",)
    settings = ()

    def translate(self, source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:  # noqa: ARG002
        from seriatim.frontends.network_json.format import read_system  # Loaded with the first of them.

        return Translation(read_system(source.text, source.name))
