"""The front end of thread programs."""

from seriatim.frontends.conc.lowering import lower
from seriatim.frontends.conc.parser import parse
from seriatim.frontends.protocol import Translation
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.source import SourceText


def read_threads(source: SourceText) -> ThreadProgram:
    """Raises `InputError` with all that is wrong with the text."""
    return lower(parse(source))


class ConcFrontend:
    suffixes = (".conc",)

    def translate(self, source: SourceText) -> Translation:
        return Translation(read_threads(source))
