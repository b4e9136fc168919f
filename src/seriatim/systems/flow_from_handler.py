"""Builds the control-flow graph of a handler: one walk over its code, in the order of evaluation.

Effects inside operands and conditions are taken out in that order, through temporaries: `X + (X := 1)`
first copies X. A value that is returned by `Builder.value` is side-effect-free and holds until the next
effect.
"""

from collections.abc import Callable
from typing import assert_never

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
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    sequence,
)
from seriatim.source import Span
from seriatim.systems.control_flow import (
    PAUSED,
    Choose,
    Continuation,
    Fail,
    Finish,
    FlowBlock,
    FlowBranch,
    Goto,
    Graph,
    Pause,
    Statement,
    Terminator,
)

MAX_EXPRESSION_DEPTH = 30
"""Deeper side-effect-free expressions are cut by temporaries: Python nests parentheses to 200 levels only."""


def control_flow(handler: Handler) -> Graph:
    """The graph of a handler. Recurses as deep as the handler nests: see `seriatim.program.recursion`."""
    builder = Builder()
    builder.finish(handler.body, handler.span)
    return Graph(tuple(builder.blocks), frozenset(builder.loop_heads))


def depth_if_pure(expression: Expression) -> int | None:
    """The depth of an expression without effects, or None if it has some or is deeper than we keep whole."""
    match expression:
        case Number() | Read():
            return 1
        case Unary(operand=operand):
            depths = [depth_if_pure(operand)]
        case Binary(left=left, right=right) | Logical(left=left, right=right):
            depths = [depth_if_pure(left), depth_if_pure(right)]
        case _:
            return None
    deepest = 0
    for depth in depths:
        if depth is None or depth >= MAX_EXPRESSION_DEPTH:
            return None
        deepest = max(deepest, depth)
    return deepest + 1


