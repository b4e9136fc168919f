"""The meaning of names: declarations of a program as numbers, and names in a handler or function."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from seriatim.frontends.ser.surface import (
    Constant,
    Enumeration,
    Function,
    Interval,
    NamedRange,
    Policy,
    Range,
    Surface,
    SurfaceProgram,
    Variable,
)
from seriatim.frontends.ser.words import value_hint
from seriatim.program.semantics import Unbounded, apply
from seriatim.program.syntax import Binary, Number, Operator, Prefix, Read, Unary, is_global
from seriatim.source import Findings, Span, quote

MAX_SIZE = 10_000
"""How many elements an array, and how many values a range of a choice or of a parameter may have."""


EXAMPLE_CELLS = 3
"""How many cells an example has of an array that has one for each integer."""


@dataclass(frozen=True, slots=True)
class Values:
    """The integers from `low` to `high`; `names` are what an `enum` calls them."""

    low: int
    high: int
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name(self.low)}..{self.name(self.high)}"

    def __contains__(self, value: int) -> bool:
        return self.low <= value <= self.high

    def all(self) -> range:
        return range(self.low, self.high + 1)

    def name(self, value: int) -> str:
        """The name of a value."""
        return self.names[value - self.low] if self.names else str(value)


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known about a variable: its size if it is an array, its range, its initial value."""

    size: int | None = None
    values: Values | None = None
    policy: Policy = Policy.REFUSE
    initial: int = 0
    index: str | None = None
    """What an index is called, if there is a cell for each integer. The size is that of examples then."""


SCALAR = Shape()
"""A variable without a declaration."""


class Scope:
    """All declarations outside of handlers."""

    def __init__(self) -> None:
        self.constants: dict[str, int] = {}
        self.enumerations: dict[str, Values] = {}
        self.globals: dict[str, Shape] = {}
        self.functions: dict[str, Function] = {}

    def value(self, expression: Surface) -> int | None:
        """The value of an expression of numbers and constants; None for other expressions."""
        match expression:
            case Number(value=value):
                return value
            case Read(name=name):
                return self.constants.get(name)
            case Unary(operator=Prefix.MINUS, operand=operand):
                inner = self.value(operand)
                return None if inner is None else -inner
            case Binary(operator=operator, left=left, right=right):
                first, second = self.value(left), self.value(right)
                if first is None or second is None or (operator is Operator.MODULO and second <= 0):
                    return None
                try:
                    return apply(operator, first, second)
                except Unbounded:
                    return None
            case _:
                return None

    def constant(self, expression: Surface, what: str, findings: Findings) -> int | None:
        """The value of an expression that has to be a constant."""
        found = self.value(expression)
        if found is None:
            findings.report(
                "SER030",
                f"{what} is not a constant",
                expression.span,
                "write a number, a constant, or a sum or product of them" + self.suggestion(expression),
            )
        return found

    def suggestion(self, expression: Surface) -> str:
        """A constant that may have been meant by a name in an expression."""
        if not isinstance(expression, Read):
            return ""
        hint = value_hint(expression.name)
        return did_you_mean(expression.name, self.constants) if hint is None else f"; {hint}"

    def range(self, values: Range, findings: Findings) -> Values | None:
        """A range as numbers."""
        match values:
            case NamedRange(name=name, span=span):
                if name not in self.enumerations:
                    hint = "write `0..3`, or the name of an `enum`" + did_you_mean(name, self.enumerations)
                    findings.report("SER040", f"{quote(name)} is not a range", span, hint)
                return self.enumerations.get(name)
            case Interval(low=low, high=high, span=span):
                first = self.constant(low, "the first value of the range", findings)
                last = self.constant(high, "the last value of the range", findings)
                if first is None or last is None:
                    return None
                if first > last:
                    hint = f"begin with the least value; did you mean `{last}..{first}`?"
                    findings.report("SER031", f"the range {first}..{last} is empty", span, hint)
                    return None
                return Values(first, last)
            case _:
                assert_never(values)

    def enumerable(self, values: Range, findings: Findings) -> Values | None:
        """Evaluates a range; reports one that is too large to list its values, and returns None then."""
        found = self.range(values, findings)
        if found is not None and found.high - found.low >= MAX_SIZE:
            message = f"the range {found} has more than {MAX_SIZE:,} values"
            findings.report("SER031", message, values.span, "choose a smaller one")
            return None
        return found

    def shape(self, variable: Variable, findings: Findings) -> Shape:
        """The shape that a declaration gives, as far as it makes sense."""
        name = quote(variable.name)
        values = None
        size = None if variable.index is None else EXAMPLE_CELLS
        if variable.size is not None:
            size = self.constant(variable.size, f"the size of {name}", findings)
            if size is not None and not 0 < size <= MAX_SIZE:
                message = f"{name} cannot have {size:,} elements"
                findings.report("SER031", message, variable.size.span, f"write a size from 1 to {MAX_SIZE:,}")
                size = 1
            size = size or 1
        if variable.values is not None:
            values = self.range(variable.values, findings)
        initial = self._initial(variable, findings)
        if values is not None and initial is not None and initial not in values:
            findings.report(
                "SER032",
                f"the initial value {initial} of {name} is outside its range {values}",
                variable.span,
                "begin with a value of the range",
            )
        return Shape(size, values, variable.policy, initial or 0, variable.index)

    @property
    def kinds(self) -> frozenset[str]:
        """The names of indices of arrays with a cell for each integer."""
        return frozenset(shape.index for shape in self.globals.values() if shape.index is not None)

    def _initial(self, variable: Variable, findings: Findings) -> int | None:
        found = self.value(variable.initial)
        if found is None:
            findings.report(
                "SER021",
                f"the initial value of {quote(variable.name)} is not an integer constant",
                variable.initial.span,
                "write a number, with `-` before it if negative, or a constant; compute other values in a"
                " handler" + self.suggestion(variable.initial),
            )
        return found

    def shapes(self, variables: Iterable[Variable], findings: Findings) -> dict[str, Shape]:
        return {variable.name: self.shape(variable, findings) for variable in variables}


