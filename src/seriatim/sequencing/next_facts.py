"""Candidates for `when`: what may hold whenever A(k) comes next, and at the end.

Cells, numbers of messages and numbers of pending instances are compared with numbers of the program: sizes,
literals, k and its neighbours, other globals, initial values, maxima and sums that the program speaks of.
Arrays are cut into stretches: before k, from k on, after k, at k, elsewhere. What the program ensures, and
what it asserts, is a candidate, too. Where a number or a message makes a difference, facts may hold in one
case only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from seriatim.actions.expressions import (
    Aggregate,
    Between,
    Binder,
    Cell,
    Copies,
    Domain,
    Expression,
    First,
    Fold,
    Integers,
    Members,
    Parameter,
    Pending,
    Quantified,
    Size,
    Symbol,
    Target,
)
from seriatim.actions.syntax import (
    MAIN,
    Action,
    ActionProgram,
    Assert,
    Async,
    BoolType,
    Collection,
    CollectionKind,
    EnumType,
    For,
    Global,
    IntType,
    ValueType,
    When,
)
from seriatim.actions.walk import assigned_globals, expressions_of, statements, subexpressions
from seriatim.checking.sequentialization.assumptions import proof_expressions
from seriatim.terms.expressions import Apply, Constant, Variable
from seriatim.terms.operators import Op

_J, _V, _I, _K = Variable("j"), Variable("v"), Variable("i"), Variable("k")
_ZERO, _ONE = Constant(0), Constant(1)
_TRUE = Constant(True)
MAX_LITERALS = 4


def places(program: ActionProgram, actions: tuple[str, ...]) -> Iterator["Place"]:
    for name in actions:
        types = [argument.type for argument in program.action(name).arguments]
        names = tuple("k" if at == 0 else f"k{at}" for at in range(len(types)))
        yield Place(program, name, names, bool(types) and isinstance(types[0], IntType))
    yield Place(program, None, (), False)


# --- expressions --------------------------------------------------------------------------------------------


def _compare(operator: Op, left: Expression, right: Expression) -> Expression:
    return Apply(operator, (left, right))


def _equal(left: Expression, right: Expression) -> Expression:
    return Apply("==", (left, right))


def _at_most(left: Expression, right: Expression) -> Expression:
    return Apply("<=", (left, right))


def _less(left: Expression, right: Expression) -> Expression:
    return Apply("<", (left, right))


def _both(left: Expression, right: Expression) -> Expression:
    return Apply("&&", (left, right))


def _implies(case: Expression, fact: Expression) -> Expression:
    return fact if case == _TRUE else Apply("==>", (case, fact))


def _moved(number: Expression, step: int) -> Expression:
    operator: Op = "+" if step > 0 else "-"
    return Apply(operator, (number, Constant(abs(step))))


def _within(variable: Expression, range_: Between) -> Expression:
    return _both(_at_most(range_.low, variable), _at_most(variable, range_.high))


def _all(name: Variable, domain: Domain, body: Expression) -> Expression:
    return Quantified(True, (Binder(name.name, domain),), body)


def _bracket(condition: Expression) -> Expression:
    return Apply("?", (condition, _ONE, _ZERO))


def _locals(expression: Expression) -> frozenset[str]:
    bound = {
        binder.name
        for each in subexpressions(expression)
        if isinstance(each, Quantified | Aggregate)
        for binder in (each.binders if isinstance(each, Quantified) else (each.binder,))
    }
    used = {each.name for each in subexpressions(expression) if isinstance(each, Variable)}
    return frozenset(used - bound)


@dataclass(frozen=True, slots=True)
class Group:
    """Facts about one thing. Of each part of an array, the first one that is true is enough."""

    options: tuple[Expression, ...]
    binder: Binder | None = None
    """The index, for facts about parts of an array."""
    is_weaker: bool = False
    """Whether the last group that is not weaker itself says more, if it says something of the whole."""

    def fact(self, stretch: Expression, option: Expression) -> Expression:
        if self.binder is None:
            return option
        return Quantified(True, (self.binder,), _implies(stretch, option))


@dataclass(frozen=True)
class Place:
    """Where A(k) comes next, or the end."""

    program: ActionProgram
    action: str | None
    arguments: tuple[str, ...]
    has_index: bool

    def when(self, fact: Expression) -> When:
        return When(self.action, self.arguments, fact)

    def groups(self) -> Iterator[Group]:
        """Yields what facts may be about."""
        if self.has_index:
            yield Group((*(_within(_K, range_) for range_ in self.size_ranges), _at_most(_ONE, _K)))
        yield from self.stated()
        for each in self.collected:
            if any(
                isinstance(part, Aggregate) and part.fold is not Fold.MAX for part in subexpressions(each)
            ):
                yield Group(tuple(_equal(each, other) for other in (_ZERO, *self.sizes)))
                yield Group((_at_most(_ZERO, each),), is_weaker=True)
        for variable in self.program.variables:
            if variable.name in self.changing:
                yield from self._about(variable)
        for action in self.program.actions:
            if action.name != MAIN:
                yield from self._about_pending(action)

    def cases(self) -> Iterator[Expression]:
        """Conditions on which facts may depend."""
        if self.has_index:
            yield from (_equal(_K, _ONE), _less(_ONE, _K))
        for variable in self.program.variables:
            match variable.type, variable.ranges:
                case Collection(kind=CollectionKind.QUEUE, message=(IntType(),)), ():
                    head = First(Target(variable.name))
                    some = _less(_ZERO, Size(Target(variable.name)))
                    for number in self.literals:
                        yield _both(some, _equal(head, Constant(number)))
                        yield _both(some, _compare("!=", head, Constant(number)))
                case Collection(kind=CollectionKind.BAG, message=(part,)), ():
                    for message in self._messages(part):
                        copies = Copies((message,), Target(variable.name))
                        yield from (_less(_ZERO, copies), _equal(copies, _ZERO))
                case _:
                    pass

    def _messages(self, part: ValueType) -> tuple[Expression, ...]:
        """Messages that are told apart."""
        match part:
            case IntType():
                return tuple(map(Constant, self.literals))
            case EnumType():
                return _symbols(part)
            case _:
                return ()

    def cases_of_what_is_stated(self) -> Iterator[Expression]:
        """Conditions on which what the program ensures may depend."""
        for variable in self.program.variables:
            if variable.ranges or variable.name not in self.changing:
                continue
            match variable.type:
                case IntType():
                    numbers = (_moved(_K, -1), _K) if self.has_index else self.sizes
                    yield from (_equal(Cell(variable.name), each) for each in numbers)
                case EnumType() as type_:
                    yield from (_equal(Cell(variable.name), each) for each in _symbols(type_))
                case _:
                    pass

    # --- numbers and stretches ----------------------------------------------------------------------------

    @cached_property
    def changing(self) -> frozenset[str]:
        return assigned_globals(self.program)

    @cached_property
    def size_ranges(self) -> tuple[Between, ...]:
        return tuple(Between(_ONE, Parameter(size.name)) for size in self.program.sizes)

    @cached_property
    def sizes(self) -> tuple[Expression, ...]:
        return tuple(Parameter(size.name) for size in self.program.sizes)

    @cached_property
    def texts(self) -> tuple[Expression, ...]:
        """All expressions of the program."""
        proof = self.program.proof
        facts = (*self.program.initially, *(proof.ensures if proof is not None else ()))
        bodies = [
            each
            for action in self.program.actions
            for statement in statements(action.body)
            for each in expressions_of(statement)
        ]
        return (*(fact.condition for fact in facts), *bodies)

    @cached_property
    def literals(self) -> tuple[int, ...]:
        """The numbers that the program mentions."""
        found = {
            each.value
            for text in self.texts
            for each in subexpressions(text)
            if isinstance(each, Constant) and not isinstance(each.value, bool)
        }
        return tuple(sorted(found, key=lambda value: (abs(value), value))[:MAX_LITERALS])

    @cached_property
    def numbers(self) -> tuple[Expression, ...]:
        """Numbers with which a cell may be compared."""
        found: list[Expression] = [_ZERO, _ONE]
        for variable in self.program.variables:
            initial = variable.initial
            if isinstance(initial, Constant) and not isinstance(initial.value, bool):
                found.append(initial)
        found += self.sizes
        if self.has_index:
            found += [_K, _moved(_K, -1), _moved(_K, 1)]
        found += [
            Cell(each.name)
            for each in self.program.variables
            if isinstance(each.type, IntType) and not each.ranges
        ]
        return tuple(dict.fromkeys((*found, *self.collected)))

    @cached_property
    def collected(self) -> tuple[Expression, ...]:
        """Terms to compare with: the largest element of each array that no action changes, the sums in the
        program, each size minus each sum, and elements of such arrays at an index that stays the same."""
        found: list[Expression] = [
            Aggregate(Fold.MAX, Cell(each.name, (_I,)), Binder("i", each.ranges[0]))
            for each in self.program.variables
            if each.name not in self.changing and isinstance(each.type, IntType) and len(each.ranges) == 1
        ]
        sums = dict.fromkeys(
            each
            for text in self.texts
            for each in subexpressions(text)
            if isinstance(each, Aggregate) and each.fold is not Fold.MAX and not _locals(each)
        )
        for each in sums:
            found.append(each)
            found += [Apply("-", (size, each)) for size in self.sizes]
        for one, other in product(self.program.variables, repeat=2):
            is_array = isinstance(one.type, IntType) and len(one.ranges) == 1
            is_index = isinstance(other.type, IntType) and not other.ranges
            if is_array and is_index and not {one.name, other.name} & self.changing:
                found.append(Cell(one.name, (Cell(other.name),)))
        return tuple(found)

    def stretches(self, group: Group) -> tuple[Expression, ...]:
        """Parts of an array, as conditions on its index; larger ones first."""
        if not self.has_index or group.binder is None:
            return (_TRUE,)
        operators: tuple[Op, ...] = (
            ">=",
            "!=",
            "<",
            ">",
            "==",
        )
        index = Variable(group.binder.name)
        return (_TRUE, *(_compare(operator, index, _K) for operator in operators))

    # --- facts --------------------------------------------------------------------------------------------

    def stated(self) -> Iterator[Group]:
        """Yields what the program ensures, and what its actions assert about globals; also for stretches
        only."""
        proof = self.program.proof
        stated = [fact.condition for fact in (proof.ensures if proof is not None else ())]
        stated += [
            statement.condition
            for action in self.program.actions
            for statement in statements(action.body)
            if isinstance(statement, Assert) and not _locals(statement.condition)
        ]
        for each in stated:
            inside = (part for part in subexpressions(each) if isinstance(part, Quantified))
            for part in dict.fromkeys((each, *inside)):
                if not _locals(part):
                    yield self._stated(part)

    def _stated(self, fact: Expression) -> Group:
        match fact:
            case Quantified(for_all=True, binders=(Binder(domain=Between()) as binder,), body=body):
                return Group((body,), binder)
            case _:
                return Group((fact,))

    def _about_pending(self, action: Action) -> Iterator[Group]:
        counts = (_ZERO, _ONE)
        types = [argument.type for argument in action.arguments]
        if not types:
            yield Group(tuple(_equal(Pending(action.name, ()), count) for count in counts))
            return
        if len(types) > 1 or not isinstance(types[0], IntType):
            return
        here = Pending(action.name, (_J,))
        nowhere = _all(_J, Integers(), _equal(here, _ZERO))
        yield Group((nowhere,))
        for range_ in self._ranges_of(action):
            options = tuple(_equal(here, count) for count in counts)
            yield Group(options, Binder("j", range_), is_weaker=True)
        if self.has_index:
            others = (_moved(_K, 1), _moved(_K, -1))
            for at in others if action.name == self.action else (_K, *others):
                yield Group((_equal(Pending(action.name, (at,)), _ONE),))

    def _ranges_of(self, action: Action) -> Iterator[Between]:
        """The ranges over which the program starts instances; all sizes if it starts none in a loop."""
        found = [
            statement.range
            for each in self.program.actions
            for statement in statements(each.body)
            if isinstance(statement, For)
            and any(isinstance(inner, Async) and inner.action == action.name for inner in statement.body)
            and not any(isinstance(part, Variable) for part in (statement.range.low, statement.range.high))
        ]
        yield from dict.fromkeys(found or self.size_ranges)

    def _about(self, variable: Global) -> Iterator[Group]:
        match variable.type, variable.ranges:
            case Collection(kind=CollectionKind.BAG), _:
                yield from self._about_bag(variable)
            case Collection(kind=CollectionKind.QUEUE), ():
                yield from self._about_queue(variable)
            case Collection(), _:
                return
            case IntType() | BoolType() | EnumType() as type_, ():
                values = tuple(self._values(variable, type_, ()))
                yield Group(tuple(_equal(Cell(variable.name), value) for value in values))
                if isinstance(type_, IntType):
                    yield Group((_at_most(_ZERO, Cell(variable.name)),), is_weaker=True)
                    upper = [each for each in self.numbers[2:] if each != Cell(variable.name)]
                    moved = (_moved(_K, -1), _K) if self.has_index else ()
                    bounds = tuple(_at_most(Cell(variable.name), each) for each in (*moved, *upper))
                    yield Group(bounds, is_weaker=True)
            case IntType() | BoolType() | EnumType() as type_, (range_,):
                values = tuple(self._values(variable, type_, (_J,)))
                options = tuple(_equal(Cell(variable.name, (_J,)), value) for value in values)
                yield Group(options, Binder("j", range_))
            case _:
                return

    def _values(
        self, variable: Global, type_: ValueType, indices: tuple[Expression, ...]
    ) -> Iterator[Expression]:
        """Values that a cell may be equal to."""
        match type_:
            case IntType():
                yield from (each for each in self.numbers if each != Cell(variable.name))
            case BoolType():
                yield from (Constant(False), Constant(True))
            case EnumType():
                yield from _symbols(type_)
                for other in self.program.variables:
                    if other.type == variable.type and not other.ranges and other.name != variable.name:
                        yield Cell(other.name)
            case _:
                return
        if variable.initial is None:
            old = Cell(variable.name, indices, old=True)
            yield old
            if isinstance(type_, IntType):
                yield from (_moved(old, 1), _moved(old, -1))

    def _about_queue(self, variable: Global) -> Iterator[Group]:
        size = Size(Target(variable.name))
        yield Group(tuple(_equal(size, each) for each in (_ZERO, _ONE)))
        head = First(Target(variable.name))
        yield Group(tuple(_implies(_less(_ZERO, size), _equal(head, each)) for each in self.numbers))

    # --- bags ---------------------------------------------------------------------------------------------

    def _about_bag(self, variable: Global) -> Iterator[Group]:
        type_ = variable.type
        assert isinstance(type_, Collection)
        if len(type_.message) != 1 or len(variable.ranges) > 1:
            return
        (part,) = type_.message
        domain: Domain = Integers()
        if isinstance(part, EnumType):
            domain = Members(part.name, len(part.members))
        elif not isinstance(part, IntType):
            return
        indices: tuple[Expression, ...] = (_J,) if variable.ranges else ()
        binder = Binder("j", variable.ranges[0]) if variable.ranges else None
        target = Target(variable.name, indices)
        copies = Copies((_V,), target)
        yield Group(tuple(_all(_V, domain, _equal(copies, each)) for each in self._contents(part)), binder)
        if not isinstance(part, IntType):
            return
        bounds = (_implies(_less(_ZERO, copies), _at_most(_V, each)) for each in self.collected)
        yield Group(tuple(_all(_V, domain, each) for each in bounds), binder)
        for each in self.program.variables:
            is_array = isinstance(each.type, IntType) and len(each.ranges) == 1
            if is_array and each.name not in self.changing:
                there = _less(_ZERO, Copies((Cell(each.name, (_I,)),), target))
                ends = (_TRUE, _less(_I, _K)) if self.has_index else (_TRUE,)
                yield Group(tuple(_all(_I, each.ranges[0], _implies(end, there)) for end in ends), binder)
        if self.speaks_of_sizes:
            yield Group(tuple(_equal(Size(target), each) for each in self.numbers), binder)

    @cached_property
    def speaks_of_sizes(self) -> bool:
        """Whether the program speaks of sizes of bags, or receives any messages in a loop."""
        proof = self.program.proof
        if proof is None:
            return False
        found = proof_expressions(self.program, proof)
        return any(isinstance(each, Size) for text in found for each in subexpressions(text))

    def _contents(self, part: ValueType) -> Iterator[Expression]:
        """How often a bag may contain the message v."""
        yield _ZERO
        if isinstance(part, EnumType):
            cells: list[Expression] = [
                Cell(each.name) for each in self.program.variables if each.type == part and not each.ranges
            ]
            cells += _symbols(part)
            yield from (_bracket(_equal(_V, each)) for each in cells)
            return
        yield from (_bracket(_equal(_V, each)) for each in self.numbers)
        for senders in self.size_ranges:
            inside = _within(_V, senders)
            yield _bracket(inside)
            if self.has_index:
                operators: tuple[Op, ...] = ("<", ">=", ">")
                yield from (_bracket(_both(inside, _compare(each, _V, _K))) for each in operators)


def _symbols(type_: EnumType) -> tuple[Symbol, ...]:
    return tuple(Symbol(type_.name, member, at) for at, member in enumerate(type_.members))


_PARTS = (
    frozenset(range(6)),
    frozenset((1, 4, 5)),
    frozenset((2, 3, 4)),
    frozenset((3,)),
    frozenset((4,)),
    frozenset((5,)),
)
"""For each stretch, by its place in the list, those that it includes."""


def with_parts(covered: frozenset[int]) -> frozenset[int]:
    """Adds the parts of what is covered, and what consists of covered parts: before k, after k, at k."""
    found = covered.union(*(_PARTS[number] for number in covered))
    return found.union(number for number, parts in enumerate(_PARTS) if parts & {3, 4, 5} <= found)
