"""The integer types of C: how wide, signed or not, and how a value becomes one of another type.

Signed arithmetic is taken to be that of the integers: the verdict says that it assumes no signed overflow.
Unsigned arithmetic wraps, exactly. Every store and every cast converts: a value that does not fit wraps,
and `_Bool` is 1 for all but 0. Sizes are those of LP64 systems.
"""

from dataclasses import dataclass

from seriatim.terms.expressions import Constant, Expression, apply


@dataclass(frozen=True, slots=True)
class CType:
    name: str
    bits: int
    signed: bool

    @property
    def kind(self) -> str:
        """The same for types that are the same under several names."""
        return f"{self.bits}{'s' if self.signed else 'u'}"

    @property
    def is_bool(self) -> bool:
        return self.bits == 1

    @property
    def low(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1


BOOL = CType("_Bool", 1, False)
CHAR = CType("char", 8, True)
INT = CType("int", 32, True)
UNSIGNED = CType("unsigned int", 32, False)
LONG = CType("long", 64, True)
POINTER = CType("pointer", 64, True)
"""An address; arithmetic on it does not wrap."""
UNSIGNED_LONG = CType("unsigned long", 64, False)


def named(words: list[str]) -> CType | None:
    """The type that a list of words stands for; None if it is no integer type."""
    if "_Bool" in words:
        return BOOL
    rest = [word for word in words if word not in ("signed", "unsigned")]
    signed = "unsigned" not in words
    kind = " ".join(sorted(rest))
    bits = {
        "": 32,
        "int": 32,
        "char": 8,
        "short": 16,
        "int short": 16,
        "long": 64,
        "int long": 64,
        "long long": 64,
        "int long long": 64,
    }.get(kind)
    if bits is None:
        return None
    return CType(" ".join(words), bits, signed)


def promoted(type_: CType) -> CType:
    """What arithmetic does with small types."""
    return INT if type_.bits < INT.bits else type_


def common(one: CType, other: CType) -> CType:
    """The type of an operator with two operands."""
    left, right = promoted(one), promoted(other)
    if left.bits != right.bits:
        return left if left.bits > right.bits else right
    return left if not left.signed else right


def wrapped(value: Expression, type_: CType) -> Expression:
    """A number as a value of the type, modulo a power of two."""
    size = 1 << type_.bits
    if isinstance(value, Constant):
        number = int(value.value)
        return Constant((number - type_.low) % size + type_.low)
    if not type_.signed:
        return apply("%", value, Constant(size))
    half = Constant(size // 2)
    return apply("-", apply("%", apply("+", value, half), Constant(size)), half)


def converted(value: Expression, source: CType, target: CType) -> Expression:
    """A value of one type as one of another."""
    if target.is_bool:
        if source.is_bool:
            return value
        return apply("?", apply("==", value, Constant(0)), Constant(0), Constant(1))
    if target.low <= source.low and source.high <= target.high:
        return value
    if isinstance(value, Constant) and target.low <= value.value <= target.high:
        return value
    return wrapped(value, target)