def read_scope(program: SurfaceProgram, findings: Findings) -> Scope:
    """The declarations of a program, in their order: each may use those before it."""
    scope = Scope()
    taken: dict[str, Span] = {}

    def declare(name: str, span: Span) -> None:
        if name in taken:
            hint = f"the other declaration is in line {taken[name].line}; rename one of them"
            findings.report("SER033", f"{quote(name)} is declared twice", span, hint)
        taken.setdefault(name, span)

    first: dict[str, Span] = {}
    for declaration in program.declarations:
        match declaration:
            case Constant(name=name, value=value, span=span):
                declare(name, span)
                number = scope.constant(value, f"the value of {quote(name)}", findings)
                scope.constants[name] = number or 0
            case Enumeration(name=name, members=members, span=span):
                for number, member in enumerate(members):
                    declare(member.name, member.span)
                    scope.constants[member.name] = number
                if name is not None and members:
                    declare(name, span)
                    names = tuple(member.name for member in members)
                    scope.enumerations[name] = Values(0, len(members) - 1, names)
            case Variable(name=name, span=span):
                if _is_new_global(declaration, first, findings):
                    declare(name, span)
                first.setdefault(name, span)
                scope.globals[name] = scope.shape(declaration, findings)
            case _:
                assert_never(declaration)
    for definition in program.definitions:
        if isinstance(definition, Function):
            scope.functions.setdefault(definition.name, definition)
    return scope


def _is_new_global(variable: Variable, first: dict[str, Span], findings: Findings) -> bool:
    name, span = variable.name, variable.span
    if not is_global(name):
        message = f"{quote(name)} is local to a request and has no initial value"
        hint = "globals begin with an uppercase letter; locals are 0 when a request begins"
        findings.report("SER026", message, span, hint)
    elif name in first:
        hint = f"the other one is in line {first[name].line}; remove one of them"
        findings.report("SER025", f"{quote(name)} has two initial values", span, hint)
    else:
        return True
    return False


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a hint: what may have been meant, if anything is like it."""
    from difflib import get_close_matches  # Only mistakes need it.

    close = get_close_matches(name, sorted(known), n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


MAX_PARTS = 500_000
"""The most parts of an expanded program; as many as the words that it may have."""


class Frame:
    """What names mean in a handler, or in a function that it calls."""

    def __init__(self, suffix: str, shapes: dict[str, Shape]) -> None:
        self.suffix = suffix
        self.shapes = shapes
        self.known: dict[str, Number | Read] = {}
        """Parameters that need no variable: their value is a number, or a local that keeps it."""


class Size:
    """The size of the expanded program so far."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.parts = 0

    def grow(self, parts: int, span: Span) -> None:
        self.parts += parts
        if self.parts > MAX_PARTS:
            self.findings.report(
                "SER043",
                f"written out, the program has more than {MAX_PARTS:,} parts",
                span,
                "use smaller ranges, fewer parameters, or fewer calls",
            )
            raise self.findings.error()


def core_name(name: str, frame: Frame) -> str:
    return name if is_global(name) else name + frame.suffix


def cells(name: str, shape: Shape) -> list[str]:
    """The core variables of a variable: its elements, if it is an array."""
    return [name] if shape.size is None else [f"{name}[{index}]" for index in range(shape.size)]
