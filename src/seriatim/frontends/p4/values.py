"""Converts expressions to values: resolves names, checks kinds, computes constants."""

from typing import Protocol

from seriatim.frontends.p4 import terms
from seriatim.frontends.p4.arithmetic import COMPARISONS, Undefined, fit_to, fold
from seriatim.frontends.p4.code import Applied, Const, Converted, Either, Get, Prefixed, Sliced, Value
from seriatim.frontends.p4.environment import Environment, Place
from seriatim.frontends.p4.kinds import (
    Bits,
    Bool,
    Enumerated,
    Kind,
    Opaque,
    Simple,
    Stack,
    Structure,
    Types,
    Whole,
    valid,
)
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, quote_name, refuse
from seriatim.frontends.p4.syntax import EnumType, walk
from seriatim.frontends.p4.terms import Expression, Operator, Prefix
from seriatim.source import InputError, Span

_LOGICAL = (Operator.AND, Operator.OR)
_SHIFTS = (Operator.SHIFT_LEFT, Operator.SHIFT_RIGHT)


class CallsOfValues(Protocol):
    """A reader of calls in expressions."""

    def call(self, call: terms.Call, environment: Environment) -> Value | None:
        """The value of a call; None if it has no value."""

    def outcome(self, member: terms.Member, environment: Environment) -> Value | None:
        """The value of `t.apply().hit` or `.miss`; None for other expressions."""


