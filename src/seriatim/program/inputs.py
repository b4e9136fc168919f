"""Inputs: everything that can be decided, and the digests that identify inputs in certificates."""

from hashlib import sha256
from typing import TYPE_CHECKING

from seriatim.program.expression_printer import Style
from seriatim.program.network_system import NetworkSystem
from seriatim.program.printer import print_expression, print_program
from seriatim.program.syntax import Program
from seriatim.program.system_printer import write_system
from seriatim.program.threads.printer import print_threads

Input = Program | NetworkSystem
"""An input with requests."""

if TYPE_CHECKING:
    from seriatim.program.syntax import OpenArray, UnboundedHandler
    from seriatim.program.threads.syntax import ThreadProgram

    Decidable = Input | ThreadProgram
else:  # Modules about threads are loaded on first use.
    Decidable = object


def canonical_text(content: Decidable) -> str:
    """A text that is the same for all sources with the same meaning: a program in braces, a network system as
    JSON, threads as lists of steps."""
    match content:
        case Program():
            arrays, handlers = content.open_arrays, content.unbounded_handlers
            open_parts = (*map(_open_array, arrays), *map(_print_unbounded, handlers))
            return print_program(content, Style.BRACES) + "".join(open_parts)
        case NetworkSystem():
            return write_system(content)
        case _:
            return print_threads(content)


def _open_array(array: "OpenArray") -> str:
    return f"\nfor all {array.index}: int: {array.name}[{array.index}] := {array.initial}\n"


def _print_unbounded(handler: "UnboundedHandler") -> str:
    parameters = ", ".join(f"{name}: int" for name in handler.parameters)
    return f"\nfor all {handler.name} ({parameters}): {print_expression(handler.body)}\n"


def digest(content: Decidable) -> str:
    """SHA-256 of the canonical text."""
    return sha256(canonical_text(content).encode()).hexdigest()
