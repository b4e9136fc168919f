"""Parts of programs that are about any integers: arguments without bounds, arrays without bounds."""

from seriatim.frozen import frozen
from seriatim.program.changing import transformed
from seriatim.program.syntax import Expression, Fault, Number, While


@frozen
class UnboundedHandler:
    """`request name(v: int) { body }`: what a request does, whatever integers its arguments are."""

    name: str
    parameters: tuple[str, ...]
    """Locals that have the arguments at the start."""
    body: Expression


@frozen
class OpenArray:
    """`A[account: int] := 3`: an array with a cell for each integer."""

    name: str
    index: str
    """What the text calls an index."""
    initial: int
    """What all cells are at the start."""


LEFT_OUT = While[Expression](Number(1), Number(0))
"""What an example does at a cell that it leaves out: it goes no further, so it is part of no complete run."""

NO_SUCH_CELL = Fault("SER802", "the examples have no such cell")


def with_cells_shown(code: Expression) -> Expression:
    """The same, but to come to a cell that is left out is a mistake, which can be seen."""
    return transformed(code, lambda part: NO_SUCH_CELL if part == LEFT_OUT else part)
