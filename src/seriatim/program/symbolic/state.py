"""Values of variables as terms, under a condition, and what operators make of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from seriatim.arithmetic.terms import (
    ONE,
    TRUE,
    ZERO,
    Compound,
    Op,
    Sort,
    Term,
    both,
    bracket,
    either,
    equal,
    negate,
    number,
    select,
    times,
)
from seriatim.program.syntax import (
    Binary,
    Cell,
    Connective,
    Expression,
    Logical,
    Number,
    Operator,
    Prefix,
    Read,
    Unary,
    is_global,
)
from seriatim.terms.logic import make
from seriatim.terms.operators import INFIX


@dataclass(frozen=True, slots=True)
class SymbolicState:
    """The state at the end of a path."""

    guard: Term
    """The condition under which the path is taken."""
    locals: Mapping[str, Term]
    """The values of locals; missing ones are 0."""
    globals: Mapping[str, Term]

    def value(self, name: str) -> Term:
        return self.globals[name] if is_global(name) else self.locals.get(name, ZERO)

    def assign(self, name: str, value: Term) -> "SymbolicState":
        if is_global(name):
            return replace(self, globals={**self.globals, name: value})
        return replace(self, locals={**self.locals, name: value})

    def assume(self, condition: Term) -> "SymbolicState":
        match condition:
            case Compound(op=Op.NOT, arguments=(Compound(op=Op.OR, arguments=parts),)):
                return replace(self, guard=both(self.guard, *map(negate, parts)))
            case _:
                return replace(self, guard=both(self.guard, condition))

    def has_values_of(self, other: "SymbolicState") -> bool:
        return self.locals == other.locals and self.globals == other.globals


def start(globals_: Mapping[str, Term], locals_: Mapping[str, Term]) -> SymbolicState:
    return SymbolicState(TRUE, locals_, globals_)


def holds(value: Term) -> Term:
    """Whether a value counts as true: it is not 0."""
    match value:
        case Compound(op=Op.IF, arguments=(condition, one, other)) if one == ONE and other == ZERO:
            return condition
        case _:
            return negate(equal(value, ZERO))


def truth(connective: Connective, left: Term, right: Term) -> Term:
    """The value of a connective without effects."""
    join = both if connective is Connective.AND else either
    return bracket(join(holds(left), holds(right)))


def operate(operator: Operator, left: Term, right: Term) -> Term:
    """The value of an operator; comparisons give 1 or 0."""
    if operator is Operator.UNEQUAL and right == ZERO:
        return bracket(holds(left))
    found = make(INFIX[operator.value], (left, right))
    return bracket(found) if found.sort is Sort.BOOL else found


def pure_value(code: Expression, state: SymbolicState) -> Term | None:
    """The value of an expression without effects, pauses and choices; None for others."""
    match code:
        case Number(value=value):
            return number(value)
        case Read(name=name):
            return state.value(name)
        case Binary(operator=operator, left=left, right=right):
            one, other = pure_value(left, state), pure_value(right, state)
            return None if one is None or other is None else operate(operator, one, other)
        case Logical(connective=connective, left=left, right=right):
            one, other = pure_value(left, state), pure_value(right, state)
            return None if one is None or other is None else truth(connective, one, other)
        case Unary(operator=prefix, operand=operand):
            only = pure_value(operand, state)
            return None if only is None else apply_prefix(prefix, only)
        case Cell(name=name, index=index):
            at = pure_value(index, state)
            return None if at is None else select(state.value(name), at)
        case _:
            return None


def apply_prefix(prefix: Prefix, value: Term) -> Term:
    return times(-1, value) if prefix is Prefix.MINUS else bracket(negate(holds(value)))
