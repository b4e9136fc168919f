"""Candidates for the facts of a proof: simple conditions about what is pending, arrays and bags.

Candidates for `when`, for each action A(k) that may come next and for the end: each array has one of a few
values before k, from k on, after k, or everywhere; each bag contains one copy of the messages of such a
stretch, or nothing; instances of each action are pending once, or not at all, in such a stretch. Candidates
for `always`: instances are pending at most once.
"""

from collections.abc import Iterator
from itertools import product

from seriatim.actions.expressions import (
    Aggregate,
    Between,
    Binder,
    Cell,
    Copies,
    Expression,
    Fold,
    Integers,
    Parameter,
    Pending,
    Quantified,
    Symbol,
    Target,
)
from seriatim.actions.syntax import (
    MAIN,
    Action,
    ActionProgram,
    BoolType,
    Collection,
    CollectionKind,
    EnumType,
    Global,
    IntType,
    ValueType,
    When,
)
from seriatim.actions.walk import assigned_globals
from seriatim.terms.expressions import Apply, Constant, Op, Variable

_J, _V = Variable("j"), Variable("v")
_NEXT = Variable("k")


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


def _stretches(variable: Expression, has_index: bool) -> list[Expression]:
    """Conditions for the stretches: everywhere, before k, from k on, after k."""
    found: list[Expression] = [Constant(True)]
    if has_index:
        operators: tuple[Op, ...] = ("<", ">=", ">")
        found += [_compare(operator, variable, _NEXT) for operator in operators]
    return found


def _on(stretch: Expression, condition: Expression) -> Expression:
    return condition if stretch == Constant(True) else Apply("==>", (stretch, condition))


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


# --- when something comes next ------------------------------------------------------------------------------


def when_candidates(program: ActionProgram, actions: tuple[str, ...]) -> Iterator[When]:
    changing = assigned_globals(program)
    for name in (*actions, None):
        arguments: tuple[str, ...] = ()
        if name is not None:
            arguments = ("k", *(f"k{n}" for n in range(1, len(program.action(name).arguments))))
            arguments = arguments[: len(program.action(name).arguments)]
        has_index = bool(arguments) and name is not None and _is_plain(program.action(name))
        for condition in _facts(program, changing, has_index):
            yield When(name, arguments, condition)


def _facts(program: ActionProgram, changing: frozenset[str], has_index: bool) -> Iterator[Expression]:
    if has_index:
        yield from (_within(_NEXT, range_) for range_ in size_ranges(program))
        yield _compare("<=", Constant(1), _NEXT)
    for variable in program.variables:
        if variable.name in changing:
            yield from _global_facts(program, variable, changing, has_index)
    for action in program.actions:
        if action.name != MAIN:
            yield from _pending_facts(program, action, has_index)


def _pending_facts(program: ActionProgram, action: Action, has_index: bool) -> Iterator[Expression]:
    counts = (Constant(0), Constant(1))
    match len(action.arguments):
        case 0:
            yield from (_equal(Pending(action.name, ()), count) for count in counts)
        case 1 if _is_plain(action):
            for range_ in size_ranges(program):
                for stretch, count in product(_stretches(_J, has_index), counts):
                    fact = _on(stretch, _equal(Pending(action.name, (_J,)), count))
                    yield Quantified(True, (Binder("j", range_),), fact)
        case _:
            return


def _global_facts(
    program: ActionProgram, variable: Global, changing: frozenset[str], has_index: bool
) -> Iterator[Expression]:
    match variable.type, variable.ranges:
        case Collection(kind=CollectionKind.BAG, message=(part,)), (range_,):
            yield from _bag_facts(program, variable.name, part, range_, has_index)
        case Collection(kind=CollectionKind.BAG, message=(IntType(),)), ():
            empty = _equal(Copies((_V,), Target(variable.name)), Constant(0))
            yield Quantified(True, (Binder("v", Integers()),), empty)
        case Collection(), _:
            return
        case IntType() | BoolType() | EnumType() as type_, ():
            for value in _values(program, variable, type_, changing, ()):
                yield _equal(Cell(variable.name), value)
        case IntType() | BoolType() | EnumType() as type_, (range_,):
            for value in _values(program, variable, type_, changing, (_J,)):
                for stretch in _stretches(_J, has_index):
                    fact = _on(stretch, _equal(Cell(variable.name, (_J,)), value))
                    yield Quantified(True, (Binder("j", range_),), fact)
        case _:
            return


def _bag_facts(
    program: ActionProgram, name: str, part: ValueType, range_: Between, has_index: bool
) -> Iterator[Expression]:
    if not isinstance(part, IntType):
        return
    copies = Copies((_V,), Target(name, (_J,)))
    binders = (Binder("j", range_), Binder("v", Integers()))
    contents: list[Expression] = [Constant(0)]
    for senders in size_ranges(program):
        inside = _within(_V, senders)
        contents += [
            _bracket(inside if stretch == Constant(True) else _both(inside, stretch))
            for stretch in _stretches(_V, has_index)
        ]
    for stretch, content in product(_stretches(_J, has_index), contents):
        yield Quantified(True, binders, _on(stretch, _equal(copies, content)))


def _values(
    program: ActionProgram,
    variable: Global,
    type_: ValueType,
    changing: frozenset[str],
    indices: tuple[Expression, ...],
) -> Iterator[Expression]:
    """Values that a cell may be equal to."""
    match type_:
        case IntType():
            yield from (Constant(0), Constant(1))
            if isinstance(variable.initial, Constant) and variable.initial.value not in (0, 1):
                yield variable.initial
        case BoolType():
            yield from (Constant(False), Constant(True))
        case EnumType(name=name, members=members):
            yield from (Symbol(name, member, index) for index, member in enumerate(members))
        case _:
            return
    if variable.initial is None:
        yield Cell(variable.name, indices, old=True)
    for other in program.variables:
        if other.type == type_ and not other.ranges and other.name != variable.name:
            yield Cell(other.name)
        elif other.name not in changing and isinstance(other.type, IntType) and len(other.ranges) == 1:
            yield Aggregate(Fold.MAX, Cell(other.name, (Variable("i"),)), Binder("i", other.ranges[0]))
