"""Inputs: what can be decided about, and the digest by which certificates know it."""

from hashlib import sha256
from typing import assert_never

from seriatim.program.expression_printer import Style
from seriatim.program.network_system import NetworkSystem
from seriatim.program.printer import print_program
from seriatim.program.syntax import Program

Input = Program | NetworkSystem


def canonical_text(content: Input) -> str:
    """The same for all texts that mean the same: a program in braces, or a network system as JSON."""
    match content:
        case Program():
            return print_program(content, Style.BRACES)
        case NetworkSystem():
            from seriatim.program.system_printer import write_system

            return write_system(content)
        case _:
            assert_never(content)


def digest(content: Input) -> str:
    """SHA-256 of the canonical text."""
    return sha256(canonical_text(content).encode()).hexdigest()
