"""Evaluates expressions; leaves calls to the execution of the program."""

from typing import Protocol

from seriatim.frontends.p4.kinds import BUILT_IN, Bits, Bool, Enumerated, Kind, Structure, Types, Whole
from seriatim.frontends.p4.machine.operators import binary, prefix, slice_bits
from seriatim.frontends.p4.machine.places import Place, Scope, SomeBits, Target, item_of, part_of
from seriatim.frontends.p4.machine.values import (
    Headers,
    Number,
    Symbol,
    Value,
    fit,
    initial,
    number,
    refuse,
    truth,
)
from seriatim.frontends.p4.syntax import Constant, EnumType
from seriatim.frontends.p4.terms import (
    Binary,
    Boolean,
    Call,
    Cast,
    Expression,
    Index,
    Literal,
    Member,
    Name,
    Operator,
    Slice,
    Ternary,
    Tuple,
    Unary,
)
from seriatim.source import Span


class Caller(Protocol):
    def call(self, call: Call, scope: Scope) -> Value: ...


class Evaluator:
    """Evaluates expressions from left to right; skips operands of `&&`, `||` and `?:` that do not count."""

    def __init__(self, types: Types, caller: Caller) -> None:
        self.types = types
        self._caller = caller

    def value(self, expression: Expression, scope: Scope) -> Value:
        match expression:
            case Literal(value=value, width=width, signed=signed):
                return Number(value) if width is None else Number(value, Bits(width, signed))
            case Boolean(value=value):
                return value
            case Unary(operator=sign, operand=operand, span=span):
                return prefix(sign, self.value(operand, scope), span)
            case Binary():
                return self._binary(expression, scope)
            case Ternary(condition=condition, then=then, otherwise=otherwise):
                return self.value(then if self.truth(condition, scope) else otherwise, scope)
            case Cast(type=written, operand=operand, span=span):
                return cast(self.value(operand, scope), self.types.resolve(written), span)
            case Tuple(items=items):
                return tuple(self.value(item.value, scope) for item in items)
            case Call():
                return self._caller.call(expression, scope)
            case _:
                return self._read(expression, scope)

    def truth(self, expression: Expression, scope: Scope) -> bool:
        return truth(self.value(expression, scope), expression.span)

    def number(self, expression: Expression, scope: Scope) -> int:
        return number(self.value(expression, scope), expression.span)

    def _binary(self, expression: Binary, scope: Scope) -> Value:
        left = self.value(expression.left, scope)
        if expression.operator in (Operator.AND, Operator.OR):
            decided = truth(left, expression.span)
            if decided == (expression.operator is Operator.OR):
                return decided
            return self.truth(expression.right, scope)
        return binary(expression.operator, left, self.value(expression.right, scope), expression.span)

    def _read(self, expression: Expression, scope: Scope) -> Value:
        """The value of an expression that reads a variable or a constant."""
        match expression:
            case Name(name=name, span=span):
                return self._read_name(name, scope, span)
            case Member(of=Name(name=enum), name=name, span=span) if scope.holder(enum) is None or isinstance(
                self._declaration(enum, scope), EnumType
            ):
                return self._read_member(enum, name, scope, span)
            case Member(of=of, name=name, span=span):
                return self._read_part(self.value(of, scope), name, span)
            case Index(of=of, index=index, span=span):
                return item_of(self.value(of, scope), self.number(index, scope), span).get()
            case Slice(of=of, high=high, low=low, span=span):
                value = self.value(of, scope)
                return slice_bits(value, self.number(high, scope), self.number(low, scope), span)
            case _:
                raise refuse("this has no value here", expression.span)

    def _declaration(self, name: str, scope: Scope) -> object:
        holder = scope.holder(name)
        return None if holder is None else holder.declared.get(name)

    def _read_name(self, name: str, scope: Scope, span: Span) -> Value:
        holder = scope.holder(name)
        if holder is None:
            raise refuse(f"nothing declares `{name}`", span)
        if name in holder.values:
            return holder.values[name]
        declared = holder.declared[name]
        if not isinstance(declared, Constant):
            raise refuse(f"`{name}` is not a value", span)
        return cast(self.value(declared.value, holder), self.types.resolve(declared.type), span)

    def _read_member(self, enum: str, name: str, scope: Scope, span: Span) -> Value:
        declared = self._declaration(enum, scope)
        if isinstance(declared, EnumType) and declared.underlying is not None:
            kind = self.types.resolve(declared.underlying)
            for member in declared.members:
                if member.name == name and member.value is not None:
                    return cast(self.value(member.value, scope), kind, span)
        kind = BUILT_IN.get(enum, Bool()) if declared is None else Enumerated(enum, ())
        if enum != "error" and not isinstance(kind, Enumerated):
            raise refuse(f"nothing declares `{enum}`", span)
        return Symbol(enum, name)

    def _read_part(self, value: Value, name: str, span: Span) -> Value:
        if isinstance(value, Headers) and name in ("size", "lastIndex"):
            return Number(len(value.items) - (name == "lastIndex"), Bits(32))
        return part_of(value, name, span).get()

    def target(self, expression: Expression, scope: Scope) -> Target:
        """The place that an assignment to an expression changes."""
        match expression:
            case Name(name=name, span=span):
                holder = scope.holder(name)
                if holder is None or name not in holder.values:
                    raise refuse(f"`{name}` cannot be assigned to", span)
                return Place(holder.values, name)
            case Member(of=of, name=name, span=span):
                return part_of(self.target(of, scope).get(), name, span)
            case Index(of=of, index=index, span=span):
                return item_of(self.target(of, scope).get(), self.number(index, scope), span)
            case Slice(of=of, high=high, low=low, span=span):
                top, bottom = self.number(high, scope), self.number(low, scope)
                return SomeBits(self.target(of, scope), top, bottom, span)
            case _:
                raise refuse("this cannot be assigned to", expression.span)


def cast(value: Value, kind: Kind, span: Span) -> Value:
    """Casts a value, as `(type) value` does; also for constants and results of functions."""
    match value, kind:
        case Number(value=found), Bits():
            return Number(kind.fit(found), kind)
        case bool(), Bits(width=1):
            return Number(int(value), kind)
        case Number(value=found, bits=Bits(width=1)), Bool():
            return bool(found)
        case Number(value=found), Whole():
            return Number(found)
        case _, Structure():
            return fit(value, initial(kind, span), span)
        case _:
            return value
