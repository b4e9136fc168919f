"""Where code stands: which positions of a symmetry it treats alike, and what it is up to a permutation."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from seriatim.program.indices import SAME, Indices, Renaming
from seriatim.program.normal_form import normal_form
from seriatim.program.symmetry import Permutation, Symmetry, generators_of, move
from seriatim.program.syntax import Expression

Colour = tuple[int, tuple[int, ...], tuple[tuple[int, bool, int], ...]]
"""(class, which of the request's positions it is, how often the code reads or writes each variable there)."""

USE = re.compile(r"(:= )?`([^`]*)`|'(-?\d+)'(→0|→)?")
"""How normal forms mention a variable, or a position that something may hold."""

HELD, REFUSED, PASSED = -1, -2, -3
"""What stands for a variable where code mentions a position: as a value, or in a test that is 0 or not."""

Sortable = TypeVar("Sortable", bound=tuple[object, ...])


@dataclass(frozen=True, slots=True)
class Placed:
    """Where code stands: what it is up to a permutation, and the colours by which it distinguishes positions.

    Two pieces of code with the same shape differ by every permutation that respects their colours."""

    shape: tuple[int, str]
    """The family of the request, or −1 − its number; and a normal form."""
    colours: tuple[int, ...]


class Uneven(Exception):
    """Code of this request uses positions as often, and in the same ways, but does not treat them alike."""


class Places:
    """Where the code of requests stands."""

    def __init__(self, symmetry: Symmetry, requests: tuple[str, ...], indices: Indices) -> None:
        self.symmetry = symmetry
        self.indices = indices
        self._family = {
            name: (number, at) for number, family in enumerate(symmetry.requests) for name, at in family
        }
        self._requests = {name: (-1 - number, ()) for number, name in enumerate(requests)}
        self._at = {
            name: (number, position)
            for number, family in enumerate(symmetry.variables)
            for position, name in enumerate(family)
        }
        self._numbers = {number: position for position, number in enumerate(symmetry.numbers)}
        self._members = symmetry.members()
        self._colours: dict[Colour, int] = {}
        self._list: list[Colour] = []

    def place(self, request: str, code: Expression) -> Placed:
        """Positions have the same colour if the code and the request use them as often, in the same ways.
        That the code is the same after they are exchanged is verified; raises `Uneven` if it is not.
        Recurses: see `seriatim.program.recursion`."""
        family, slots = self.place_request(request)
        own_form = self._form(request, code)
        seen: list[list[tuple[int, bool, int]]] = [[] for _ in self.symmetry.positions]
        for (variable, position, is_written), count in sorted(Counter(self._uses(own_form)).items()):
            seen[position].append((variable, is_written, count))
        signatures: list[Colour] = [
            (own, slots[position], tuple(seen[position]))
            for position, own in enumerate(self.symmetry.classes)
        ]
        groups: dict[Colour, list[int]] = {}
        for position in self.symmetry.positions:
            groups.setdefault(signatures[position], []).append(position)
        for group in groups.values():
            if len(group) > 1 and seen[group[0]] and not self._are_alike(group, request, code, own_form):
                raise Uneven(request)
        shape = self._form(request, code, self.symmetry.renaming(self._sort(signatures)))
        return Placed((family, shape), tuple(self._number(colour) for colour in signatures))

    def _form(self, request: str, code: Expression, renaming: Renaming = SAME) -> str:
        return normal_form(code, renaming, self.indices, self.indices.answer(request))

    def _uses(self, form: str) -> Iterator[tuple[int, int, bool]]:
        """(variable, position, whether it is written): what a normal form mentions."""
        for use in USE.finditer(form):
            written, name, number, outcome = use.groups()
            if name is not None:
                if name in self._at:
                    yield (*self._at[name], written is not None)
            elif int(number) in self._numbers:
                kind = HELD if outcome is None else REFUSED if outcome == "→0" else PASSED
                yield kind, self._numbers[int(number)], False

    def place_request(self, request: str) -> tuple[int, tuple[tuple[int, ...], ...]]:
        """The family of a request, or −1 − its number; and which of its positions each position is."""
        family, at = self._family.get(request) or self._requests[request]
        slots: list[tuple[int, ...]] = [()] * len(self.symmetry.classes)
        for slot, position in enumerate(at):
            slots[position] = (*slots[position], slot)
        return family, tuple(slots)

    def representative(
        self, request: str, code: Expression, placed: Placed, values: Mapping[str, int]
    ) -> tuple[tuple[str, str, tuple[tuple[str, int], ...]], Permutation]:
        """The request, the normal form of the code and the local variables of a state that stands for all
        images of this one; and the permutation that leads there. Recurses: see
        `seriatim.program.recursion`."""
        columns: list[tuple[Colour, list[tuple[int, int]]]] = [
            (self._list[colour], []) for colour in placed.colours
        ]
        for name, value in values.items():
            held = self.symmetry.find_held(name, value)
            if name in self._at:
                family, position = self._at[name]
                columns[position][1].append((family, value))
            elif held is not None:
                columns[held][1].append((-1 - self.symmetry.holders.index(name), 0))
        for _, column in columns:
            column.sort()
        permutation = self._sort(columns)
        renaming = self.symmetry.renaming(permutation)
        image = self.symmetry.image_of(request, permutation)
        locals_ = sorted(self.symmetry.move_values(renaming, values).items())
        return (image or request, self._form(request, code, renaming), tuple(locals_)), permutation

    def _sort(self, columns: list[Sortable]) -> Permutation:
        """The permutation after which columns are sorted in each class."""
        goals: dict[int, int] = {}
        for members in self._members:
            ordered = sorted(members, key=lambda position: columns[position])
            goals.update(zip(ordered, members, strict=True))
        return move(goals, len(columns))

    def _are_alike(self, group: list[int], request: str, code: Expression, own_form: str) -> bool:
        return all(
            self._form(request, code, self.symmetry.renaming(permutation)) == own_form
            for permutation in generators_of(group, len(self.symmetry.classes))
        )

    def _number(self, colour: Colour) -> int:
        if colour not in self._colours:
            self._colours[colour] = len(self._list)
            self._list.append(colour)
        return self._colours[colour]
