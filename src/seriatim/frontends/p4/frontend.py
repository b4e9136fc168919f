"""The front end of packet programs: `ser check program.p4`."""

from seriatim.frontends.p4.translation import translate_source
from seriatim.frontends.protocol import NO_SETTINGS, Settings, Translation
from seriatim.program.recursion import deep_recursion
from seriatim.source import SourceText


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
    """Translates a packet program; raises `InputError`."""
    with deep_recursion():
        return translate_source(source, settings)
