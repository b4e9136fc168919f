"""Texts in one fixed form, whichever of Seriatim's own languages they are in."""

from seriatim.frontends.actions.formatting import format_actions
from seriatim.frontends.conc.formatting import layout
from seriatim.frontends.conc.frontend import read_threads
from seriatim.frontends.languages import ACTIONS, CONC, NETWORK, SER, language_named
from seriatim.frontends.ser.formatting import format_text
from seriatim.program.expression_printer import Style
from seriatim.source import Diagnostic, InputError, SourceText


def format_source(source: SourceText, style: Style | None = None) -> str:
    """Raises `InputError` for texts with mistakes, and for those of other languages."""
    language = language_named(source.name)
    if language is NETWORK:
        hint = "name the program that it was made from"
        raise InputError([Diagnostic("SER210", "a network system has no lines to format", hint=hint)])
    if language is CONC:
        read_threads(source)  # A file with mistakes is left alone.
        return layout(source)
    if language is ACTIONS:
        return format_actions(source)
    if language in (None, SER):
        return format_text(source.text, style)
    hint = "use a formatter for that language"
    message = "only programs in Seriatim's own language (.ser) are formatted"
    raise InputError([Diagnostic("SER210", message, hint=hint)])
