"""Which values an arbitrary variable has to be tried with, and whether that is enough.
 A variable that holds any value is tried with all values of its type, if these are few. Otherwise it is
tried with *representatives*: every constant `c` of the program, `c - 1` and `c + 1`. Where these do not stand
for all values anyway, constants that no expression connects with the variable are left out.
 Claim: for a class of variables that copies connect, representatives are enough if none of the class is an
operand of arithmetic, an id (in a program that joins), or compared with anything but constants. Why: the
constants cut the integers into stretches without a constant inside. Two values in one stretch give the same
truth value in every comparison that a value of the class can come into, and nothing else depends on it. So a
run with one of them is, with the other one in its place, a run, too. Bounds of ranges are constants here: to
copy an integer into a range compares it with both bounds. Every stretch that is not empty contains a
representative.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from seriatim.closure import closure
from seriatim.program.threads.syntax import (
    Assert,
    Assign,
    Assume,
    Booleans,
    Fork,
    Havoc,
    Integers,
    Join,
    Range,
    Template,
    ThreadProgram,
    Type,
    actions,
    expressions,
    results_fit,
)
from seriatim.terms.expressions import (
    Apply,
    Constant,
    Expression,
    Value,
    Variable,
    fold,
    subexpressions,
    variables,
)
from seriatim.terms.operators import COMPARISONS

FEW = 64
"""How many values of a range are tried one by one."""

Name = tuple[str, str]
"""(template, local), or ("", global)."""


@dataclass(frozen=True)
class Domains:
    """What to try for arbitrary variables of a program."""

    program: ThreadProgram
    representatives: tuple[int, ...]
    entangled: frozenset[Name]
    """Variables of classes for which representatives are not enough."""
    near: dict[Name, tuple[int, ...]]
    """For those, the representatives to which something connects them."""

    def values(self, template: Template, name: str) -> tuple[Value, ...]:
        """Chooses what to try for a variable as a template sees it."""
        near = self.near.get(_name(template, name), self.representatives)
        return choose_values(self.program.type_of(template, name), near)

    def is_exact(self, template: Template, name: str) -> bool:
        """Whether these values stand for all."""
        type_ = self.program.type_of(template, name)
        return is_small(type_) or _name(template, name) not in self.entangled


def is_small(type_: Type) -> bool:
    return isinstance(type_, Booleans) or (isinstance(type_, Range) and type_.high - type_.low < FEW)


def choose_values(type_: Type, representatives: tuple[int, ...]) -> tuple[Value, ...]:
    match type_:
        case Booleans():
            return (False, True)
        case Range(low=low, high=high) if high - low < FEW:
            return tuple(range(low, high + 1))
        case Range(low=low, high=high):
            return tuple(each for each in representatives if low <= each <= high)
        case Integers():
            return representatives
        case _:
            assert_never(type_)


def domains(program: ThreadProgram) -> Domains:
    tangled = find_entangled(program)
    return Domains(program, representatives(program), tangled, near_constants(program, tangled))


def representatives(program: ThreadProgram) -> tuple[int, ...]:
    constants = {0, *bounds(program)}
    constants.update(int(value) for value in program.initial.values())
    for _, _, action in actions(program):
        for expression in expressions(action):
            for each in subexpressions(fold(expression)):
                if isinstance(each, Constant) and not isinstance(each.value, bool):
                    constants.add(each.value)
    return tuple(sorted({c + d for c in constants for d in (-1, 0, 1)}))


def bounds(program: ThreadProgram) -> Iterator[int]:
    for types in (program.types, *(template.types for template in program.templates)):
        for type_ in types.values():
            if isinstance(type_, Range):
                yield type_.low
                yield type_.high


def find_entangled(program: ThreadProgram) -> frozenset[Name]:
    """The variables whose class is not only copied and compared with constants."""
    found = _Uses(program)
    return frozenset(closure(found.tangled, lambda name: found.copies.get(name, ())))


def near_constants(program: ThreadProgram, names: frozenset[Name]) -> dict[Name, tuple[int, ...]]:
    """For each variable, the representatives of constants that expressions and copies connect with it."""
    groups = _Groups()
    for template, _, action in actions(program):
        targets: list[tuple[Name, ...]] = [()] * len(expressions(action))
        match action:
            case Assign(targets=written):
                targets = [(_name(template, each),) for each in written]
            case Fork(template=started):
                parameters = program.by_name[started].parameters
                targets = [(), *(((started, each),) for each in parameters)]
            case Join(targets=written):
                for finished in program.templates:
                    if results_fit(program, template, action, finished):
                        for target, result in zip(written, finished.results, strict=False):
                            groups.unite([_name(template, target), (finished.name, result)])
            case _:
                pass
        for expression, into in zip(expressions(action), targets, strict=True):
            for part in _parts(fold(expression)):
                inside = [_name(template, each) for each in sorted(variables(part))]
                groups.unite([*into, *inside], constants_in(part))
    return {name: groups.representatives(program, name) for name in names}


def constants_in(expression: Expression) -> set[int]:
    return {
        int(each.value)
        for each in subexpressions(expression)
        if isinstance(each, Constant) and not isinstance(each.value, bool)
    }


def _parts(expression: Expression) -> Iterator[Expression]:
    """Splits an expression into parts that do not meet in arithmetic or comparisons: operands of `&&` and its
    like, and of `?:`."""
    match expression:
        case Apply(op="!", arguments=(operand,)):
            yield from _parts(operand)
        case Apply(op="&&" | "||" | "==>", arguments=(left, right)):
            yield from _parts(left)
            yield from _parts(right)
        case _:
            yield expression


def _name(template: Template, name: str) -> Name:
    return (template.name, name) if name in template.types else ("", name)


class _Groups:
    """Variables that expressions connect, and the constants among them."""

    def __init__(self) -> None:
        self.leaders: dict[Name, Name] = {}
        self.constants: dict[Name, set[int]] = {}

    def leader(self, name: Name) -> Name:
        found = self.leaders.setdefault(name, name)
        while found != self.leaders[found]:
            found = self.leaders[found]
        self.leaders[name] = found
        return found

    def unite(self, names: list[Name], constants: Iterable[int] = ()) -> None:
        if not names:
            return
        first = self.leader(names[0])
        self.constants.setdefault(first, set()).update(constants)
        for each in names[1:]:
            other = self.leader(each)
            if other != first:
                self.leaders[other] = first
                self.constants[first] |= self.constants.pop(other, set())

    def representatives(self, program: ThreadProgram, name: Name) -> tuple[int, ...]:
        leader = self.leader(name)
        constants = {0, *self.constants.get(leader, ())}
        types = {"": program.types} | {template.name: template.types for template in program.templates}
        for each in self.leaders:
            if self.leader(each) == leader:
                type_ = types[each[0]][each[1]]
                constants.update((type_.low, type_.high) if isinstance(type_, Range) else ())
                if not each[0] and each[1] in program.initial:
                    constants.add(int(program.initial[each[1]]))
        return tuple(sorted({c + d for c in constants for d in (-1, 0, 1)}))


class _Uses:
    """What a program does with its variables."""

    def __init__(self, program: ThreadProgram) -> None:
        self.program = program
        self.tangled: set[Name] = set()
        self.copies: dict[Name, set[Name]] = {}
        for template, _, action in actions(program):
            match action:
                case Assign(targets=targets, values=values):
                    for target, value in zip(targets, values, strict=True):
                        self.copy(_name(template, target), template, fold(value))
                case Assume(condition=condition) | Assert(condition=condition):
                    self.look(template, fold(condition))
                case Fork(id=identity, template=started, arguments=arguments):
                    self.identify(template, identity)
                    parameters = program.by_name[started].parameters
                    for parameter, value in zip(parameters, arguments, strict=True):
                        self.copy((started, parameter), template, fold(value))
                case Join():
                    self.identify(template, action.id)
                    self.take(template, action)
                case Havoc():
                    pass
                case _:
                    assert_never(action)

    def connect(self, one: Name, other: Name) -> None:
        self.copies.setdefault(one, set()).add(other)
        self.copies.setdefault(other, set()).add(one)

    def entangle(self, template: Template, expression: Expression) -> None:
        self.tangled.update(_name(template, each) for each in variables(expression))

    def identify(self, template: Template, identity: Expression) -> None:
        self.look(template, identity)
        if self.program.has_joins:
            self.entangle(template, identity)

    def take(self, template: Template, join: Join) -> None:
        for finished in self.program.templates:
            if join.targets and results_fit(self.program, template, join, finished):
                for target, result in zip(join.targets, finished.results, strict=True):
                    self.connect(_name(template, target), (finished.name, result))

    def copy(self, target: Name, template: Template, value: Expression) -> None:
        """A variable gets the value of an expression."""
        match value:
            case Variable(name=name):
                self.connect(target, _name(template, name))
            case Apply(op="?", arguments=(condition, then, otherwise)):
                self.look(template, condition)
                self.copy(target, template, then)
                self.copy(target, template, otherwise)
            case _:
                self.look(template, value)

    def look(self, template: Template, expression: Expression) -> None:
        """An expression is evaluated, and its value is not copied."""
        match expression:
            case Constant() | Variable():
                pass
            case Apply(op=operator, arguments=(left, right)) if operator in COMPARISONS:
                plain = {type(left), type(right)} == {Variable, Constant}
                if not plain:
                    self.entangle(template, expression)
            case Apply(op="!" | "&&" | "||" | "==>" | "?", arguments=operands):
                for each in operands:  # The value of `?` is an operand of something: as if it were compared.
                    self.look(template, each)
            case Apply():
                self.entangle(template, expression)
            case _:
                assert_never(expression)
