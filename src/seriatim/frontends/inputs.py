"""Inputs: a program or a network system, read from text, and the digest by which certificates know them."""

from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import Input
from seriatim.source import SourceText


def read_input(source: SourceText) -> Input:
    """JSON by its name or, on standard input, by its first character; anything else is a program."""
    is_json = source.name.endswith(".json") or (
        not source.name.endswith(".ser") and source.text.lstrip().startswith("{")
    )
    return read_system(source.text) if is_json else parse(source.text)
