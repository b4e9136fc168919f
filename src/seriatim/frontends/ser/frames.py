"""What names mean in a handler or in a function that it calls, and how large a program may become."""

from dataclasses import dataclass, field

from seriatim.frontends.ser.findings import Findings
from seriatim.frontends.ser.scope import Shape
from seriatim.program.syntax import Number, Read, is_global
from seriatim.source import Span

MAX_PARTS = 500_000
"""How large a program may become; as many parts as it may have words."""


@dataclass(slots=True)
class Frame:
    """What names mean in a handler, or in a function that it calls."""

    suffix: str
    shapes: dict[str, Shape]
    known: dict[str, Number | Read] = field(default_factory=dict)
    """Parameters that need no variable: their value is a number, or a local that keeps it."""


class Size:
    """How much a program has become so far."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.parts = 0

    def grow(self, parts: int, span: Span) -> None:
        self.parts += parts
        if self.parts > MAX_PARTS:
            self.findings.report(
                "SER043",
                f"written out, the program has more than {MAX_PARTS:,} parts",
                span,
                "use smaller ranges, fewer parameters, or fewer calls",
            )
            raise self.findings.error()


def core_name(name: str, frame: Frame) -> str:
    return name if is_global(name) else name + frame.suffix


def cells(name: str, shape: Shape) -> list[str]:
    """The core variables of a variable: its elements, if it is an array."""
    return [name] if shape.size is None else [f"{name}[{index}]" for index in range(shape.size)]
