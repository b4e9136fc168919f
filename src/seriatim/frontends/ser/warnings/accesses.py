"""Which variables an expression reads and writes, in the order of evaluation."""

from collections.abc import Iterator

from seriatim.frontends.ser.surface import AssignElement, Element, Lock, Surface, Unlock, parts
from seriatim.frozen import frozen
from seriatim.program.syntax import Assign, Read
from seriatim.source import Span


@frozen
class Access:
    """An element of an array counts as the array."""

    name: str
    span: Span
    """Of the name."""
    reads: bool
    writes: bool


def operands(expression: Surface) -> tuple[Surface, ...]:
    """The immediate subexpressions that are evaluated by themselves, in the order of evaluation."""
    match expression:
        case Lock(target=target) | Unlock(target=target):
            return parts(target)
        case _:
            return parts(expression)


def own_access(expression: Surface) -> Access | None:
    """What the expression does to a variable once its operands are evaluated."""
    match expression:
        case Read() | Element():
            return _access(expression, reads=True, writes=False)
        case Assign() | AssignElement():
            return _access(expression, reads=False, writes=True)
        case Lock(target=target):
            return _access(target, reads=True, writes=True)
        case Unlock(target=target):
            return _access(target, reads=False, writes=True)
        case _:
            return None


def accesses(expression: Surface) -> Iterator[Access]:
    """All of them. Recurses: see `seriatim.program.recursion`."""
    for operand in operands(expression):
        yield from accesses(operand)
    own = own_access(expression)
    if own is not None:
        yield own


Named = Read | Element | Assign[Surface] | AssignElement


def _access(variable: Named, reads: bool, writes: bool) -> Access:
    """The text of all of these begins with the name."""
    return Access(variable.name, variable.span.first(len(variable.name)), reads, writes)
