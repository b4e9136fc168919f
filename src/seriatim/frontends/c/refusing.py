"""Refusals: what cannot be translated exactly is named, with its line and what to do instead."""

from typing import NoReturn

from seriatim.source import Diagnostic, InputError, Span


def refuse(what: str, span: Span, remedy: str) -> NoReturn:
    raise InputError([Diagnostic("SER091", f"{what} cannot be translated", span, remedy)])
