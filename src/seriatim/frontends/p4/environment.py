"""The meanings of names at a place in a program."""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.frontends.p4 import syntax
from seriatim.frontends.p4.code import Const, Register
from seriatim.frontends.p4.kinds import Kind


@dataclass(frozen=True, slots=True)
class Place:
    """A variable, field or constant; it has a value for each packet."""

    path: str
    kind: Kind
    constant: Const | None = None
    """The value, if it is a constant."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A register."""

    register: Register


@dataclass(frozen=True, slots=True)
class Silent:
    """An object whose methods change nothing that packets can see, such as a counter."""

    what: str


@dataclass(frozen=True, slots=True)
class Meter:
    """A meter; a direct one belongs to a table."""

    name: str
    is_direct: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """An object that is not supported; it may be declared, but not used."""

    what: str
    hint: str


@dataclass(frozen=True, slots=True)
class Inner:
    """An instance of another control."""

    control: syntax.Control
    name: str


Meaning = Place | Cells | Silent | Meter | Refused | Inner | syntax.Action | syntax.Table | syntax.Function


class Environment:
    """Names with their meanings; inner declarations hide outer ones."""

    def __init__(self, outer: "Environment | None" = None) -> None:
        self._outer = outer
        self._names: dict[str, Meaning] = {}

    def declare(self, name: str, meaning: Meaning) -> None:
        self._names[name] = meaning

    def find(self, name: str) -> Meaning | None:
        if name in self._names:
            return self._names[name]
        return None if self._outer is None else self._outer.find(name)

    def home(self, name: str) -> "Environment":
        """The environment that declares a name."""
        if name in self._names or self._outer is None:
            return self
        return self._outer.home(name)

    def names(self) -> Iterator[str]:
        """All names that are visible here."""
        yield from self._names
        if self._outer is not None:
            yield from self._outer.names()
