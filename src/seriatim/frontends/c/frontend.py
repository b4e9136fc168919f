"""The front end of C programs with pthreads; it needs the extra `seriatim[c]`."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from seriatim.frontends.protocol import Translation
from seriatim.source import Diagnostic, InputError, SourceText

if TYPE_CHECKING:
    from seriatim.program.threads.syntax import ThreadProgram


def read_c_threads(source: SourceText, statements_are_steps: bool = False) -> "ThreadProgram":
    """Raises `InputError` with what is wrong, or with what cannot be translated."""
    if find_spec("pycparser") is None:
        hint = "install it: pip install 'seriatim[c]'"
        raise InputError([Diagnostic("SER092", "the parser for C is not installed", hint=hint)])
    from seriatim.frontends.c.translation import read_c  # Few inputs are in C.

    return read_c(source, statements_are_steps)


class CFrontend:
    suffixes = (".c", ".i")

    def translate(self, source: SourceText) -> Translation:
        return Translation(read_c_threads(source))
