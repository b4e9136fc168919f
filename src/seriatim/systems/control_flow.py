"""Control-flow graphs: a handler's body as basic blocks over assignments of side-effect-free expressions; and
which locals and temporaries can still be read from the start of each block on.

Dead ones leave the local state, so that states that differ only in them are one. The operands that a pause
holds stay, used or not: so each local state is one configuration of the reference interpreter, up to the
locals that `seriatim.program.liveness` calls dead. Sets of names are bit masks.
"""

from collections.abc import Callable
from dataclasses import dataclass

from seriatim.program.syntax import Expression, Fault, Number, Read, is_global, walk
from seriatim.source import Span


@dataclass(frozen=True, slots=True)
class Statement:
    """target := value."""

    target: str
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Goto:
    block: int


@dataclass(frozen=True, slots=True)
class FlowBranch:
    condition: Expression
    yes: int
    no: int
    span: Span


@dataclass(frozen=True, slots=True)
class Choose:
    """target := 0 or target := 1, then on."""

    target: str
    block: int
    span: Span


@dataclass(frozen=True, slots=True)
class Pause:
    """`yield`: others may run; then on."""

    block: int
    span: Span
    rest: "Continuation | None"
    held: tuple[str, ...]
    """The temporaries with the operands that were evaluated before."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The request is answered."""

    value: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Fail:
    """The program makes a mistake: the step has no outcome."""

    fault: Fault


Terminator = Goto | FlowBranch | Choose | Pause | Finish | Fail


class FlowBlock:
    """Statements one after the other, and what comes then."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.terminator: Terminator | None = None

    @property
    def end(self) -> Terminator:
        if self.terminator is None:
            raise ValueError("a block that does not end")
        return self.terminator

    def successors(self) -> tuple[int, ...]:
        match self.end:
            case Goto(block=block) | Choose(block=block) | Pause(block=block):
                return (block,)
            case FlowBranch(yes=yes, no=no):
                return (yes, no)
            case Finish() | Fail():
                return ()


@dataclass(frozen=True, slots=True)
class Continuation:
    """What surrounds a point of the program, innermost first: the way back from a pause to its remaining
    code."""

    frame: Callable[[Expression], Expression]
    outer: "Continuation | None"


@dataclass(frozen=True, slots=True)
class Graph:
    """The control flow of one handler; block 0 is its start."""

    blocks: tuple[FlowBlock, ...]
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


def live_at_start(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """For each block the live locals, sorted. The least solution of the usual backward equations."""
    names = Names()
    uses: list[int] = [0] * len(graph.blocks)
    defines: list[int] = []
    predecessors: list[list[int]] = [[] for _ in graph.blocks]
    for index, block in enumerate(graph.blocks):
        used = defined = 0
        for statement in block.statements:
            used |= names.read(statement.value) & ~defined
            defined |= names.bit(statement.target)
        match block.end:
            case FlowBranch(condition=value) | Finish(value=value):
                used |= names.read(value) & ~defined
            case Choose(target=target):
                defined |= names.bit(target)
            case Pause(block=after, held=held):
                for name in held:
                    uses[after] |= names.bit(name)
            case _:
                pass
        uses[index] |= used
        defines.append(defined)
        for successor in block.successors():
            predecessors[successor].append(index)

    live = list(uses)
    pending = list(range(len(live)))
    while pending:
        index = pending.pop()
        for before in predecessors[index]:
            grown = live[before] | live[index] & ~defines[before]
            if grown != live[before]:
                live[before] = grown
                pending.append(before)
    return tuple(names.of(mask) for mask in live)


class Names:
    """A bit for each local; none for globals."""

    def __init__(self) -> None:
        self.bits: dict[str, int] = {}
        self.names: list[str] = []

    def bit(self, name: str) -> int:
        if is_global(name):
            return 0
        if name not in self.bits:
            self.bits[name] = 1 << len(self.names)
            self.names.append(name)
        return self.bits[name]

    def read(self, expression: Expression) -> int:
        mask = 0
        for part in walk(expression):
            if isinstance(part, Read):
                mask |= self.bit(part.name)
        return mask

    def of(self, mask: int) -> tuple[str, ...]:
        names = self.names
        found: list[str] = []
        while mask:
            lowest = mask & -mask
            found.append(names[lowest.bit_length() - 1])
            mask ^= lowest
        return tuple(sorted(found))
