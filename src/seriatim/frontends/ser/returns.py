"""`return` from a `fun`, in terms of the core, in which `return` ends the whole handler.

Every `return` is a statement here (SER041). Where nothing comes after it, its value simply is that of the
function. Otherwise two locals remember that the function has returned, and what; what would come after is
skipped. Claim: the value and the effects are those of a function that stops at its first `return`. For the
flag is 0 from where it is first looked at until a `return` is met, and nothing but tests of the flag is
evaluated from then on.
"""

from seriatim.frontends.ser.surface import Surface
from seriatim.program.syntax import (
    Assign,
    Connective,
    Expression,
    If,
    Logical,
    Number,
    Prefix,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    sequence,
)
from seriatim.source import Span


def may_return(expression: Expression) -> bool:
    """Whether a statement has a `return` in it."""
    match expression:
        case Return():
            return True
        case Sequence(items=items):
            return any(map(may_return, items))
        case If(then=then, otherwise=otherwise):
            return may_return(then) or (otherwise is not None and may_return(otherwise))
        case While(body=body):
            return may_return(body)
        case _:
            return False


def always_returns(expression: Expression | Surface) -> bool:
    """Whether nothing can come after it, as far as its form tells."""
    match expression:
        case Return():
            return True
        case Sequence(items=items):
            return any(map(always_returns, items))
        case If(then=then, otherwise=otherwise):
            return otherwise is not None and always_returns(then) and always_returns(otherwise)
        case _:
            return False


class Returns:
    """Rewrites the body of one function; `flag` and `result` are locals that nothing else uses."""

    def __init__(self, flag: str, result: str) -> None:
        self.flag = flag
        self.result = result

    def value(self, body: Expression) -> Expression:
        """The body without `return`; its value is what the function returns."""
        if not may_return(body):
            return body
        match body:
            case Return(value=value):
                return value
            case If(condition=condition, then=then, otherwise=otherwise, span=span):
                rest = None if otherwise is None else self.value(otherwise)
                return If(condition, self.value(then), rest, span)
            case Sequence(items=items):
                return self._sequence(items)
            case _:
                return self._guard(body, Number(0, body.span))

    def _sequence(self, items: tuple[Expression, ...]) -> Expression:
        at = next(index for index, item in enumerate(items) if may_return(item))
        before, item, rest = items[:at], items[at], items[at + 1 :]
        if not rest or always_returns(item):
            return sequence(*before, self.value(item))
        match item:
            case If(condition=condition, then=then, otherwise=otherwise, span=span) if always_returns(then):
                skipped = () if otherwise is None else (otherwise,)
                after = self.value(sequence(*skipped, *rest))
                return sequence(*before, If(condition, self.value(then), after, span))
            case _:
                return sequence(*before, self._guard(item, self.value(sequence(*rest))))

    def _guard(self, item: Expression, after: Expression) -> Expression:
        """An item, then, unless it has returned, what comes after."""
        span = item.span
        return sequence(
            Assign(self.flag, Number(0, span), span),
            self._effect(item),
            If(Read(self.flag, span), Read(self.result, span), after, span),
        )

    def _not_yet(self, span: Span) -> Expression:
        return Unary(Prefix.NOT, Read(self.flag, span), span)

    def _effect(self, item: Expression) -> Expression:
        """Returns what an item does; a `return` sets the flag, and the rest of the item is skipped."""
        if not may_return(item):
            return item
        span = item.span
        match item:
            case Return(value=value):
                return sequence(
                    Assign(self.result, value, span),
                    Assign(self.flag, Number(1, span), span),
                )
            case If(condition=condition, then=then, otherwise=otherwise):
                rest = None if otherwise is None else self._effect(otherwise)
                return If(condition, self._effect(then), rest, span)
            case While(condition=condition, body=body):
                again = Logical(Connective.AND, self._not_yet(span), condition, condition.span)
                return While(again, self._effect(body), span)
            case Sequence(items=(first, *others)):
                rest = self._effect(sequence(*others))
                if not may_return(first):
                    return sequence(first, rest)
                return sequence(self._effect(first), If(self._not_yet(span), rest, None, span))
            case _:
                raise ValueError("a `return` that is not a statement")