class Values:
    """Converts expressions; calls are expanded by others."""

    def __init__(self, types: Types, calls: CallsOfValues) -> None:
        self.types = types
        self.calls = calls

    def value(self, expression: Expression, environment: Environment, wanted: Kind | None = None) -> Value:
        """The value of an expression; a number without a width gets that of the wanted kind. Raises
        `InputError`."""
        try:
            found = fold(self._value(expression, environment))
        except Undefined:
            raise refuse(UNKNOWN, "this has no value", expression.span, "is it a division by 0?") from None
        if wanted is None or wanted == found.kind:
            return found
        if isinstance(found, Const) and isinstance(found.kind, Whole) and isinstance(wanted, Bits):
            return Const(wanted.fit(found.value), wanted)
        hint = "write a cast, such as `(bit<8>) x`"
        raise refuse(UNKNOWN, f"expected {wanted}, but found {found.kind}", expression.span, hint)

    def _value(self, expression: Expression, environment: Environment) -> Value:  # noqa: C901 - an arm a case
        match expression:
            case terms.Literal(value=number, width=width, signed=signed):
                return Const(number, Whole() if width is None else Bits(width, signed))
            case terms.Boolean(value=truth):
                return Const(int(truth), Bool())
            case terms.Name() | terms.Index():
                return self._get(expression, environment)
            case terms.Member(of=of, name=name):
                member = self._enum_member(of, name, environment)
                if member is not None:
                    return member
                outcome = self.calls.outcome(expression, environment)
                return outcome if outcome is not None else self._get(expression, environment)
            case terms.Slice(of=of, high=high, low=low):
                return self._slice(expression, self.value(of, environment), high, low)
            case terms.Unary(operator=operator, operand=operand):
                inner = self.value(operand, environment)
                self._require(inner, operand.span, Bool if operator is Prefix.NOT else (Bits, Whole))
                return Prefixed(operator, inner, inner.kind)
            case terms.Binary():
                return self._binary(expression, environment)
            case terms.Ternary(condition=condition, then=then, otherwise=otherwise):
                test = self.value(condition, environment, Bool())
                one, other = self._same_kind(then, otherwise, environment)
                return Either(test, one, other, one.kind)
            case terms.Cast(type=written, operand=operand):
                return self._cast(expression, self.types.resolve(written), self.value(operand, environment))
            case terms.Call():
                found = self.calls.call(expression, environment)
                if found is None:
                    raise refuse(UNKNOWN, "this call has no value", expression.span)
                return found
            case _:
                raise refuse(UNSUPPORTED, "this expression is not supported here", expression.span)

    def _get(self, expression: Expression, environment: Environment) -> Value:
        place = self.place(expression, environment)
        if place.constant is not None:
            return place.constant
        if isinstance(place.kind, Structure | Stack | Opaque):
            message = f"{quote_name(place.path)} is not a number, but of type {place.kind}"
            raise refuse(UNKNOWN, message, expression.span)
        return Get(place.path, place.kind, expression.span)

    def _binary(self, expression: terms.Binary, environment: Environment) -> Value:
        operator = expression.operator
        if operator in _LOGICAL:
            left = self.value(expression.left, environment, Bool())
            right = self.pure(expression.right, environment, Bool())
            return Applied(operator, left, right, Bool(), expression.span)
        if operator in _SHIFTS or operator is Operator.CONCAT:
            left = self.value(expression.left, environment)
            right = self.value(expression.right, environment)
            return self._shift_or_concatenate(expression, left, right)
        left, right = self._same_kind(expression.left, expression.right, environment)
        if operator in COMPARISONS:
            if operator not in (Operator.EQUAL, Operator.UNEQUAL):
                self._require(left, expression.span, (Bits, Whole))
            return Applied(operator, left, right, Bool(), expression.span)
        self._require(left, expression.span, (Bits, Whole))
        return Applied(operator, left, right, left.kind, expression.span)

    def pure(self, expression: Expression, environment: Environment, wanted: Kind) -> Value:
        """The value of an expression without side effects, since it may be skipped."""
        if any(isinstance(part, terms.Call) and _applies(part) for part in _all(expression)):
            hint = "apply the table before, and store in a variable whether it was a hit"
            message = "a table in the right operand of `&&` or `||` is not supported"
            raise refuse(UNSUPPORTED, message, expression.span, hint)
        return self.value(expression, environment, wanted)

    def _shift_or_concatenate(self, expression: terms.Binary, left: Value, right: Value) -> Value:
        """The value of a shift or `++`; their operands may have different widths."""
        operator = expression.operator
        self._require(left, expression.left.span, (Bits, Whole))
        self._require(right, expression.right.span, (Bits, Whole))
        if operator is Operator.CONCAT:
            if not isinstance(left.kind, Bits) or not isinstance(right.kind, Bits):
                hint = "give both parts a width, such as `8w0`"
                raise refuse(UNKNOWN, "`++` needs two widths", expression.span, hint)
            kind: Simple = Bits(left.kind.width + right.kind.width, left.kind.signed)
            return Applied(operator, left, right, kind, expression.span)
        return Applied(operator, left, right, left.kind, expression.span)

    def _same_kind(self, one: Expression, other: Expression, environment: Environment) -> tuple[Value, Value]:
        """The values of two operands, which must have the same kind."""
        left, right = self.value(one, environment), self.value(other, environment)
        if isinstance(left.kind, Whole) and isinstance(left, Const) and isinstance(right.kind, Bits):
            left = Const(fit_to(left.value, right.kind), right.kind)
        if isinstance(right.kind, Whole) and isinstance(right, Const) and isinstance(left.kind, Bits):
            right = Const(fit_to(right.value, left.kind), left.kind)
        if left.kind != right.kind:
            hint = "write a cast, such as `(bit<8>) x`"
            message = f"the operands have different types: {left.kind} and {right.kind}"
            raise refuse(UNKNOWN, message, one.span.to(other.span), hint)
        return left, right

    def _require(self, value: Value, span: Span, kinds: type[Bool] | tuple[type[Bits], type[Whole]]) -> None:
        if not isinstance(value.kind, kinds):
            wanted = "a bool" if kinds is Bool else "a number"
            raise refuse(UNKNOWN, f"expected {wanted}, but found {value.kind}", span)

    def _slice(self, expression: terms.Slice, of: Value, high: Expression, low: Expression) -> Value:
        first, last = self.types.constant(high), self.types.constant(low)
        if not isinstance(of.kind, Bits) or not 0 <= last <= first < of.kind.width:
            hint = "write `x[high:low]`, with bits that x has"
            raise refuse(UNKNOWN, f"{of.kind} has no bits [{first}:{last}]", expression.span, hint)
        return Sliced(of, first, last, Bits(first - last + 1))

    def _cast(self, expression: terms.Cast, kind: Kind, operand: Value) -> Value:
        is_number = isinstance(operand.kind, Bits | Whole)
        fits = (
            operand.kind == kind
            or (isinstance(kind, Bits | Whole) and is_number)
            or (isinstance(kind, Bits) and kind.width == 1 and isinstance(operand.kind, Bool))
            or (isinstance(kind, Bool) and operand.kind == Bits(1))
        )
        if not fits or isinstance(kind, Structure | Stack | Opaque):
            raise refuse(UNKNOWN, f"{operand.kind} cannot be cast to {kind}", expression.span)
        return Converted(operand, kind)

    # --- places -------------------------------------------------------------------------------------------

    def place(self, expression: Expression, environment: Environment) -> Place:
        """The place that an expression names; raises `InputError`."""
        match expression:
            case terms.Name(top_level=True):
                hint = "give the two things different names, and leave the dot out"
                raise refuse(UNSUPPORTED, "a leading dot is not supported", expression.span, hint)
            case terms.Name(name=name):
                meaning = environment.find(name)
                if isinstance(meaning, Place):
                    return meaning
                message = (
                    f"nothing declares {quote_name(name)}"
                    if meaning is None
                    else f"{quote_name(name)} is not a variable"
                )
                raise refuse(UNKNOWN, message, expression.span, suggest_names(name, environment))
            case terms.Member(of=of, name=name):
                outer = self.place(of, environment)
                inner = outer.kind.field(name) if isinstance(outer.kind, Structure) else None
                if inner is None:
                    raise self._no_field(outer, name, expression)
                return Place(f"{outer.path}.{name}", inner)
            case terms.Index(of=of, index=index):
                stack = self.place(of, environment)
                if not isinstance(stack.kind, Stack):
                    raise refuse(
                        UNKNOWN, f"{quote_name(stack.path)} is not a stack of headers", expression.span
                    )
                number = self.value(index, environment)
                if not isinstance(number, Const):
                    hint = "write a constant, or a branch for each header of the stack"
                    raise refuse(UNSUPPORTED, "a variable as an index is not supported", index.span, hint)
                if not 0 <= number.value < stack.kind.size:
                    message = f"{quote_name(stack.path)} has {stack.kind.size} headers"
                    raise refuse(UNKNOWN, message, index.span, "indices start at 0")
                return Place(f"{stack.path}[{number.value}]", stack.kind.element)
            case _:
                raise refuse(UNKNOWN, "this is not a variable", expression.span)

    def _no_field(self, outer: Place, name: str, expression: Expression) -> InputError:
        if isinstance(outer.kind, Stack) and name in ("next", "last", "lastIndex"):
            message = f"`{name}` of a stack of headers is not supported"
            return refuse(UNSUPPORTED, message, expression.span, "name the header by its index")
        known = [each for each, _ in outer.kind.fields] if isinstance(outer.kind, Structure) else []
        hint = f"it has {', '.join(known[:12])}" if known else None
        return refuse(
            UNKNOWN, f"{quote_name(outer.path)} has no field {quote_name(name)}", expression.span, hint
        )

    def _enum_member(self, of: Expression, name: str, environment: Environment) -> Const | None:
        if not isinstance(of, terms.Name) or environment.find(of.name) is not None:
            return None
        if of.name != "error" and of.name not in self.types.declared and of.name != "HashAlgorithm":
            return None
        kind = self.types.resolve(terms.NamedType(of.name, (), of.span))
        if isinstance(kind, Enumerated):
            if name not in kind.members:
                message = f"{quote_name(of.name)} has no member {quote_name(name)}"
                raise refuse(UNKNOWN, message, of.span, f"it has {', '.join(kind.members[:12])}")
            return Const(kind.members.index(name), kind)
        declared = self.types.declared.get(of.name)
        if isinstance(declared, EnumType) and isinstance(kind, Bits):
            for member in declared.members:
                if member.name == name and member.value is not None:
                    return Const(kind.fit(self.types.constant(member.value)), kind)
        raise refuse(UNKNOWN, f"{quote_name(of.name)} has no member {quote_name(name)}", of.span)

    def validity(self, header: Place, span: Span) -> Get:
        """Whether a header is valid."""
        if not isinstance(header.kind, Structure) or not header.kind.is_header:
            raise refuse(UNKNOWN, f"{quote_name(header.path)} is not a header", span)
        return Get(valid(header.path), Bool(), span)


def suggest_names(name: str, environment: Environment) -> str | None:
    """A hint with the declared names that look similar; None if there are none."""
    from difflib import get_close_matches  # Rarely needed: most names are right.

    found = get_close_matches(name, set(environment.names()), 3)
    return f"did you mean {', '.join(map(quote_name, found))}?" if found else None


def _all(expression: Expression) -> list[object]:
    return list(walk(expression))


def _applies(call: terms.Call) -> bool:
    return isinstance(call.function, terms.Member) and call.function.name == "apply"
