"""Programs at fixed sizes: global states as tuples, and the values of types and domains.

A global state lists the values of all globals in the order of their declarations. An array is the tuple of
its elements, row by row. A set or a bag is the sorted tuple of its messages, a queue the tuple of its
messages from the oldest on. A message is the tuple of its parts. Enumerations count from 0; a quorum is a
sorted tuple.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import assert_never

from seriatim.actions.expressions import Between, Booleans, Domain, Integers, Majorities, Members, Parameter
from seriatim.actions.syntax import (
    ActionProgram,
    BoolType,
    EnumType,
    Family,
    IntType,
    MajorityType,
    ValueType,
)
from seriatim.terms.expressions import Apply, Constant
from seriatim.terms.operators import compute

Value = int | bool | tuple[int, ...]
Message = tuple[Value, ...]
GlobalState = tuple[object, ...]
Argument = int
Instance = tuple[str, tuple[Value, ...]]
"""A pending action: its name and its arguments."""

MARGIN = 3
"""How far quantifiers over `int` look beyond 0, the sizes and the window; in proofs only."""


class TooFew(ValueError):
    """Raised when a size is missing or smaller than the program allows; names it."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of finite mode: the parameters, and the integers that a free choice ranges over."""

    parameters: Mapping[str, int]
    low: int = 0
    high: int = 1

    def text(self) -> str:
        named = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return named or "no sizes"


@dataclass(frozen=True, slots=True)
class Shape:
    """The index ranges of an array: the lowest index and the length of each."""

    lows: tuple[int, ...]
    lengths: tuple[int, ...]

    @property
    def count(self) -> int:
        total = 1
        for length in self.lengths:
            total *= length
        return total

    def position(self, indices: tuple[int, ...]) -> int | None:
        """The position of an element in the tuple; None if an index is out of range."""
        at = 0
        for index, low, length in zip(indices, self.lows, self.lengths, strict=True):
            if not 0 <= index - low < length:
                return None
            at = at * length + index - low
        return at

    def indices(self) -> Iterator[tuple[int, ...]]:
        ranges = (range(low, low + n) for low, n in zip(self.lows, self.lengths, strict=True))
        return product(*ranges)


class Layout:
    """The declarations of a program at given sizes."""

    def __init__(self, program: ActionProgram, sizes: Sizes) -> None:
        for size in program.sizes:
            if size.name not in sizes.parameters:
                raise TooFew(f"no size is given for {size.name}")
            if sizes.parameters[size.name] < size.least:
                raise TooFew(f"{size.name} has to be at least {size.least}")
        self.program = program
        self.sizes = sizes
        self.numbers = {each.name: number for number, each in enumerate(program.variables)}
        self.shapes = {each.name: self._shape(each.ranges) for each in program.variables}
        self.families = {each.name: self._majorities(each) for each in program.families}

    def bound(self, expression: object) -> int:
        """The value of an end of a declared range."""
        match expression:
            case Constant(value=value):
                return value
            case Parameter(name=name):
                return self.sizes.parameters[name]
            case Apply(op=operator, arguments=(left, right)):
                one, other = self.bound(left), self.bound(right)
                return int(compute(operator)(one, other))
            case _:
                raise AssertionError(expression)

    def _shape(self, ranges: tuple[Between, ...]) -> Shape:
        lows = tuple(self.bound(each.low) for each in ranges)
        highs = (self.bound(each.high) for each in ranges)
        return Shape(lows, tuple(max(0, high - low + 1) for low, high in zip(lows, highs, strict=True)))

    def _majorities(self, family: Family) -> tuple[tuple[int, ...], ...]:
        members = range(self.bound(family.members.low), self.bound(family.members.high) + 1)
        least = len(members) // 2 + 1
        return tuple(q for k in range(least, len(members) + 1) for q in combinations(members, k))

    def window(self) -> range:
        """The integers that a free choice ranges over."""
        return range(self.sizes.low, self.sizes.high + 1)

    def universe(self) -> range:
        """The integers that a quantifier over `int` looks at; only filters and explanations use it."""
        numbers = [0, self.sizes.low, self.sizes.high, *self.sizes.parameters.values()]
        return range(min(numbers) - MARGIN, max(numbers) + MARGIN + 1)

    def values(self, type_: ValueType) -> tuple[Value, ...]:
        """The values of a type that an unset global can begin with."""
        match type_:
            case IntType():
                return tuple(self.window())
            case BoolType():
                return (False, True)
            case EnumType(members=members):
                return tuple(range(len(members)))
            case MajorityType(family=family):
                return self.families[family]
            case _:
                assert_never(type_)


def plain_domain(domain: Domain, layout: Layout) -> tuple[Value, ...] | None:
    """The values of a domain that depends on no state; None for a range."""
    match domain:
        case Between():
            return None
        case Members(size=size):
            return tuple(range(size))
        case Majorities(family=family):
            return layout.families[family]
        case Booleans():
            return (False, True)
        case Integers():
            return tuple(layout.universe())
        case _:
            assert_never(domain)
