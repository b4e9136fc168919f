"""Which values an arbitrary variable has to be tried with, and whether that is enough.
 A variable that holds any value is tried with all values of its type, if these are few. Otherwise it is
tried with *representatives*: every constant `c` of the program, `c - 1` and `c + 1`.
 Claim: for a class of variables that copies connect, representatives are enough if none of the class is an
operand of arithmetic, an id (in a program that joins), or compared with anything but constants. Why: the
constants cut the integers into stretches without a constant inside. Two values in one stretch give the same
truth value in every comparison that a value of the class can come into, and nothing else depends on it. So a
run with one of them is, with the other one in its place, a run, too. Bounds of ranges are constants here: to
copy an integer into a range compares it with both bounds. Every stretch that is not empty contains a
representative.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from seriatim.program.threads.expressions import (
    ARITHMETIC,
    COMPARISONS,
    Binary,
    Conditional,
    Constant,
    Expression,
    Unary,
    Value,
    Variable,
    fold,
    subexpressions,
    variables,
)
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

    def key(self, template: Template, name: str) -> Name:
        return (template.name, name) if name in template.types else ("", name)

    def values(self, template: Template, name: str) -> tuple[Value, ...]:
        """What to try for a variable as a template sees it."""
        return tried(self.program.type_of(template, name), self.representatives)

    def is_exact(self, template: Template, name: str) -> bool:
        """Whether these values stand for all."""
        type_ = self.program.type_of(template, name)
        return is_small(type_) or self.key(template, name) not in self.entangled


def is_small(type_: Type) -> bool:
    return isinstance(type_, Booleans) or (isinstance(type_, Range) and type_.high - type_.low < FEW)


def tried(type_: Type, representatives: tuple[int, ...]) -> tuple[Value, ...]:
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
    return Domains(program, representatives(program), entangled(program))


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


def entangled(program: ThreadProgram) -> frozenset[Name]:
    """The variables whose class is not only copied and compared with constants."""
    found = _Uses(program)
    tangled, pending = set(found.tangled), list(found.tangled)
    while pending:
        for other in found.copies.get(pending.pop(), ()):
            if other not in tangled:
                tangled.add(other)
                pending.append(other)
    return frozenset(tangled)


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
                        self.copy(self.name(template, target), template, fold(value))
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

    def name(self, template: Template, name: str) -> Name:
        return (template.name, name) if name in template.types else ("", name)

    def connect(self, one: Name, other: Name) -> None:
        self.copies.setdefault(one, set()).add(other)
        self.copies.setdefault(other, set()).add(one)

    def entangle(self, template: Template, expression: Expression) -> None:
        self.tangled.update(self.name(template, each) for each in variables(expression))

    def identify(self, template: Template, identity: Expression) -> None:
        self.look(template, identity)
        if self.program.has_joins:
            self.entangle(template, identity)

    def take(self, template: Template, join: Join) -> None:
        for finished in self.program.templates:
            if join.targets and results_fit(self.program, template, join, finished):
                for target, result in zip(join.targets, finished.results, strict=True):
                    self.connect(self.name(template, target), (finished.name, result))

    def copy(self, target: Name, template: Template, value: Expression) -> None:
        """A variable gets the value of an expression."""
        match value:
            case Variable(name=name):
                self.connect(target, self.name(template, name))
            case Conditional(condition=condition, then=then, otherwise=otherwise):
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
            case Binary(operator=operator, left=left, right=right) if operator in COMPARISONS:
                plain = {type(left), type(right)} == {Variable, Constant}
                if not plain:
                    self.entangle(template, expression)
            case Binary(operator=operator) if operator in ARITHMETIC:
                self.entangle(template, expression)
            case Unary(sign="-"):
                self.entangle(template, expression)
            case Unary(operand=operand):
                self.look(template, operand)
            case Binary(left=left, right=right):
                self.look(template, left)
                self.look(template, right)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                # Its value is an operand of something: as if it were compared.
                self.look(template, condition)
                self.look(template, then)
                self.look(template, otherwise)
            case _:
                assert_never(expression)
