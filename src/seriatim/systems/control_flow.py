"""Control-flow graphs: a handler's body as basic blocks over assignments of side-effect-free expressions."""

from collections.abc import Callable
from dataclasses import dataclass, field

from seriatim.frozen import frozen
from seriatim.program.syntax import Expression, Fault, Number
from seriatim.source import Span


@frozen
class Statement:
    """target := value."""

    target: str
    value: Expression
    span: Span


@frozen
class Goto:
    block: int


@frozen
class Branch:
    condition: Expression
    yes: int
    no: int
    span: Span


@frozen
class Choose:
    """target := 0 or target := 1, then on."""

    target: str
    block: int
    span: Span


@frozen
class Pause:
    """`yield`: others may run; then on."""

    block: int
    span: Span
    rest: "Continuation | None"
    held: tuple[str, ...]
    """The temporaries with the operands that were evaluated before."""


@frozen
class Finish:
    """The request is answered."""

    value: Expression
    span: Span


@frozen
class Fail:
    """The program makes a mistake: the step has no outcome."""

    fault: Fault


Terminator = Goto | Branch | Choose | Pause | Finish | Fail


@dataclass(slots=True)
class Block:
    statements: list[Statement] = field(default_factory=list)
    terminator: Terminator | None = None

    @property
    def end(self) -> Terminator:
        if self.terminator is None:
            raise ValueError("a block that does not end")
        return self.terminator

    def successors(self) -> tuple[int, ...]:
        match self.end:
            case Goto(block=block) | Choose(block=block) | Pause(block=block):
                return (block,)
            case Branch(yes=yes, no=no):
                return (yes, no)
            case Finish() | Fail():
                return ()


@frozen
class Continuation:
    """What surrounds a point of the program, innermost first: the way back from a pause to its remaining
    code."""

    frame: Callable[[Expression], Expression]
    outer: "Continuation | None"


@frozen
class Graph:
    """The control flow of one handler; block 0 is its start."""

    blocks: tuple[Block, ...]
    loop_heads: frozenset[int]


PAUSED = Number(0)
"""The value of the `yield` that a request stands at; told from other zeros by identity."""


def remaining_code(pause: Pause) -> Expression:
    """The expression that is left at a pause; operands that were evaluated before stand as temporaries."""
    expression: Expression = PAUSED
    rest = pause.rest
    while rest is not None:
        expression = rest.frame(expression)
        rest = rest.outer
    return expression


def is_temporary(name: str) -> bool:
    return name.startswith("%")
