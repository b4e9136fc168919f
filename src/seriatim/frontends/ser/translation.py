"""Expressions of the surface as expressions of the core, for one handler.

`docs/theory/desugaring.md` says why they mean the same. Core variables have names that no text can contain:
`A[2]` for an element, `x@f` for a local of the function f, `#1` for a value that is kept for a moment.
"""

from collections.abc import Callable
from collections.abc import Sequence as Items
from enum import Enum, auto

from seriatim.frontends.ser.core_terms import (
    Bounds,
    choose_value,
    clamp,
    fold,
    interval,
    is_quiet,
    outside,
    select,
    wrap,
)
from seriatim.frontends.ser.layout import report_depth
from seriatim.frontends.ser.returns import Returns
from seriatim.frontends.ser.scope import SCALAR, Frame, Scope, Shape, Size, Values, cells, core_name
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
    Policy,
    Surface,
    Unlock,
    walk,
)
from seriatim.program.changing import map_children
from seriatim.program.liveness import live_locals
from seriatim.program.syntax import (
    LEFT_OUT,
    MAX_DEPTH,
    POINT,
    Assign,
    AssignCell,
    Binary,
    Cell,
    Expression,
    Fault,
    If,
    Logical,
    Number,
    Operator,
    Prefix,
    Read,
    Sequence,
    Unary,
    While,
    Yield,
    is_global,
    sequence,
    yields,
)
from seriatim.source import Span


class Interference(Enum):
    """What can happen between the evaluation of a value and its use."""

    NOTHING = auto()
    OTHERS_RUN = auto()
    ANYTHING = auto()