class Builder:
    """Builds a graph by walking the expression once, in the order of evaluation."""

    def __init__(self) -> None:
        self.blocks = [FlowBlock()]
        self.loop_heads: set[int] = set()
        self.current = 0
        self.rest: Continuation | None = None
        self.held: tuple[str, ...] = ()
        self.temporaries = 0

    # --- blocks -------------------------------------------------------------------------------------------

    def block(self) -> int:
        self.blocks.append(FlowBlock())
        return len(self.blocks) - 1

    def end(self, terminator: Terminator, then: int) -> None:
        """Closes the current block; code goes on in the block `then`."""
        self.blocks[self.current].terminator = terminator
        self.current = then

    def assign(self, target: str, value: Expression, span: Span) -> None:
        self.blocks[self.current].statements.append(Statement(target, value, span))

    def temporary(self) -> str:
        self.temporaries += 1
        return f"%{self.temporaries}"

    def save(self, value: Expression, span: Span) -> Expression:
        """The value, safe from the effects to come."""
        if isinstance(value, Number):
            return value
        name = self.temporary()
        self.assign(name, value, span)
        return Read(name, span)

    def inside(self, frame: Callable[[Expression], Expression], expression: Expression) -> Expression:
        """The value of an expression that stands in a frame."""
        outer = self.rest
        self.rest = Continuation(frame, outer)
        value = self.value(expression)
        self.rest = outer
        return value

    # --- expressions --------------------------------------------------------------------------------------

    def finish(self, expression: Expression, span: Span) -> None:
        """Evaluates an expression in tail position and answers with its value."""
        match expression:
            case Sequence(items=items):
                self.discard_all(items[:-1], items[-1:])
                self.finish(items[-1], items[-1].span)
            case If(condition=condition, then=then, otherwise=otherwise, span=place):
                test = self.inside(lambda e: If(e, then, otherwise, place), condition)
                yes, no = self.block(), self.block()
                self.end(FlowBranch(test, yes, no, condition.span), yes)
                self.finish(then, then.span)
                self.current = no
                self.finish(otherwise or Number(0, place), place if otherwise is None else otherwise.span)
            case Return(value=value):
                outer, held = self.rest, self.held
                self.rest, self.held = Continuation(lambda e: Return(e, expression.span), None), ()
                self.finish(value, expression.span)
                self.rest, self.held = outer, held
            case _:
                value = self.value(expression)
                self.blocks[self.current].terminator = Finish(value, span)

    def value(self, expression: Expression) -> Expression:  # noqa: C901 - an arm a case
        """Emits the effects of an expression; returns its value as an expression without any."""
        if depth_if_pure(expression) is not None:
            return expression
        span = expression.span
        match expression:
            case Number() | Read():
                return expression
            case Choice():
                name, after = self.temporary(), self.block()
                self.end(Choose(name, after, span), after)
                return Read(name, span)
            case Yield():
                after = self.block()
                self.end(Pause(after, span, self.rest, self.held), after)
                return Number(0, span)
            case Assign(name=name, value=value):
                self.assign(name, self.inside(lambda e: Assign(name, e, span), value), span)
                return Read(name, span)
            case Unary(operator=prefix, operand=operand):
                inner = self.inside(lambda e: Unary(prefix, e, span), operand)
                return self.keep_shallow(Unary(prefix, inner, span))
            case Binary(operator=operator, left=left, right=right):
                return self.binary(operator, left, right, span)
            case Logical(connective=connective, left=left, right=right):
                return self.logical(connective, left, right, span)
            case If():
                return self.conditional(expression)
            case While():
                self.loop(expression)
                return Number(0, span)
            case Return():
                self.finish(expression, span)
                self.current = self.block()  # unreachable: nothing leads here
                return Number(0, span)
            case Cell() | AssignCell():
                raise AssertionError("what unfolds has finitely many cells")
            case Fault():
                self.end(Fail(expression), self.block())  # nothing leads to that block
                return Number(0, span)
            case Sequence(items=items):
                self.discard_all(items[:-1], items[-1:])
                return self.value(items[-1])
            case _:
                assert_never(expression)

    def keep_shallow(self, value: Expression) -> Expression:
        return value if depth_if_pure(value) is not None else self.save(value, value.span)

    def binary(self, operator: Operator, left: Expression, right: Expression, span: Span) -> Expression:
        first = self.inside(lambda e: Binary(operator, e, right, span), left)
        held = self.held
        if depth_if_pure(right) is None:
            first = self.save(first, left.span)
            if isinstance(first, Read):
                self.held = (*held, first.name)
        second = self.inside(lambda e: Binary(operator, first, e, span), right)
        self.held = held
        return self.keep_shallow(Binary(operator, first, second, span))

    def logical(self, connective: Connective, left: Expression, right: Expression, span: Span) -> Expression:
        first = self.inside(lambda e: Logical(connective, e, right, span), left)
        more, decided, join = self.block(), self.block(), self.block()
        result = self.temporary()
        conjunction = connective is Connective.AND
        yes, no = (more, decided) if conjunction else (decided, more)
        self.end(FlowBranch(first, yes, no, left.span), decided)
        self.assign(result, Number(0 if conjunction else 1, span), span)
        self.end(Goto(join), more)
        second = self.inside(lambda e: Unary(Prefix.NOT, Unary(Prefix.NOT, e, span), span), right)
        self.assign(result, Binary(Operator.UNEQUAL, second, Number(0, span), span), span)
        self.end(Goto(join), join)
        return Read(result, span)

    def conditional(self, expression: If[Expression]) -> Expression:
        span = expression.span
        result = self.temporary()

        def branch(part: Expression | None) -> None:
            value = Number(0, span) if part is None else self.value(part)
            self.assign(result, value, span)

        self.branches(expression, branch)
        return Read(result, span)

    def branches(self, expression: If[Expression], emit: Callable[[Expression | None], None]) -> None:
        """Both branches, each emitted by `emit`, up to where they meet again."""
        then, otherwise, span = expression.then, expression.otherwise, expression.span
        test = self.inside(lambda e: If(e, then, otherwise, span), expression.condition)
        yes, no, join = self.block(), self.block(), self.block()
        self.end(FlowBranch(test, yes, no, expression.condition.span), yes)
        emit(then)
        self.end(Goto(join), no)
        emit(otherwise)
        self.end(Goto(join), join)

    def loop(self, expression: While[Expression]) -> None:
        condition, body, span = expression.condition, expression.body, expression.span
        head = self.block()
        self.loop_heads.add(head)
        self.end(Goto(head), head)
        test = self.inside(lambda e: If(e, sequence(body, expression), Number(0), span), condition)
        inner, after = self.block(), self.block()
        self.end(FlowBranch(test, inner, after, condition.span), inner)
        self.discard_all((body,), (expression,))
        self.end(Goto(head), after)

    # --- statements: expressions whose value nobody uses ----------------------------------------------------

    def discard_all(self, items: tuple[Expression, ...], then: tuple[Expression, ...]) -> None:
        """Emits the items for their effects; `then` is what follows them."""
        outer = self.rest
        for index, item in enumerate(items):

            def frame(e: Expression, following: int = index + 1) -> Expression:
                rest = (*items[following:], *then)
                return sequence(*rest) if e is PAUSED else sequence(e, *rest)

            self.rest = Continuation(frame, outer)
            self.discard(item)
        self.rest = outer

    def discard(self, expression: Expression) -> None:
        match expression:
            case If():
                self.branches(expression, lambda part: None if part is None else self.discard(part))
            case Sequence(items=items):
                self.discard_all(items[:-1], items[-1:])
                self.discard(items[-1])
            case _:
                value = self.value(expression)
                if isinstance(expression, Unary | Binary | Logical | Read):
                    self.save(value, expression.span)  # as in the semantics, what it reads stays live
