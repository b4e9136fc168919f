"""Parts of programs that are about any integers: arguments without bounds, arrays without bounds."""

from seriatim.frozen import frozen
from seriatim.program.syntax import Expression, Number, While


@frozen
class UnboundedHandler:
    """`request name(v: int) { body }`: a handler for any integers as arguments."""

    name: str
    parameters: tuple[str, ...]
    """The locals that contain the arguments at the start."""
    body: Expression


@frozen
class OpenArray:
    """`A[account: int] := 3`: an array with a cell for each integer."""

    name: str
    index: str
    """The name of the index in the text."""
    initial: int
    """The initial value of all cells."""


LEFT_OUT = While[Expression](Number(1), Number(0))
"""What an example does at a cell that it leaves out: it stops, so it is part of no complete run."""
