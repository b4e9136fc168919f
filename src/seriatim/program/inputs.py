"""Inputs: what can be decided about, and the digest by which certificates know it."""

from hashlib import sha256
from typing import TYPE_CHECKING

from seriatim.program.expression_printer import Style
from seriatim.program.network_system import NetworkSystem
from seriatim.program.printer import print_program
from seriatim.program.syntax import Program

Input = Program | NetworkSystem
"""What handles requests."""

if TYPE_CHECKING:
    from seriatim.program.threads.syntax import ThreadProgram

    Decidable = Input | ThreadProgram
else:  # Programs with threads are loaded when the first one is met.
    Decidable = object


def canonical_text(content: Decidable) -> str:
    """The same for all texts that mean the same: a program in braces, a network system as JSON, threads as
    lists of steps."""
    match content:
        case Program():
            return print_program(content, Style.BRACES)
        case NetworkSystem():
            from seriatim.program.system_printer import write_system

            return write_system(content)
        case _:
            from seriatim.program.threads.printer import print_threads

            return print_threads(content)


def digest(content: Decidable) -> str:
    """SHA-256 of the canonical text."""
    return sha256(canonical_text(content).encode()).hexdigest()
