"""Texts in one fixed form, whichever of Seriatim's own languages they are in."""

from seriatim.frontends.actions.formatting import format_actions
from seriatim.frontends.all import ACTION_SUFFIX, CONC, NETWORK, SER, frontend_named, thread_frontend_named
from seriatim.frontends.conc.formatting import layout
from seriatim.frontends.conc.frontend import read_threads
from seriatim.frontends.ser.formatting import format_text
from seriatim.program.expression_printer import Style
from seriatim.source import Diagnostic, InputError, SourceText


def format_source(source: SourceText, style: Style | None = None) -> str:
    """Raises `InputError` for texts with mistakes, and for those of other languages."""
    if frontend_named(source.name) is NETWORK:
        hint = "name the program that it was made from"
        raise InputError([Diagnostic("SER210", "a network system has no lines to format", hint=hint)])
    if thread_frontend_named(source.name) is CONC:
        read_threads(source)  # A file with mistakes is left alone.
        return layout(source)
    if frontend_named(source.name) not in (None, SER) and not source.name.endswith(ACTION_SUFFIX):
        hint = "use a formatter for that language"
        message = "only programs in Seriatim's own language (.ser) are formatted"
        raise InputError([Diagnostic("SER210", message, hint=hint)])
    if source.name.endswith(ACTION_SUFFIX):
        return format_actions(source)
    return format_text(source.text, style)
