"""Parts of programs that are about any integers: arguments without bounds, arrays without bounds."""

from dataclasses import dataclass

from seriatim.program.changing import transform
from seriatim.program.syntax import Expression, Fault, Number, While, walk


@dataclass(frozen=True, slots=True)
class UnboundedHandler:
    """`request name(v: int) { body }`: a handler for any integers as arguments."""

    name: str
    parameters: tuple[str, ...]
    """The locals that contain the arguments at the start."""
    body: Expression


@dataclass(frozen=True, slots=True)
class OpenArray:
    """`A[account: int] := 3`: an array with a cell for each integer."""

    name: str
    index: str
    """The name of the index in the text."""
    initial: int
    """The initial value of all cells."""


LEFT_OUT: While[Expression] = While(Number(1), Number(0))
"""What an example does at a cell that it leaves out: it stops, so it is part of no complete run."""


def leaves_out(code: Expression) -> bool:
    """Whether an example may reach a cell that it leaves out."""
    return any(part == LEFT_OUT for part in walk(code))


NO_SUCH_CELL = Fault("SER802", "the examples have no such cell")


def with_cells_shown(code: Expression) -> Expression:
    """The same code, but reaching a cell that is left out is a fault, which can be seen."""
    return transform(code, lambda part: NO_SUCH_CELL if part == LEFT_OUT else part)
