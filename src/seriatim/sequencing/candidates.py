"""Candidates for `always`: instances of actions are pending at most once, alone or together with another."""

from collections.abc import Iterator
from itertools import product

from seriatim.actions.expressions import (
    Between,
    Binder,
    Expression,
    Integers,
    Parameter,
    Pending,
    Quantified,
)
from seriatim.actions.syntax import (
    MAIN,
    Action,
    ActionProgram,
    IntType,
)
from seriatim.terms.expressions import Apply, Constant, Variable
from seriatim.terms.operators import Op


def _compare(operator: Op, left: Expression, right: Expression) -> Expression:
    return Apply(operator, (left, right))


def _equal(left: Expression, right: Expression) -> Expression:
    return _compare("==", left, right)


def _both(left: Expression, right: Expression) -> Expression:
    return Apply("&&", (left, right))


def _within(variable: Expression, range_: Between) -> Expression:
    low = _compare("<=", range_.low, variable)
    return _both(low, _compare("<=", variable, range_.high))


def _bracket(condition: Expression) -> Expression:
    return Apply("?", (condition, Constant(1), Constant(0)))


def size_ranges(program: ActionProgram) -> list[Between]:
    return [Between(Constant(1), Parameter(size.name)) for size in program.sizes]


def always_candidates(program: ActionProgram) -> Iterator[Expression]:
    """Instances are pending at most once: in a range, together with another action, or as the only one."""
    actions = [each for each in program.actions if each.name != MAIN]
    for action in actions:
        yield from _once(program, action)
    for number, one in enumerate(actions):
        for other in actions[number + 1 :]:
            yield from _either(program, one, other)


def _names(action: Action, count: int | None = None) -> tuple[str, ...]:
    return tuple(f"x{number}" for number in range(len(action.arguments) if count is None else count))


def _pending(action: Action, names: tuple[str, ...]) -> Expression:
    return Pending(action.name, tuple(map(Variable, names)))


def _for_all(names: tuple[str, ...], condition: Expression) -> Expression:
    if not names:
        return condition
    return Quantified(True, tuple(Binder(name, Integers()) for name in names), condition)


def _is_plain(action: Action) -> bool:
    return all(isinstance(each.type, IntType) for each in action.arguments)


def _once(program: ActionProgram, action: Action) -> Iterator[Expression]:
    if not _is_plain(action):
        return
    names = _names(action)
    count = _pending(action, names)
    yield _for_all(names, _compare("<=", count, Constant(1)))
    for position, range_ in product(range(len(names)), size_ranges(program)):
        inside = _within(Variable(names[position]), range_)
        yield _for_all(names, _compare("<=", count, _bracket(inside)))
    if len(names) == 1:
        others = ("y0",)
        there = [_compare(">", _pending(action, each), Constant(0)) for each in (names, others)]
        same = _equal(Variable("x0"), Variable("y0"))
        yield _for_all((*names, *others), Apply("==>", (_both(*there), same)))


def _either(program: ActionProgram, one: Action, other: Action) -> Iterator[Expression]:
    if len(one.arguments) != len(other.arguments) or not (_is_plain(one) and _is_plain(other)):
        return
    names = _names(one)
    total = Apply("+", (_pending(one, names), _pending(other, names)))
    yield _for_all(names, _compare("<=", total, Constant(1)))
    if len(names) == 1:
        for range_ in size_ranges(program):
            inside = _bracket(_within(Variable(names[0]), range_))
            yield _for_all(names, _compare("<=", total, inside))
