"""What surrounds a statement: blocks to leave properly, loops, calls, and where jumps lead to."""

from collections.abc import Callable
from dataclasses import dataclass, field

from seriatim.frontends.python.domains import Atom
from seriatim.frontends.python.module import Function
from seriatim.frontends.python.values import Value
from seriatim.source import Span


class Target:
    """Where a jump leads to, and how often it is used."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.is_used = False
        self.assigned: set[str] | None = None
        """The locals that have a value wherever a jump starts."""


@dataclass(frozen=True, slots=True)
class Finalizer:
    """What is executed on the way out of a block."""

    run: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Loop:
    after: Target
    again: Target


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception on its way."""

    name: str
    text: str
    """How an answer shows it."""
    limit: int = 0
    """The number of the limit of time that cancels; 0 if no limit does."""

    @property
    def atom(self) -> Atom:
        """What stands for it in locals, and in answers."""
        shown = f"raise {self.text}"
        return Atom(f"{shown} at limit {self.limit}" if self.limit else shown)


@dataclass(frozen=True, slots=True)
class Catching:
    """A `try` with the exceptions that it catches: names, or None for all."""

    clauses: tuple[tuple[tuple[str, ...] | None, Target], ...]
    exception: str
    """The local that keeps which one it is."""
    raised: dict[int, "Raised"] = field(default_factory=dict, compare=False)
    """What was seen to come here, by what the local keeps of it."""


class Calling:
    """A function that is executed in the place of its call."""

    def __init__(self, function: Function, after: Target, result: str) -> None:
        self.function = function
        self.after = after
        self.result = result
        self.value: Value | None = None
        """The shape of what it returns, with its parts in locals."""


@dataclass(frozen=True, slots=True)
class Generating:
    """A generator of the file, in `async for` or `async with`: the block is executed wherever it yields."""

    function: Function
    give: Callable[[Value], None]


@dataclass(frozen=True, slots=True)
class Timed:
    """A block with a limit of time: `asyncio.timeout`, `asyncio.wait_for`."""

    number: int
    is_task: bool
    """Whether it is executed by a task of its own, which ends before the block does."""
    span: Span

    @property
    def late(self) -> str:
        """The local that is set when the limit is reached."""
        return f"#late {self.number}"

    @property
    def stopped(self) -> str:
        """The local that is set when what surrounds the block is cancelled: by the request (1) or a limit."""
        return f"#stopped {self.number}"


Surrounding = Finalizer | Loop | Catching | Calling | Timed


@dataclass(frozen=True, slots=True)
class Gate:
    """A call that stands for something outside."""

    span: Span
    slot: str
    """The local that gets the answer; empty if nobody looks at it."""
    answers: tuple[str, ...]
    """What it can answer, as Python writes it."""
    is_awaited: bool = True
    is_block: bool = False
    """Whether it stands at the beginning and at the end of a block."""
