"""What names of a C program stand for."""

from seriatim.frontends.c.types import CType
from seriatim.frozen import frozen


@frozen
class Scalar:
    """A variable of an integer type."""

    name: str
    """Among the variables of the thread program."""
    type: CType
    shared: bool


@frozen
class Mutex:
    """A lock: 0 is free, 1 is taken."""

    name: str


@frozen
class Condition:
    """A condition variable; waking up for no reason is allowed, so it holds nothing."""


@frozen
class Cells:
    """Variables for ids of threads, by numbers of their own."""

    first: int
    count: int | None
    """None for a single one."""


@frozen
class Enumerator:
    value: int


@frozen
class Structure:
    """A variable of a structure: its members are variables."""

    members: "dict[str, Symbol]"


Symbol = Scalar | Mutex | Condition | Cells | Enumerator | Structure


class Scopes:
    """Names in blocks within blocks, the innermost last."""

    def __init__(self, names: dict[str, Symbol]) -> None:
        self.blocks = [names]

    def find(self, name: str) -> Symbol | None:
        return next((block[name] for block in reversed(self.blocks) if name in block), None)

    def declare(self, name: str, symbol: Symbol) -> None:
        self.blocks[-1][name] = symbol

    def enter(self) -> None:
        self.blocks.append({})

    def leave(self) -> None:
        self.blocks.pop()
