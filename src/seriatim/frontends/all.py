"""All front ends, a line each, and which one reads a source."""

from seriatim.frontends.network_json.frontend import NetworkFrontend
from seriatim.frontends.protocol import Frontend, Translation
from seriatim.frontends.ser.frontend import SerFrontend
from seriatim.program.inputs import Input
from seriatim.source import SourceText

SER = SerFrontend()
NETWORK = NetworkFrontend()

FRONTENDS: tuple[Frontend, ...] = (
    SER,
    NETWORK,
)

SUFFIXES = tuple(suffix for frontend in FRONTENDS for suffix in frontend.suffixes)


def frontend_named(name: str) -> Frontend | None:
    """The one that the suffix of a name chooses."""
    return next((frontend for frontend in FRONTENDS if name.endswith(frontend.suffixes)), None)


def translate(source: SourceText) -> Translation:
    """By the suffix of its name or else, as on standard input, by its first character."""
    by_text = NETWORK if source.text.lstrip().startswith("{") else SER
    return (frontend_named(source.name) or by_text).translate(source)


def read_input(source: SourceText) -> Input:
    """What a source stands for; raises `InputError` with everything that is wrong with it."""
    return translate(source).content
