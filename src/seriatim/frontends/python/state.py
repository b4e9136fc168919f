"""The state of a service: which variables it has, what they start with, and what stands for objects."""

import ast
from dataclasses import dataclass, field

from seriatim.frontends.python.domains import Domain


@dataclass(frozen=True, slots=True)
class Cell:
    """A variable of the model."""

    name: str
    initial: int
    """A number, or the code of an atom."""
    family: str
    """Cells of one family have the same values, such as those of a dictionary."""
    scope: Domain | None
    """The values that it may have; None if the code alone says."""
    line: int
    start: Domain
    """What it starts with, as a domain of one value."""
    is_observable: bool = True
    """Whether its final value may count as a result: locks and such do not."""


@dataclass(frozen=True, slots=True)
class Variable:
    """An attribute or a module variable that holds one value."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Keyed:
    """A dictionary, a set or a list in the model: one entry for each key that it may ever have."""

    kind: str
    """`dict`, `set` or `list`."""
    name: str
    keys: tuple[int, ...]
    key_domain: Domain
    entries: dict[int, "Item"]
    """By the number or code of the key; of a set, whether it is in it."""

    @property
    def has_all(self) -> bool:
        """Whether all keys are always there."""
        return self.kind == "list"


@dataclass(frozen=True, slots=True)
class Lock:
    cell: Cell
    """0 is free."""


@dataclass(frozen=True, slots=True)
class Semaphore:
    cell: Cell
    """How often it can still be acquired."""
    bound: int | None
    """Of a `BoundedSemaphore`, how much that can be at most."""


@dataclass(frozen=True, slots=True)
class Event:
    cell: Cell
    """1 is set."""
    turn: Cell
    """Changes whenever waiting requests are released, also if the event is cleared right after."""


@dataclass(frozen=True, slots=True)
class Condition:
    lock: Lock
    turn: Cell
    """Changes whenever waiting requests may have been notified."""


@dataclass(frozen=True, slots=True)
class Queue:
    cells: tuple[Cell, ...]
    """The items, the next one first; unused ones are absent."""
    length: Cell
    is_bounded: bool
    """Whether `put` waits when it is full; otherwise that is a fault of the scope."""
    is_last_first: bool = False
    """Whether the next item is the one that came last, as in a `LifoQueue`."""


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the file, known by its place."""

    name: str
    cls: str
    members: dict[str, "Item"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class External:
    """An object of which nothing is known: its calls need marks."""

    name: str
    is_parameter: bool = False
    """Whether it is a parameter whose values are not known to be finitely many."""
    is_refused: bool = False
    """Whether it is a part of the state that was refused already."""
    start: ast.expr | None = field(default=None, compare=False)
    """What it is at the start, as the text says, if it is a part of the state."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that never changes."""

    value: int
    domain: Domain


Item = Variable | Keyed | Lock | Semaphore | Event | Condition | Queue | Instance | External | Fixed


def cells_of(item: Item) -> tuple[Cell, ...]:
    """All variables of an item, in order."""
    match item:
        case Variable(cell=cell) | Lock(cell=cell) | Semaphore(cell=cell):
            return (cell,)
        case Event(cell=cell, turn=turn):
            return (cell, turn)
        case Condition(lock=lock, turn=turn):
            return (lock.cell, turn)
        case Queue(cells=cells, length=length):
            return (*cells, length)
        case Keyed(entries=entries):
            return tuple(cell for entry in entries.values() for cell in cells_of(entry))
        case Instance(members=members):
            return tuple(cell for member in members.values() for cell in cells_of(member))
        case External() | Fixed():
            return ()
