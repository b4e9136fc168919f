"""Inputs: a program or a network system, and the digest by which certificates know them."""

from hashlib import sha256

from seriatim.frontends.network_json.format import write_system
from seriatim.program.expression_printer import Style
from seriatim.program.network_system import NetworkSystem
from seriatim.program.printer import print_program
from seriatim.program.syntax import Program

Input = Program | NetworkSystem


def digest(content: Input) -> str:
    """SHA-256 of the canonical text: a program as the printer prints it, a network system as JSON."""
    text = print_program(content, Style.BRACES) if isinstance(content, Program) else write_system(content)
    return sha256(text.encode()).hexdigest()
