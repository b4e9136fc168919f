"""Guesses which variables and answers hold positions: those that get many numbers, but are not used in
computations.

Values flow from one variable to another by assignments and comparisons, and to answers. What values flow
between is one group. A group holds positions if at least so many numbers of positions get there from the text
(`OWNER := 3`, `return 3`), if nothing computed gets there, and if nobody computes with it: an order is only a
test. A wrong guess costs time, never a wrong answer (`seriatim.program.symmetry.broken`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.program.indices import NO_INDICES, Indices, index_numbers
from seriatim.program.syntax import (
    Assign,
    Binary,
    Expression,
    If,
    Logical,
    Number,
    Operator,
    Program,
    Read,
    Return,
    Sequence,
    Unary,
    children,
    walk,
)

TESTS = frozenset({
    Operator.EQUAL, Operator.UNEQUAL, Operator.LESS, Operator.LESS_EQUAL, Operator.GREATER,
    Operator.GREATER_EQUAL,
})  # fmt: skip
SAMES = frozenset({Operator.EQUAL, Operator.UNEQUAL})

Place = tuple[str, str]
"""("variable" or "answer", its name)."""


@dataclass(frozen=True, slots=True)
class PositionGroup:
    """Variables and answers between which values flow."""

    variables: frozenset[str]
    answers: frozenset[str]
    numbers: frozenset[int]
    """The numbers that reach the group from the text."""


class Flows:
    """The flows of values in a program."""

    def __init__(self, program: Program, stems: dict[str, str]) -> None:
        """Treats answers of requests with the same stem as one place."""
        self._parents: dict[Place, Place] = {}
        self._numbers: dict[Place, set[int]] = {}
        self._computed: set[Place] = set()
        for handler in program.handlers:
            answer = ("answer", stems.get(handler.name, handler.name))
            self._join(("answer", handler.name), answer)
            self._receive(answer, handler.body)
            for part in walk(handler.body):
                self._look_at(part, answer)

    def groups(self) -> list[PositionGroup]:
        """The groups that no code computes with."""
        members: dict[Place, list[Place]] = {}
        for place in self._parents:
            members.setdefault(self._root(place), []).append(place)
        computed = {self._root(place) for place in self._computed}
        return [
            PositionGroup(
                frozenset(name for kind, name in own if kind == "variable"),
                frozenset(name for kind, name in own if kind == "answer"),
                frozenset(number for place in own for number in self._numbers.get(place, ())),
            )
            for root, own in members.items()
            if root not in computed
        ]

    def _look_at(self, part: Expression, answer: Place) -> None:
        match part:
            case Assign(name=name, value=value):
                self._receive(("variable", name), value)
            case Return(value=value):
                self._receive(answer, value)
            case Binary(operator=operator, left=Read(name=one), right=Read(name=other)) if operator in SAMES:
                self._join(("variable", one), ("variable", other))
            case Binary(operator=operator, left=Read(), right=Number()) if operator in TESTS:
                pass
            case Binary(operator=operator, left=Number(), right=Read()) if operator in TESTS:
                pass
            case Binary() | Unary() | Logical():
                for each in children(part):
                    if isinstance(each, Read):
                        self._computed.add(self._note(("variable", each.name)))
            case _:
                pass

    def _receive(self, place: Place, value: Expression) -> None:
        """Records that a value flows to a place."""
        self._note(place)
        for source in sources(value):
            match source:
                case Number(value=number):
                    self._numbers.setdefault(place, set()).add(number)
                case Read(name=name) | Assign(name=name):
                    self._join(place, ("variable", name))
                case Return():
                    pass
                case _:
                    self._computed.add(place)

    def _note(self, place: Place) -> Place:
        self._parents.setdefault(place, place)
        return place

    def _root(self, place: Place) -> Place:
        while self._parents.setdefault(place, place) != place:
            place = self._parents[place]
        return place

    def _join(self, one: Place, other: Place) -> None:
        self._parents[self._root(one)] = self._root(other)


def sources(value: Expression) -> Iterator[Expression]:
    """Where a value can come from."""
    match value:
        case If(then=then, otherwise=otherwise):
            yield from sources(then)
            yield from sources(otherwise or Number(0))
        case Sequence(items=items):
            yield from sources(items[-1])
        case _:
            yield value


def numbers_of(request: str, body: Expression, indices: Indices) -> Iterator[int]:
    """The numbers in a body that become a position, or are compared with one. Recurses."""
    if indices is NO_INDICES:
        return
    answer = indices.answer(request)
    yield from index_numbers(body, answer, indices, answer)
    for part in walk(body):
        match part:
            case Binary(left=Read(name=name), right=Number(value=value)) if name in indices.variables:
                yield value
            case Binary(left=Number(value=value), right=Read(name=name)) if name in indices.variables:
                yield value
            case _:
                pass
