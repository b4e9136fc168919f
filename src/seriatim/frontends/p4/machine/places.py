"""Scopes of names, and places that an assignment can change."""

from seriatim.frontends.p4.machine.operators import replace_bits, slice_bits
from seriatim.frontends.p4.machine.values import Fields, Headers, Value, fit, refuse
from seriatim.frontends.p4.syntax import Declaration, Local
from seriatim.source import Span


class Scope:
    """Variables and declarations by name, and the scope around them."""

    def __init__(self, outer: "Scope | None" = None, path: str = "") -> None:
        self.values: dict[str, Value] = {}
        self.declared: dict[str, Declaration | Local] = {}
        self.outer = outer
        self.path = path
        """The prefix of the names of registers and tables that are declared here."""

    def holder(self, name: str) -> "Scope | None":
        """The innermost scope that knows a name."""
        if name in self.values or name in self.declared:
            return self
        return None if self.outer is None else self.outer.holder(name)


class Place:
    """The place of a variable or a field."""

    def __init__(self, parts: dict[str, Value], name: str) -> None:
        self._parts = parts
        self._name = name

    def get(self) -> Value:
        return self._parts[self._name]

    def put(self, value: Value, span: Span) -> None:
        self._parts[self._name] = fit(value, self.get(), span)


class Item:
    """The place of a header in a stack."""

    def __init__(self, headers: Headers, index: int) -> None:
        self._headers = headers
        self._index = index

    def get(self) -> Value:
        return self._headers.items[self._index]

    def put(self, value: Value, span: Span) -> None:
        new = fit(value, self.get(), span)
        assert isinstance(new, Fields)
        self._headers.items[self._index] = new


class SomeBits:
    """The place of some bits of a number."""

    def __init__(self, place: "Target", high: int, low: int, span: Span) -> None:
        self._place = place
        self._high = high
        self._low = low
        self._span = span

    def get(self) -> Value:
        return slice_bits(self._place.get(), self._high, self._low, self._span)

    def put(self, value: Value, span: Span) -> None:
        self._place.put(replace_bits(self._place.get(), self._high, self._low, value, span), span)


Target = Place | Item | SomeBits


def part_of(value: Value, name: str, span: Span) -> Place:
    """The place of a field."""
    if not isinstance(value, Fields) or name not in value.parts:
        raise refuse(f"there is no field `{name}`", span)
    return Place(value.parts, name)


def item_of(value: Value, index: int, span: Span) -> Item:
    if not isinstance(value, Headers) or not 0 <= index < len(value.items):
        raise refuse("the stack has no such header", span)
    return Item(value, index)
