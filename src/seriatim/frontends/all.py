"""All front ends, a line each, and which one reads a source."""

from seriatim.frontends.c.frontend import CFrontend
from seriatim.frontends.conc.frontend import ConcFrontend
from seriatim.frontends.network_json.frontend import NetworkFrontend
from seriatim.frontends.protocol import Frontend, Translation
from seriatim.frontends.ser.frontend import SerFrontend
from seriatim.program.inputs import Decidable, Input
from seriatim.program.network_system import NetworkSystem
from seriatim.program.syntax import Program
from seriatim.source import Diagnostic, InputError, SourceText

SER = SerFrontend()
NETWORK = NetworkFrontend()
CONC = ConcFrontend()
C = CFrontend()

FRONTENDS: tuple[Frontend, ...] = (
    SER,
    NETWORK,
    CONC,
    C,
)

SUFFIXES = tuple(suffix for frontend in FRONTENDS for suffix in frontend.suffixes)


def frontend_named(name: str) -> Frontend | None:
    """The one that the suffix of a name chooses."""
    return next((frontend for frontend in FRONTENDS if name.endswith(frontend.suffixes)), None)


def translate(source: SourceText) -> Translation:
    """By the suffix of its name or else, as on standard input, by its first character."""
    by_text = NETWORK if source.text.lstrip().startswith("{") else SER
    return (frontend_named(source.name) or by_text).translate(source)


def read_decidable(source: SourceText) -> Decidable:
    """What a source stands for; raises `InputError` with everything that is wrong with it."""
    return translate(source).content


def read_input(source: SourceText) -> Input:
    """The same for commands that are about requests alone."""
    content = read_decidable(source)
    if not isinstance(content, Program | NetworkSystem):
        message = "this is a program with threads, and the command is about requests"
        hint = (
            "`ser check`, `ser verify`, `ser replay`, `ser run`, `ser show` and `ser fmt` read such programs"
        )
        raise InputError([Diagnostic("SER213", message, hint=hint)])
    return content