class Translation:
    """Translates what one handler does. Recurses: see `seriatim.program.recursion`."""

    def __init__(self, scope: Scope, size: Size, is_open: bool = False) -> None:
        self.scope = scope
        self.is_open = is_open
        """Whether arrays with a cell for each integer keep all their cells."""
        self.size = size
        self.bounds: dict[str, Bounds] = {}
        """The bounds of core variables that have some."""
        self.kept = 0
        self.depth = 0
        for name, shape in scope.globals.items():
            self._bound(name, shape)

    def _bound(self, name: str, shape: Shape) -> None:
        if shape.values is not None:
            for each in cells(name, shape):
                self.bounds[each] = shape.values.low, shape.values.high

    def body(
        self, definition: Definition, frame: Frame, arguments: Items[tuple[Parameter, Expression]]
    ) -> Expression:
        """Returns what a handler or a function does, with the values of its parameters."""
        passed: list[Expression] = []
        for name, shape in frame.shapes.items():
            self._bound(name + frame.suffix, shape)
        assigned = {
            part.target.name if isinstance(part, Lock | Unlock) else part.name
            for part in walk(definition.body)
            if isinstance(part, Assign | Lock | Unlock)
        }
        for parameter, value in arguments:
            shape = frame.shapes.get(parameter.name, SCALAR)
            is_safe = isinstance(value, Number) or (isinstance(value, Read) and not is_global(value.name))
            before, fitting = self._fit(parameter.name, value, shape, parameter.span)
            passed += before
            if is_safe and parameter.name not in assigned and isinstance(fitting, Number | Read):
                frame.known[parameter.name] = fitting
            else:
                passed.append(Assign(parameter.name + frame.suffix, fitting, value.span))
        declared = self._initialize(definition, frame)
        body = self.expression(definition.body, frame)
        if not frame.suffix:
            return sequence(*passed, *declared, body)
        body = Returns(f"#returned{frame.suffix}", f"#result{frame.suffix}").value(body)
        given = {part.name for part in (*passed, *declared) if isinstance(part, Assign)}
        stale = sorted(
            name
            for name in live_locals(body) - given
            if name.partition("[")[0].endswith(frame.suffix) and not name.startswith("#")
        )
        span = definition.span
        fresh: list[Expression] = [Assign(name, Number(0, span), span) for name in stale]
        return sequence(*passed, *declared, *fresh, body)

    def _initialize(self, definition: Definition, frame: Frame) -> list[Expression]:
        """The declared locals get their values; those that are 0 anyway need nothing."""
        declared: list[Expression] = []
        for variable in definition.locals:
            shape = frame.shapes[variable.name]
            self.size.grow(shape.size or 1, variable.span)
            if shape.initial != 0:
                value = Number(shape.initial, variable.span)
                names = cells(variable.name + frame.suffix, shape)
                declared += [Assign(name, value, variable.span) for name in names]
        return declared

    # Expressions

    def expression(self, surface: Surface, frame: Frame) -> Expression:
        self.size.grow(1, surface.span)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            report_depth(surface.span, self.size.findings)
            raise self.size.findings.error()
        translated = self._translate(surface, frame)
        self.depth -= 1
        return translated

    def _translate(self, surface: Surface, frame: Frame) -> Expression:  # noqa: C901 - an arm a case
        span = surface.span
        match surface:
            case Read(name=name):
                return self._read(name, frame, span)
            case Assign(name=name, value=value):
                return self._assign(name, self.expression(value, frame), frame, span)
            case Element(name=name, index=index):
                before, place = self._keep(self.expression(index, frame), span, Interference.NOTHING)
                return sequence(*before, self._element(name, place, frame, span))
            case AssignElement(name=name, index=index, value=value):
                place_, new = self.expression(index, frame), self.expression(value, frame)
                return self._assign_element(name, place_, new, frame, span)
            case Choose(values=values):
                found = self.scope.range(values, self.size.findings)
                assert found is not None, "ranges have been checked"
                self.size.grow(len(found.all()), span)
                return choose_value(found.low, found.high, span)
            case Await(condition=condition):
                holds = self.expression(condition, frame)
                return While(Unary(Prefix.NOT, holds, condition.span), Yield(span), span)
            case Assert(condition=condition):
                return self._assert(self.expression(condition, frame), span)
            case Lock(target=target):
                return self._lock(target, frame, span)
            case Unlock(target=target):
                if isinstance(target, Read):
                    return self._assign(target.name, Number(0, span), frame, span)
                freed = self.expression(target.index, frame)
                return self._assign_element(target.name, freed, Number(0, span), frame, span)
            case Call():
                return self._call(surface, frame)
            case For(variable=variable, body=body):
                return self._for_each(variable, body, frame, span)
            case Marked(statement=statement):
                return self._mark(self.expression(statement, frame), span)
            case Binary(operator=Operator.MODULO, left=left, right=right):
                modulus = self.scope.value(right)
                assert modulus is not None, "moduli have been checked"
                whole = Binary(
                    Operator.MODULO, self.expression(left, frame), Number(modulus, right.span), span
                )
                return fold(whole, (left, Number(modulus)))
            case Unary(operand=operand):
                return fold(map_children(surface, lambda part: self.expression(part, frame)), (operand,))
            case Binary(left=left, right=right) | Logical(left=left, right=right):
                return fold(map_children(surface, lambda part: self.expression(part, frame)), (left, right))
            case If(condition=condition, then=then, otherwise=otherwise):
                test = self.expression(condition, frame)
                if isinstance(test, Number) and not isinstance(condition, Number):
                    taken = then if test.value != 0 else otherwise
                    return Number(0, span) if taken is None else self.expression(taken, frame)
                rest = None if otherwise is None else self.expression(otherwise, frame)
                return If(test, self.expression(then, frame), rest, span)
            case Sequence(items=items):
                return sequence(*(self.expression(item, frame) for item in items))
            case _:
                return map_children(surface, lambda part: self.expression(part, frame))

    def _for_each(self, variable: Parameter, body: Surface, frame: Frame, span: Span) -> Expression:
        """The body once for each value. No code assigns to the variable, so the number replaces it."""
        assert variable.values is not None, "the grammar asks for a range"
        values = self.scope.range(variable.values, self.size.findings)
        assert values is not None, "ranges have been checked"
        rounds: list[Expression] = []
        for value in values.all():
            frame.known[variable.name] = Number(value, variable.span)
            rounds.append(self.expression(body, frame))
        del frame.known[variable.name]
        return sequence(*rounds, Number(0, span))

    # Variables

    def _shape(self, name: str, frame: Frame) -> Shape:
        return (self.scope.globals if is_global(name) else frame.shapes).get(name, SCALAR)

    def _read(self, name: str, frame: Frame, span: Span) -> Expression:
        if name in self.scope.constants:
            return Number(self.scope.constants[name], span)
        match frame.known.get(name):
            case Number(value=value):
                return Number(value, span)
            case Read(name=other):
                return Read(other, span)
        return Read(core_name(name, frame), span)

    def _assign(self, name: str, value: Expression, frame: Frame, span: Span) -> Expression:
        before, fitting = self._fit(name, value, self._shape(name, frame), span)
        return sequence(*before, Assign(core_name(name, frame), fitting, span))

    def _fit(
        self, name: str, value: Expression, shape: Shape, span: Span
    ) -> tuple[list[Expression], Expression]:
        """Chooses what to do first, and the value that a variable of some shape then gets."""
        if shape.values is None:
            return [], value
        bounds = interval(value, self.bounds)
        if outside(value, bounds, shape.values, span) is None:
            return [], value
        if shape.policy is Policy.WRAP:
            return [], wrap(value, shape.values, span)
        before, kept = self._keep(value, span, Interference.NOTHING)
        test = outside(kept, bounds, shape.values, span)
        assert test is not None
        if shape.policy is Policy.SATURATE:
            if isinstance(kept, Number):
                return before, Number(min(max(kept.value, shape.values.low), shape.values.high), span)
            return before, clamp(kept, shape.values, span)
        fault = Fault("SER801", f"`{name}` gets a value outside {shape.values}", span)
        return [*before, fault if isinstance(kept, Number) else If(test, fault, None, span)], kept

    def _keep(
        self, value: Expression, span: Span, meanwhile: Interference
    ) -> tuple[list[Expression], Number | Read]:
        """Chooses what to do first, and a number or a variable that has the value until it is used."""
        if isinstance(value, Number):
            return [], value
        if isinstance(value, Read):
            is_local = not is_global(value.name)
            if meanwhile is Interference.NOTHING or (meanwhile is Interference.OTHERS_RUN and is_local):
                return [], value
        self.kept += 1
        name = f"#{self.kept}"
        self.bounds[name] = interval(value, self.bounds)
        return [Assign(name, value, span)], Read(name, span)

    # Arrays

    def _element(self, name: str, index: Number | Read, frame: Frame, span: Span) -> Expression:
        core = core_name(name, frame)
        shape = self._shape(name, frame)
        if self.is_open and shape.index is not None:
            return Cell(f"{core}[]", index, shape.initial, span)
        return self._select(name, index, frame, lambda i: Read(f"{core}[{i}]", span), span)

    def _assign_element(
        self, name: str, index: Expression, value: Expression, frame: Frame, span: Span
    ) -> Expression:
        core = core_name(name, frame)
        meanwhile = Interference.NOTHING if is_quiet(value) else Interference.ANYTHING
        before, place = self._keep(index, span, meanwhile)
        check, fitting = self._fit(f"{name}[…]", value, self._shape(name, frame), span)
        shape = self._shape(name, frame)
        kept: list[Expression] = []
        if self.is_open and shape.index is not None:
            stored = AssignCell(f"{core}[]", place, shape.initial, fitting, span)
            return sequence(*before, *check, stored)
        if not isinstance(place, Number):
            kept, fitting = self._keep(fitting, span, Interference.NOTHING)
        elif not 0 <= place.value < (self._shape(name, frame).size or 0):
            kept = [fitting]  # evaluated, though there is no element to store it in

        def leaf(i: int) -> Expression:
            return Assign(f"{core}[{i}]", fitting, span)

        return sequence(*before, *check, *kept, self._select(name, place, frame, leaf, span))

    def _select(
        self,
        name: str,
        index: Number | Read,
        frame: Frame,
        leaf: Callable[[int], Expression],
        span: Span,
    ) -> Expression:
        """Returns what `leaf` makes of the index, or a fault if the array has no such element."""
        shape = self._shape(name, frame)
        size = shape.size
        assert size is not None, "arrays have been checked"
        indices = Values(0, size - 1)
        fault: Expression = Fault("SER802", f"`{name}` has no such element: its indices are {indices}", span)
        if shape.index is not None:
            fault = LEFT_OUT
        if isinstance(index, Number):
            return leaf(index.value) if index.value in indices else fault
        self.size.grow(size, span)
        low, high = interval(index, self.bounds)
        first, last = int(max(low, 0)), int(min(high, size - 1))
        if first > last:
            return fault
        found = select(index, first, last, leaf, span)
        test = outside(index, (low, high), indices, span)
        return found if test is None else If(test, fault, found, span)

    def _lock(self, target: Read | Element, frame: Frame, span: Span) -> Expression:
        """Waits by yielding; the step in which the lock is found free takes it."""
        if isinstance(target, Read):
            taken = self._read(target.name, frame, target.span)
            take = self._assign(target.name, Number(1, span), frame, span)
            return sequence(While(taken, Yield(span), span), take)
        before, place = self._keep(self.expression(target.index, frame), span, Interference.OTHERS_RUN)
        taken = self._element(target.name, place, frame, target.span)
        take = self._assign_element(target.name, place, Number(1, span), frame, span)
        return sequence(*before, While(taken, Yield(span), span), take)

    def _assert(self, holds: Expression, span: Span) -> Expression:
        fault = Fault("SER803", "the assertion fails", span)
        if isinstance(holds, Number):
            return Number(0, span) if holds.value != 0 else fault
        return If(holds, Number(0, span), fault, span)

    def _mark(self, statement: Expression, span: Span) -> Expression:
        """No code reads what is assigned, so the mark changes nothing; runs show that it was executed."""
        if yields(statement):
            message = (
                "a statement that may yield is not a linearization point: it is executed in several steps"
            )
            hint = "mark the statement in it, or the one next to it, at which the request takes effect"
            self.size.findings.report("SER048", message, span, hint)
        return sequence(Assign(POINT, Number(1, span), span), statement)

    # Functions

    def _call(self, call: Call, frame: Frame) -> Expression:
        """The body of the function, with its own locals."""
        function = self.scope.functions[call.name]
        values = [self.expression(argument, frame) for argument in call.arguments]
        first: list[Expression] = []
        if not all(map(is_quiet, values[1:])):
            # An argument may change what those before it have read, or call the same function.
            for index, value in enumerate(values):
                before, values[index] = self._keep(value, value.span, Interference.ANYTHING)
                first += before
        inner = Frame(f"@{function.name}", self.shapes(function))
        arguments = list(zip(function.parameters, values, strict=True))
        return sequence(*first, self.body(function, inner, arguments))

    def shapes(self, definition: Definition) -> dict[str, Shape]:
        """Returns what a definition says of its locals and parameters."""
        shapes = self.scope.shapes(definition.locals, self.size.findings)
        for parameter in definition.parameters:
            if parameter.values is not None:
                values = self.scope.range(parameter.values, self.size.findings)
                shapes[parameter.name] = Shape(values=values)
        return shapes
