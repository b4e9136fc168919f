"""What names of a C program stand for."""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.frontends.c.types import INT, CType
from seriatim.terms.expressions import Constant, Expression


@dataclass(frozen=True, slots=True)
class Scalar:
    """A variable of an integer type, or a pointer."""

    name: str
    """Among the variables of the thread program."""
    type: CType
    shared: bool
    points_to: str = ""
    """The kind of what a pointer points to; empty for numbers."""
    atomic: bool = False
    """Whether `x++` and its like are one step."""


@dataclass(frozen=True, slots=True)
class Mutex:
    """A lock: 0 is free, 1 is taken."""

    name: str


@dataclass(frozen=True, slots=True)
class Semaphore:
    """How often it can be taken before somebody has to wait."""

    name: str


@dataclass(frozen=True, slots=True)
class ReadWriteLock:
    """How many readers hold it; -1 while somebody writes."""

    name: str


@dataclass(frozen=True, slots=True)
class Barrier:
    """Its variables are `name.size`, `name.arrived`, `name.leaving` and `name.claimed`."""

    name: str


@dataclass(frozen=True, slots=True)
class Once:
    """0 before, 1 during and 2 after an initialization."""

    name: str


@dataclass(frozen=True, slots=True)
class Condition:
    """Its variables are `name.waiting` and `name.woken`."""

    name: str


@dataclass(frozen=True, slots=True)
class Attributes:
    """Of threads; they hold nothing that matters."""


@dataclass(frozen=True, slots=True)
class Key:
    """Of data of which each thread has its own."""

    name: str


@dataclass(frozen=True, slots=True)
class Cells:
    """Variables for ids of threads, by numbers of their own."""

    first: int
    count: int | None
    """None for a single one."""
    length: Expression | None = None
    """How many of them the program has, where that is not known before."""

    @property
    def end(self) -> Expression | None:
        """The first number that is not that of an element."""
        return Constant(self.count) if self.length is None and self.count is not None else self.length


@dataclass(frozen=True, slots=True)
class Enumerator:
    """A constant with a name."""

    value: int
    type: CType = INT


@dataclass(frozen=True, slots=True)
class Structure:
    """A variable of a structure: its members are variables."""

    name: str
    kind: str
    members: "dict[str, Symbol]"


@dataclass(frozen=True, slots=True)
class Array:
    """A variable for each element."""

    name: str
    elements: "tuple[Symbol, ...]"


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the program, whose address may be used."""

    name: str
    kind: str


Opaque = Mutex | Semaphore | ReadWriteLock | Barrier | Once | Condition
"""What pthreads define, and only their functions look at."""

Symbol = Scalar | Opaque | Attributes | Key | Cells | Enumerator | Structure | Array | Function


def kind_of(symbol: Symbol) -> str:
    """What a pointer to it points to; empty if pointers to it are not known."""
    match symbol:
        case Scalar(type=type_, points_to=points_to, atomic=atomic):
            return ("atomic " if atomic else "") + (f"*{points_to}" if points_to else type_.kind)
        case Mutex():
            return "pthread_mutex_t"
        case Semaphore():
            return "sem_t"
        case ReadWriteLock():
            return "pthread_rwlock_t"
        case Barrier():
            return "pthread_barrier_t"
        case Condition():
            return "pthread_cond_t"
        case Structure(kind=kind) | Function(kind=kind):
            return kind
        case Array(elements=elements):
            return kind_of(elements[0])
        case _:
            return ""


def name_of(symbol: Symbol) -> str:
    """The name of a variable; empty for what has none."""
    return symbol.name if isinstance(symbol, Scalar | Opaque | Structure | Array | Function) else ""


def scalars(symbol: Symbol) -> Iterator[Scalar]:
    """The variables that hold numbers in it."""
    match symbol:
        case Scalar():
            yield symbol
        case Structure(members=members):
            for each in members.values():
                yield from scalars(each)
        case Array(elements=elements):
            for each in elements:
                yield from scalars(each)
        case _:
            return


def opaques(symbol: Symbol) -> "Iterator[Mutex | ReadWriteLock | Once]":
    """The objects of pthreads in it that have an initializer, and a value of their own."""
    match symbol:
        case Mutex() | ReadWriteLock() | Once():
            yield symbol
        case Structure(members=members):
            for each in members.values():
                yield from opaques(each)
        case Array(elements=elements):
            for each in elements:
                yield from opaques(each)
        case _:
            return


def holds_opaque(symbol: Symbol) -> bool:
    """Whether there are locks or ids of threads in it."""
    match symbol:
        case Mutex() | Semaphore() | ReadWriteLock() | Barrier() | Once() | Condition() | Key() | Cells():
            return True
        case Structure(members=members):
            return any(map(holds_opaque, members.values()))
        case Array(elements=elements):
            return any(map(holds_opaque, elements))
        case _:
            return False


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
