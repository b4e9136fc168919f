"""All warnings about the text of a program.

A warning is a claim about every run of the program, such as "this read gives 0 each time", that follows from
the text alone. Each function that warns says its claim. It is worth a warning only if nobody means to write
what is claimed; for readers who do mean it, the hint shows another way to write it.
"""

from seriatim.frontends.ser.surface import SurfaceProgram
from seriatim.frontends.ser.warnings import flow, variables
from seriatim.program.recursion import deep_recursion
from seriatim.source import Diagnostic, Span

_START = Span(1, 1, 1, 1)


def warnings(program: SurfaceProgram) -> tuple[Diagnostic, ...]:
    """In the order of the text."""
    with deep_recursion():
        found = [*variables.findings(program), *flow.findings(program)]
    return tuple(sorted(found, key=lambda warning: (warning.span or _START, warning.code)))
