"""The reference interpreter: the paper's Appendix C, rule by rule, on the syntax tree itself.

It is slow and obvious on purpose. The compiler (`seriatim.systems.step_functions`) is tested against it,
and the checker relies on it alone.

A configuration is ⟨e, ρ, g⟩: what is left to do, the locals, the globals. `small_steps` is the relation →,
`big_steps` the relation ⇒ between two points at which other requests may run. Where the paper's rules are
stuck, they are completed: every value other than 0 counts as true; the value of `yield` is 0, wherever it
stands; `return` drops what surrounds it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import assert_never

from seriatim.program.state import cell_name
from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Binary,
    Cell,
    Choice,
    Connective,
    Expression,
    Fault,
    Handler,
    If,
    Logical,
    Number,
    Operator,
    Prefix,
    Program,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    initial_globals,
    is_global,
    sequence,
)

Store = tuple[tuple[str, int], ...]
"""A total function from names to values: its non-zero entries, sorted by name."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """⟨e, ρ, g⟩."""

    expression: Expression
    locals: Store
    globals: Store


class Unbounded(Exception):
    """One atomic step takes too long, or makes numbers too long."""


StopCheck = Callable[[], None]
"""Called now and then while a step is executed; raises an exception to stop it."""

STEPS_PER_CHECK = 256
"""How many small steps come between two calls of `StopCheck`."""


def never_stop() -> None:
    """A `StopCheck` without a time limit."""


MAX_BITS = 4096
"""Values with more bits than this are assumed to grow without bound."""


def store(values: dict[str, int]) -> Store:
    return tuple(sorted((name, value) for name, value in values.items() if value != 0))


def lookup(values: Store, name: str) -> int:
    for known, value in values:
        if known == name:
            return value
    return 0


def update(values: Store, name: str, value: int) -> Store:
    others = [pair for pair in values if pair[0] != name]
    return tuple(sorted([*others, (name, value)])) if value else tuple(others)


def initial_store(program: Program) -> Store:
    """g₀."""
    return store(initial_globals(program))


def initial_configuration(handler: Handler, globals_: Store) -> Configuration:
    """A fresh request: its whole handler to run, all locals 0."""
    return Configuration(handler.body, (), globals_)


def apply(operator: Operator, left: int, right: int) -> int:
    """The value of a binary operator; truth is 1, falsehood 0; `%` is never negative."""
    match operator:
        case Operator.EQUAL:
            return int(left == right)
        case Operator.UNEQUAL:
            return int(left != right)
        case Operator.LESS:
            return int(left < right)
        case Operator.LESS_EQUAL:
            return int(left <= right)
        case Operator.GREATER:
            return int(left > right)
        case Operator.GREATER_EQUAL:
            return int(left >= right)
        case Operator.ADD:
            return left + right
        case Operator.SUBTRACT:
            return left - right
        case Operator.MULTIPLY:
            if left.bit_length() + right.bit_length() > MAX_BITS:
                raise Unbounded
            return left * right
        case Operator.MODULO:
            return left % right
        case _:
            assert_never(operator)


def small_steps(configuration: Configuration) -> tuple[Configuration, ...]:  # noqa: C901 - an arm a case
    """All ⟨e', ρ', g'⟩ with ⟨e, ρ, g⟩ → ⟨e', ρ', g'⟩.

    None if e is a value, a `return v` or a fault, or stands at a `yield`.
    """
    rho, g = configuration.locals, configuration.globals

    def becomes(expression: Expression) -> tuple[Configuration, ...]:
        return (Configuration(expression, rho, g),)

    match configuration.expression:
        case Number() | Yield() | Return(value=Number()) | Fault():
            return ()
        case Choice():  # ND-0, ND-1
            return (*becomes(Number(0)), *becomes(Number(1)))
        case Read(name=name):  # LOCAL-READ, GLOBAL-READ
            return becomes(Number(lookup(g if is_global(name) else rho, name)))
        case Assign(name=name, value=Number(value=value)):  # LOCAL-WRITE-DONE, GLOBAL-WRITE-DONE
            if is_global(name):
                return (Configuration(Number(value), rho, update(g, name, value)),)
            return (Configuration(Number(value), update(rho, name, value), g),)
        case Cell(name=name, index=Number(value=index), initial=initial):  # Stores have the difference.
            return becomes(Number(initial + lookup(g, cell_name(name, index))))
        case AssignCell(name=name, index=Number(value=index), initial=initial, value=Number(value=value)):
            return (Configuration(Number(value), rho, update(g, cell_name(name, index), value - initial)),)
        case Unary(operator=Prefix.NOT, operand=Number(value=value)):
            return becomes(Number(int(value == 0)))
        case Unary(operator=Prefix.MINUS, operand=Number(value=value)):
            return becomes(Number(-value))
        case Binary(operator=operator, left=Number(value=left), right=Number(value=right)):  # EQ-T, EQ-F
            return becomes(Number(apply(operator, left, right)))
        case Logical(connective=connective, left=Number(value=left), right=rest):
            decided = left == 0 if connective is Connective.AND else left != 0
            return becomes(Number(int(left != 0)) if decided else truth(rest))
        case If(condition=Number(value=value), then=then, otherwise=otherwise):  # IF-T, IF-F
            return becomes(then if value != 0 else otherwise or Number(0))
        case While(condition=condition, body=body) as loop:  # WHILE-UNFOLD
            return becomes(If(condition, sequence(body, loop), Number(0), loop.span))
        case Sequence(items=(Number(), *rest)):  # SEQ-DONE
            return becomes(sequence(*rest))
    return in_context(configuration)


def truth(expression: Expression) -> Expression:
    """Its value as 0 or 1."""
    return Unary(Prefix.NOT, Unary(Prefix.NOT, expression))


def in_context(configuration: Configuration) -> tuple[Configuration, ...]:
    """The congruence rules (…-STEP, EQ-L, EQ-R, IF-GUARD), and `return` leaving its surroundings."""
    expression = configuration.expression
    inner = focus(expression)
    if isinstance(inner, Return):
        return (Configuration(inner, configuration.locals, configuration.globals),)
    return tuple(
        Configuration(refocus(expression, after.expression), after.locals, after.globals)
        for after in small_steps(Configuration(inner, configuration.locals, configuration.globals))
    )


def focus(expression: Expression) -> Expression:
    """The immediate subexpression that is evaluated next."""
    match expression:
        case Assign(value=inner) | Return(value=inner) | Unary(operand=inner) | If(condition=inner):
            return inner
        case Cell(index=index):
            return index
        case AssignCell(index=index, value=value):
            return value if isinstance(index, Number) else index
        case Binary(left=left, right=right):
            return right if isinstance(left, Number) else left
        case Logical(left=left):
            return left
        case Sequence(items=items):
            return items[0]
        case Number() | Choice() | Read() | Yield() | While() | Fault():
            raise ValueError(f"{expression!r} has no subexpression to evaluate first")


def refocus(expression: Expression, inner: Expression) -> Expression:
    """The expression with `inner` in the place of its `focus`."""
    match expression:
        case Assign(name=name, span=span):
            return Assign(name, inner, span)
        case Return(span=span):
            return Return(inner, span)
        case Cell(name=name, initial=initial, span=span):
            return Cell(name, inner, initial, span)
        case AssignCell(name=name, index=Number() as index, initial=initial, span=span):
            return AssignCell(name, index, initial, inner, span)
        case AssignCell(name=name, initial=initial, value=value, span=span):
            return AssignCell(name, inner, initial, value, span)
        case Unary(operator=operator, span=span):
            return Unary(operator, inner, span)
        case If(then=then, otherwise=otherwise, span=span):
            return If(inner, then, otherwise, span)
        case Binary(operator=operator, left=Number() as left, span=span):
            return Binary(operator, left, inner, span)
        case Binary(operator=operator, right=right, span=span):
            return Binary(operator, inner, right, span)
        case Logical(connective=connective, right=right, span=span):
            return Logical(connective, inner, right, span)
        case Sequence(items=(_, *rest)):
            return sequence(inner, *rest)
    raise ValueError(f"{expression!r} has no subexpression to evaluate first")


def resume(expression: Expression) -> Expression | None:
    """The code left after the `yield` at which the expression pauses; None if it does not pause."""
    match expression:
        case Yield():
            return Number(0)
        case Number() | Choice() | Read() | While() | Fault():
            return None
        case Sequence(items=(Yield(), *rest)):
            return sequence(*rest)
    inner = focus(expression)
    after = None if isinstance(inner, Return) else resume(inner)
    return None if after is None else refocus(expression, after)


def big_steps(
    configuration: Configuration, limit: int = 100_000, check_stop: StopCheck = never_stop
) -> frozenset[Configuration]:
    """All ⟨e', ρ', g'⟩ with ⟨e, ρ, g⟩ ⇒ ⟨e', ρ', g'⟩: rules YIELD and TERMINATE."""
    ends = atomic_ends(configuration, limit, check_stop)
    return frozenset(end for end in ends if isinstance(end, Configuration))


def faults(
    configuration: Configuration, limit: int = 100_000, check_stop: StopCheck = never_stop
) -> frozenset[Fault]:
    """The mistakes that a request can make in its next atomic step."""
    return frozenset(end for end in atomic_ends(configuration, limit, check_stop) if isinstance(end, Fault))


def atomic_ends(
    configuration: Configuration, limit: int, check_stop: StopCheck
) -> Iterator[Configuration | Fault]:
    """How the next atomic step can end; the result may contain duplicates.

    A loop that never yields and never ends contributes nothing: the configurations between are explored to
    a fixpoint. Only loops return to an earlier configuration, and only choices multiply configurations. So
    configurations at loops and choices are remembered, at most `limit` of them.
    """
    seen: set[Configuration] = set()
    pending = [configuration]
    steps = 0
    while pending:
        steps += 1
        if steps % STEPS_PER_CHECK == 0:
            check_stop()
        current = pending.pop()
        rest = resume(current.expression)
        if rest is not None:
            yield Configuration(rest, current.locals, current.globals)
            continue
        match current.expression:
            case (Number() as value) | Return(value=Number() as value):
                yield Configuration(value, current.locals, current.globals)
            case expression:
                next_ = redex(expression)
                if isinstance(next_, Fault):
                    yield next_
                    continue
                if isinstance(next_, While | Choice):
                    if current in seen:
                        continue
                    seen.add(current)
                    values = [value for _, value in (*current.locals, *current.globals)]
                    if len(seen) > limit or any(value.bit_length() > MAX_BITS for value in values):
                        raise Unbounded
                pending.extend(small_steps(current))


def response(expression: Expression) -> int | None:
    """The response of a request with this much left to do, or None if it is still in flight."""
    match expression:
        case Number(value=value) | Return(value=Number(value=value)):
            return value
        case _:
            return None


def redex(expression: Expression) -> Expression:
    """The subexpression that the next small step rewrites."""
    current = expression
    while not isinstance(current, Choice | Read | While | Fault) and not isinstance(
        focus(current), Number | Return
    ):
        current = focus(current)
    return current
