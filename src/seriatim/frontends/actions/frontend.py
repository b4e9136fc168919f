"""The front end of asynchronous programs."""

from seriatim.frontends.actions.parser import parse
from seriatim.frontends.protocol import ActionTranslation
from seriatim.source import SourceText


def translate(source: SourceText) -> ActionTranslation:
    """Raises `InputError` with all that is wrong with the text."""
    return ActionTranslation(parse(source))
