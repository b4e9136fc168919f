"""The values of variables of a P4 program while it runs, at full widths.

Numbers, truth values, members of enums and tuples never change. Structs, headers and stacks are changed in
place, so an assignment copies them.
"""

from dataclasses import dataclass

from seriatim.frontends.p4.kinds import Bits, Bool, Enumerated, Kind, Stack, Structure, Whole
from seriatim.frontends.p4.refusal import UNKNOWN, unsupported
from seriatim.frontends.p4.refusal import refuse as refuse_with
from seriatim.source import InputError, Span


@dataclass(frozen=True, slots=True)
class Number:
    """A number. Without `bits` it has any size, and takes the width of the other operand."""

    value: int
    bits: Bits | None = None


@dataclass(frozen=True, slots=True)
class Symbol:
    """A member of an enum without values."""

    enum: str
    name: str


class Fields:
    """A struct or a header."""

    def __init__(self, parts: dict[str, "Value"], valid: bool | None) -> None:
        self.parts = parts
        self.valid = valid
        """Whether a header is valid; None for a struct."""

    def __eq__(self, other: object) -> bool:
        """Two headers are equal if both are invalid, or both are valid and their fields are equal."""
        if not isinstance(other, Fields) or self.valid != other.valid:
            return False
        return self.valid is False or self.parts == other.parts


class Headers:
    """A stack of headers."""

    def __init__(self, items: list[Fields]) -> None:
        self.items = items

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Headers) and self.items == other.items

    def push(self, count: int) -> None:
        """Moves all headers up; the first ones become invalid."""
        self._shift([self._empty() for _ in range(count)] + self.items)

    def pop(self, count: int) -> None:
        """Moves all headers down; the last ones become invalid."""
        self._shift(self.items[count:] + [self._empty() for _ in range(count)])

    def _shift(self, items: list[Fields]) -> None:
        self.items = items[: len(self.items)]

    def _empty(self) -> Fields:
        empty = copy(self.items[0])
        assert isinstance(empty, Fields)
        return Fields({name: zero(part) for name, part in empty.parts.items()}, False)


Value = Number | bool | Symbol | Fields | Headers | tuple["Value", ...]


def refuse(message: str, span: Span) -> InputError:
    """An error about a program that is wrong or that the interpreter cannot execute."""
    return refuse_with(UNKNOWN, message, span)


def initial(kind: Kind, span: Span) -> Value:
    """The value of a variable before anything is assigned to it."""
    match kind:
        case Bits():
            return Number(0, kind)
        case Bool():
            return False
        case Whole():
            return Number(0)
        case Enumerated(name=name, members=members):
            return Symbol(name, members[0])
        case Structure(is_header=is_header, fields=fields):
            return Fields(
                {name: initial(inner, span) for name, inner in fields}, False if is_header else None
            )
        case Stack(element=element, size=size):
            items = [initial(element, span) for _ in range(size)]
            return Headers([each for each in items if isinstance(each, Fields)])
        case _:
            raise unsupported(f"a variable of the type `{kind}`", span, "leave it out")


def zero(value: Value) -> Value:
    """The value of a part of an empty header."""
    return Number(0, value.bits) if isinstance(value, Number) else value


def copy(value: Value) -> Value:
    match value:
        case Fields(parts=parts, valid=valid):
            return Fields({name: copy(part) for name, part in parts.items()}, valid)
        case Headers(items=items):
            return Headers([each for item in items if isinstance(each := copy(item), Fields)])
        case _:
            return value


def fit(value: Value, place: Value, span: Span) -> Value:
    """Converts a value for storing it in place of another; a tuple fills a struct or makes a header valid."""
    match value, place:
        case Number(value=number, bits=bits), Number(bits=wanted):
            if bits is not None and wanted is not None and bits != wanted:
                raise refuse(f"a value of `{bits}` does not fit `{wanted}`", span)
            return Number(number if wanted is None else wanted.fit(number), wanted or bits)
        case tuple(), Fields(parts=parts, valid=valid) if len(value) == len(parts):
            filled = {
                name: fit(part, old, span) for part, (name, old) in zip(value, parts.items(), strict=True)
            }
            return Fields(filled, None if valid is None else True)
        case _ if type(value) is type(place):
            return copy(value)
        case _:
            raise refuse("this value does not fit", span)


def truth(value: Value, span: Span) -> bool:
    if not isinstance(value, bool):
        raise refuse("a condition is expected", span)
    return value


def number(value: Value, span: Span) -> int:
    """A value as a number; true is 1."""
    match value:
        case Number(value=found):
            return found
        case bool():
            return int(value)
        case _:
            raise refuse("a number is expected", span)
