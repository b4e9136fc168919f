"""The front end of thread programs."""

from typing import TYPE_CHECKING

from seriatim.frontends.conc.lowering import lower
from seriatim.frontends.conc.parser import parse
from seriatim.frontends.protocol import NO_SETTINGS, Settings, ThreadTranslation
from seriatim.source import SourceText

if TYPE_CHECKING:
    from seriatim.program.threads.syntax import ThreadProgram


def read_threads(source: SourceText) -> "ThreadProgram":
    """Raises `InputError` with all that is wrong with the text."""
    return lower(parse(source))


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> ThreadTranslation:
    assert not settings, "it has none"
    return ThreadTranslation(read_threads(source))
