"""Translates a program's text to the tree that the kernel reads; arrays, ranges and locks stay as written.

Constants and arguments are replaced by their numbers, `for` by its rounds, and calls by what they call, with
locals of its own. An element whose index is a number is the variable with this index. Apart from that, nodes
of the text become nodes of the tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import cast

from seriatim.export.kernel.written import (
    AnyOf,
    Claimed,
    Fit,
    GetCell,
    SetCell,
    Take,
    TakeCell,
    Wait,
    Written,
    may_yield,
    variables,
)
from seriatim.frontends.languages import SER, language_of
from seriatim.frontends.ser.core_terms import fold
from seriatim.frontends.ser.desugar import range_of
from seriatim.frontends.ser.parser import parse_surface
from seriatim.frontends.ser.returns import Returns
from seriatim.frontends.ser.scope import SCALAR, Scope, Shape, Size, cells, read_scope
from seriatim.frontends.ser.surface import (
    Assert,
    AssignElement,
    Await,
    Call,
    Choose,
    Definition,
    Element,
    For,
    Lock,
    Marked,
    Parameter,
    Request,
    Surface,
    Unlock,
    walk,
)
from seriatim.program.changing import map_children
from seriatim.program.inputs import Input
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import (
    Assign,
    Binary,
    Expression,
    If,
    Logical,
    Number,
    Operator,
    Program,
    Read,
    Sequence,
    Unary,
    is_global,
    sequence,
    yields,
)
from seriatim.source import Findings, SourceText


class NotAsWritten(Exception):
    """The kernel has no construct for a part of this program."""


def as_written(source: SourceText, program: Input) -> tuple[Written, ...] | None:
    """Returns what each handler of a program is in its text; None if the kernel can only read the core."""
    if not isinstance(program, Program) or language_of(source) is not SER:
        return None
    if program.unbounded_handlers or program.open_arrays:
        return None
    surface = parse_surface(source.text)
    findings = Findings()
    scope = read_scope(surface, findings)
    requests = [each for each in surface.definitions if isinstance(each, Request)]
    try:
        with deep_recursion():
            handlers = tuple(body for request in requests for body in bodies(request, scope, Size(findings)))
    except NotAsWritten:
        return None
    assert len(handlers) == len(program.handlers), "a text has the handlers of its program"
    if any(
        may_yield(mine) and not yields(h.body) for mine, h in zip(handlers, program.handlers, strict=True)
    ):
        return None  # Proofs that nobody yields are about the core.
    return handlers


def bodies(request: Request, scope: Scope, size: Size) -> Iterator[Written]:
    """One for each choice of arguments, in the order of the core's handlers."""
    ranges = [range_of(parameter, scope, size) for parameter in request.parameters]
    for arguments in product(*(values.all() for values in ranges)):
        yield Writing(scope, size).body(request, [Number(value) for value in arguments])


@dataclass(frozen=True, slots=True)
class WrittenFrame:
    """What names mean in a handler, or in a function that it calls."""

    suffix: str
    shapes: dict[str, Shape]
    known: dict[str, int]
    """Parameters and variables of `for` that are replaced by numbers."""


