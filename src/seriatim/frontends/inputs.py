"""Inputs: a program or a network system, read from text, and the digest by which certificates know them."""

from hashlib import sha256

from seriatim.frontends.network_json.format import read_system, write_system
from seriatim.frontends.ser.parser import parse
from seriatim.program.expression_printer import Style
from seriatim.program.network_system import NetworkSystem
from seriatim.program.printer import print_program
from seriatim.program.syntax import Program
from seriatim.source import SourceText

Input = Program | NetworkSystem


def read_input(source: SourceText) -> Input:
    """JSON by its name or, on standard input, by its first character; anything else is a program."""
    is_json = source.name.endswith(".json") or (
        not source.name.endswith(".ser") and source.text.lstrip().startswith("{")
    )
    return read_system(source.text) if is_json else parse(source.text)


def digest(content: Input) -> str:
    """SHA-256 of the canonical text: a program as the printer prints it, a network system as JSON."""
    text = print_program(content, Style.BRACES) if isinstance(content, Program) else write_system(content)
    return sha256(text.encode()).hexdigest()
