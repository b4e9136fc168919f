"""What the next atomic step can touch: globals that it may read or write before it pauses or answers.

Claim: a step of `e` neither reads nor writes any other global, and what comes of it does not depend on them.
For no rule of the semantics reads or writes a variable other than the one that it names, none brings in a
name, and what stands behind a `yield` that every path passes is not evaluated in this step. By induction over
the expression: `reach` collects the names on all paths up to the first `yield`, `return` or fault, and says
whether some path gets to the end of the expression, so that what follows it may be evaluated in the same
step.
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
    children,
    is_global,
)


@frozen
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


NOTHING = Reach(frozenset(), goes_on=True)
END = Reach(frozenset(), goes_on=False)


def touched_globals(expression: Expression) -> frozenset[str]:
    """The globals that the next atomic step may read or write. Recurses: see `seriatim.program.recursion`."""
    return reach(expression).names


def reach(expression: Expression) -> Reach:
    match expression:
        case Number() | Choice():
            return NOTHING
        case Yield() | Fault():
            return END
        case Read(name=name):
            return named(name)
        case Assign(name=name, value=value):
            return reach(value).then(named(name))
        case Unary() | Binary() | Sequence():
            return in_order(children(expression))
        case Logical(left=left, right=right):
            return reach(left).then(NOTHING.either(reach(right)))
        case If(condition=condition, then=then, otherwise=otherwise):
            branches = reach(then).either(NOTHING if otherwise is None else reach(otherwise))
            return reach(condition).then(branches)
        case While(condition=condition, body=body):
            # Further rounds come by what the first one does.
            return reach(condition).then(NOTHING.either(reach(body)))
        case Return(value=value):
            return reach(value).then(END)
        case _:
            assert_never(expression)


def in_order(parts: tuple[Expression, ...]) -> Reach:
    whole = NOTHING
    for part in parts:
        whole = whole.then(reach(part))
    return whole


def named(name: str) -> Reach:
    return Reach(frozenset((name,)), goes_on=True) if is_global(name) else NOTHING