class Writing:
    """Writes one handler. Recurses: see `seriatim.program.recursion`."""

    def __init__(self, scope: Scope, size: Size) -> None:
        self.scope = scope
        self.size = size
        self.frame = WrittenFrame("", {}, {})
        self.depth = 0
        """How many calls are around whose arguments are not all known yet."""

    def body(self, definition: Definition, arguments: list[Written], suffix: str = "") -> Written:
        """Returns what a handler or a function does, with these arguments."""
        shapes = self.scope.shapes(definition.locals, self.size.findings)
        caller, self.frame = self.frame, WrittenFrame(suffix, shapes, {})
        assigned = {
            part.target.name if isinstance(part, Lock | Unlock) else part.name
            for part in walk(definition.body)
            if isinstance(part, Assign | Lock | Unlock)
        }
        given: list[Written] = []
        for parameter, value in zip(definition.parameters, arguments, strict=True):
            if parameter.values is not None:
                shapes[parameter.name] = Shape(values=range_of(parameter, self.scope, self.size))
            values = self.shape(parameter.name).values
            fits = isinstance(value, Number) and (values is None or value.value in values)
            if isinstance(value, Number) and fits and parameter.name not in assigned:
                self.frame.known[parameter.name] = value.value
            else:
                passed = value if fits else self.fit(parameter.name, value)
                given.append(Assign(parameter.name + suffix, passed))
        for variable in definition.locals:
            shape = shapes[variable.name]
            if shape.initial != 0:
                given += [Assign(cell, Number(shape.initial)) for cell in self.cells(variable.name)]
        code = self.code(definition.body)
        if suffix:
            flag, result = f"#returned{suffix}", f"#result{suffix}"
            code = Returns(flag, result).value(cast("Expression", code))
            begun = {part.name for part in given if isinstance(part, Assign)} | {flag, result}
            own = {name for name in variables(code) if name.partition("[")[0].endswith(suffix)}
            given += [Assign(name, Number(0)) for name in sorted(own - begun)]
        self.frame = caller
        return sequence(*given, code)

    def call(self, call: Call) -> Written:
        """If an argument may change what those before it have read, all are kept before any is passed.

        Where they are kept, no call among the arguments keeps its own."""
        function = self.scope.functions[call.name]
        suffix = f"@{function.name}"
        self.depth += 1
        values = [self.code(argument) for argument in call.arguments]
        self.depth -= 1
        first: list[Written] = []
        if not all(isinstance(value, Number | Read) for value in values[1:]):
            kept = [f"#{self.depth}#{place}{suffix}" for place in range(len(values))]
            first = [Assign(name, value) for name, value in zip(kept, values, strict=True)]
            values = [Read(name) for name in kept]
        return sequence(*first, self.body(function, values, suffix))

    def cells(self, name: str) -> tuple[str, ...]:
        return tuple(cells(self.name(name), self.shape(name)))

    def name(self, name: str) -> str:
        return name if is_global(name) else name + self.frame.suffix

    def shape(self, name: str) -> Shape:
        return (self.scope.globals if is_global(name) else self.frame.shapes).get(name, SCALAR)

    def code(self, surface: Surface) -> Written:  # noqa: C901 - an arm a case
        match surface:
            case Read(name=name):
                return self.read(name)
            case Assign(name=name, value=value):
                return Assign(self.name(name), self.fit(name, self.code(value)))
            case Element() | AssignElement() | Lock() | Unlock():
                return self.place(surface)
            case Choose(values=values):
                found = self.scope.range(values, self.size.findings)
                assert found is not None, "ranges have been checked"
                return AnyOf(found.low, found.high)
            case Await(condition=condition):
                return Wait(self.code(condition))
            case Assert(condition=condition):
                return Claimed(self.code(condition))
            case Call():
                return self.call(surface)
            case For(variable=variable, body=body):
                return self.rounds(variable, body)
            case Marked(statement=statement):
                return self.code(statement)
            case Binary(operator=Operator.MODULO, left=left, right=right):
                modulus = self.scope.value(right)
                assert modulus is not None, "moduli have been checked"
                whole: Written = Binary(Operator.MODULO, self.code(left), Number(modulus))
                return computed(whole, (left, Number(modulus)))
            case Unary(operand=operand):
                return computed(map_children(surface, self.code), (operand,))
            case Binary(left=left, right=right) | Logical(left=left, right=right):
                return computed(map_children(surface, self.code), (left, right))
            case If(condition=condition, then=then, otherwise=otherwise):
                test = self.code(condition)
                if isinstance(test, Number) and not isinstance(condition, Number):
                    taken = then if test.value != 0 else otherwise
                    return Number(0) if taken is None else self.code(taken)
                return If(test, self.code(then), None if otherwise is None else self.code(otherwise))
            case Sequence(items=items):
                return sequence(*map(self.code, items))
            case _:
                return map_children(surface, self.code)

    def read(self, name: str) -> Written:
        if name in self.scope.constants:
            return Number(self.scope.constants[name])
        known = self.frame.known.get(name)
        return Read(self.name(name)) if known is None else Number(known)

    def fit(self, name: str, value: Written) -> Written:
        """A value for a variable, or for an element of an array."""
        shape = self.shape(name)
        if shape.values is None:
            return value
        return Fit(shape.values.low, shape.values.high, shape.policy, value)

    def place(self, surface: Element | AssignElement | Lock | Unlock) -> Written:
        match surface:
            case Element(name=name, index=index):
                found = self.element(name, self.code(index))
                return Read(found) if isinstance(found, str) else GetCell(*found)
            case AssignElement(name=name, index=index, value=value):
                return self.assigned(name, self.code(index), self.code(value))
            case Unlock(target=Read(name=name)):
                return Assign(self.name(name), self.fit(name, Number(0)))
            case Unlock(target=Element(name=name, index=index)):
                return self.assigned(name, self.code(index), Number(0))
            case Lock(target=target):
                values = self.shape(target.name).values
                if values is not None and 1 not in values:
                    raise NotAsWritten
                if isinstance(target, Read):
                    return Take(self.name(target.name))
                found = self.element(target.name, self.code(target.index))
                return Take(found) if isinstance(found, str) else TakeCell(*found)
            case _:
                raise AssertionError("locks are variables and elements")

    def assigned(self, name: str, index: Written, value: Written) -> Written:
        found = self.element(name, index)
        fitting = self.fit(name, value)
        return Assign(found, fitting) if isinstance(found, str) else SetCell(*found, fitting)

    def element(self, name: str, index: Written) -> str | tuple[tuple[str, ...], Written]:
        """The variable that an element is, if the index says which one; otherwise all, and the index."""
        elements = self.cells(name)
        if isinstance(index, Number) and 0 <= index.value < len(elements):
            return elements[index.value]
        return elements, index

    def rounds(self, variable: Parameter, body: Surface) -> Written:
        written: list[Written] = []
        for value in range_of(variable, self.scope, self.size).all():
            self.frame.known[variable.name] = value
            written.append(self.code(body))
        del self.frame.known[variable.name]
        return sequence(*written, Number(0))


def computed(code: Written, operands: tuple[Surface, ...]) -> Written:
    """Its value, if it follows from constants and arguments, as in the core.

    Only the operator and the numbers beside it are looked at, so it does not matter what else is in it."""
    return fold(cast("Expression", code), operands)
