"""Live locals of what is left to do: those that may be read before they are written.

Configurations that differ only in other locals have the same steps, up to these locals, and the same
answers: nobody reads them. The least sets with that property are found by one walk: an expression *reads
first* what some path through it reads before writing it, and *writes* what every path that leaves it has
written. `return` leaves the handler, so whatever would come after it reads nothing: it counts as writing
everything.
"""

from typing import assert_never

from seriatim.frozen import frozen
from seriatim.program.syntax import (
    Assign,
    Binary,
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
    is_global,
)


@frozen
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
        case Unary(operand=operand):
            return use(operand)
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
