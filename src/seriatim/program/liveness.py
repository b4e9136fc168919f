"""What the text tells about the code that is left: live locals, and globals that the next step can touch.

*Live locals* may be read before they are written. Configurations that differ only in other locals have the
same steps, up to these locals, and the same answers: nobody reads them. The least sets with that property are
found by one walk: an expression *reads first* what some path through it reads before writing it, and *writes*
what every path that leaves it has written. `return` leaves the handler, so whatever would come after it reads
nothing: it counts as writing everything.

*Touched globals* may be read or written before the next pause or answer. Claim: a step of `e` neither reads
nor writes any other global, and what comes of it does not depend on them. For no rule of the semantics reads
or writes a variable other than the one that it names, none brings in a name, and what stands behind a `yield`
that every path passes is not evaluated in this step. By induction over the expression: `reach` collects the
names on all paths up to the first `yield`, `return` or fault, and says whether some path gets to the end of
the expression, so that what follows it may be evaluated in the same step.
"""

from dataclasses import dataclass
from typing import assert_never

from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Binary,
    Cell,
    Choice,
    Expression,
    Fault,
    If,
    Logical,
    Number,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    children,
    is_global,
)


@dataclass(frozen=True, slots=True)
class Use:
    """How an expression uses the locals; `writes` is None if no path leaves it."""

    reads_first: frozenset[str]
    writes: frozenset[str] | None

    def then(self, later: "Use") -> "Use":
        """This one, then the other."""
        if self.writes is None:
            return self
        reads = self.reads_first | (later.reads_first - self.writes)
        return Use(reads, None if later.writes is None else self.writes | later.writes)

    def either(self, other: "Use") -> "Use":
        """This one or the other."""
        reads = self.reads_first | other.reads_first
        if self.writes is None or other.writes is None:
            return Use(reads, other.writes if self.writes is None else self.writes)
        return Use(reads, self.writes & other.writes)


NOTHING = Use(frozenset(), frozenset())


def live_locals(expression: Expression) -> frozenset[str]:
    """The locals that may be read before they are written. Recurses: see `seriatim.program.recursion`."""
    return use(expression).reads_first


def use(expression: Expression) -> Use:  # noqa: C901 - an arm a case
    match expression:
        case Number() | Choice() | Yield():
            return NOTHING
        case Read(name=name):
            return NOTHING if is_global(name) else Use(frozenset((name,)), frozenset())
        case Assign(name=name, value=value):
            written = NOTHING if is_global(name) else Use(frozenset(), frozenset((name,)))
            return use(value).then(written)
        case Unary(operand=operand) | Cell(index=operand):
            return use(operand)
        case AssignCell(index=index, value=value):
            return use(index).then(use(value))
        case Binary(left=left, right=right):
            return use(left).then(use(right))
        case Logical(left=left, right=right):
            return use(left).then(NOTHING.either(use(right)))
        case If(condition=condition, then=then, otherwise=otherwise):
            branches = use(then).either(NOTHING if otherwise is None else use(otherwise))
            return use(condition).then(branches)
        case While(condition=condition, body=body):
            # Further rounds read first what the first round does, or nothing.
            return use(condition).then(NOTHING.either(use(body)))
        case Return(value=value):
            return use(value).then(Use(frozenset(), None))
        case Fault():
            return Use(frozenset(), None)
        case Sequence(items=items):
            whole = NOTHING
            for item in items:
                whole = whole.then(use(item))
            return whole
        case _:
            assert_never(expression)


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a step can get in an expression."""

    names: frozenset[str]
    """The globals on the way."""
    goes_on: bool
    """Whether some path gets to its end."""

    def then(self, later: "Reach") -> "Reach":
        """This one, then the other."""
        return Reach(self.names | later.names, later.goes_on) if self.goes_on else self

    def either(self, other: "Reach") -> "Reach":
        """This one or the other."""
        return Reach(self.names | other.names, self.goes_on or other.goes_on)


NO_GLOBALS = Reach(frozenset(), goes_on=True)
STOP = Reach(frozenset(), goes_on=False)


def touched_globals(expression: Expression) -> frozenset[str]:
    """The globals that the next atomic step may read or write. Recurses: see `seriatim.program.recursion`."""
    return reach(expression).names


def reach(expression: Expression) -> Reach:
    match expression:
        case Number() | Choice():
            return NO_GLOBALS
        case Yield() | Fault():
            return STOP
        case Read(name=name):
            return make_reach(name)
        case Assign(name=name, value=value):
            return reach(value).then(make_reach(name))
        case Cell(name=name) | AssignCell(name=name):
            return in_order(children(expression)).then(make_reach(name))
        case Unary() | Binary() | Sequence():
            return in_order(children(expression))
        case Logical(left=left, right=right):
            return reach(left).then(NO_GLOBALS.either(reach(right)))
        case If(condition=condition, then=then, otherwise=otherwise):
            branches = reach(then).either(NO_GLOBALS if otherwise is None else reach(otherwise))
            return reach(condition).then(branches)
        case While(condition=condition, body=body):
            # Further rounds come by what the first one does.
            return reach(condition).then(NO_GLOBALS.either(reach(body)))
        case Return(value=value):
            return reach(value).then(STOP)
        case _:
            assert_never(expression)


def in_order(parts: tuple[Expression, ...]) -> Reach:
    whole = NO_GLOBALS
    for part in parts:
        whole = whole.then(reach(part))
    return whole


def make_reach(name: str) -> Reach:
    return Reach(frozenset((name,)), goes_on=True) if is_global(name) else NO_GLOBALS
