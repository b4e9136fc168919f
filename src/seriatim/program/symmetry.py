"""Symmetry: positions that can be exchanged in a program, with all variables and requests that stand at them.

A `Symmetry` says which variables and which requests belong to which positions, which positions are of the
same class, and which variables and answers hold a position (`seriatim.program.indices`). A permutation of
positions inside their classes renames variables, requests, and positions that are held. It is a symmetry of
a program if

1. variables keep their initial values: x and its image have the same one, and a position that is held at
   first is its own image;
2. the body of each request, renamed, has the normal form of the body of the request's image.

docs/theory/symmetry.md shows that then the renaming maps runs to runs and serial runs to serial runs. It is
enough to look at two generators of each class: an exchange of two positions, and a cycle through all.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from seriatim.program.indices import NO_INDICES, SAME, IndexKind, Indices, Mixed, Renaming, index_numbers
from seriatim.program.liveness import live_locals
from seriatim.program.normal_form import normal_form
from seriatim.program.syntax import (
    Assign,
    Expression,
    Program,
    Read,
    initial_globals,
    is_global,
    walk,
)

Permutation = tuple[int, ...]
"""For each position, where it goes."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    classes: tuple[int, ...]
    """The class of each position; positions of the same class can be exchanged."""
    variables: tuple[tuple[str, ...], ...]
    """Families of variables, each with one at each position."""
    requests: tuple[tuple[tuple[str, tuple[int, ...]], ...], ...]
    """Families of requests, each request with the positions that it is about, in their order."""
    numbers: tuple[int, ...] = ()
    """The positions as values; empty if nothing holds a position."""
    holders: tuple[str, ...] = ()
    """Variables at no position that hold one."""
    answers: tuple[str, ...] = ()
    """Requests that are answered with a position."""

    @property
    def positions(self) -> range:
        return range(len(self.classes))

    def members(self) -> list[list[int]]:
        """The positions of each class."""
        found: dict[int, list[int]] = {}
        for position, own in enumerate(self.classes):
            found.setdefault(own, []).append(position)
        return list(found.values())

    def generators(self) -> Iterator[Permutation]:
        """Yields permutations whose products are all that exchange positions of the same class."""
        for members in self.members():
            yield from generators_of(members, len(self.classes))

    def renaming(self, permutation: Permutation) -> Renaming:
        """The new names of the variables and positions that a permutation moves."""
        moves = [(position, goal) for position, goal in enumerate(permutation) if position != goal]
        names = {family[position]: family[goal] for family in self.variables for position, goal in moves}
        if not self.numbers:
            return Renaming(names)
        return Renaming(names, {self.numbers[position]: self.numbers[goal] for position, goal in moves})

    def find_held(self, name: str, value: int) -> int | None:
        """The position that a variable holds; None if it holds none."""
        return self.numbers.index(value) if name in self.holders and value in self.numbers else None

    def move_values(self, renaming: Renaming, values: Mapping[str, int]) -> dict[str, int]:
        """Variables and their values after a renaming."""
        found = {renaming.names.get(name, name): value for name, value in values.items()}
        if renaming.values:
            for name in values.keys() & set(self.holders):
                found[name] = renaming.values.get(values[name], values[name])
        return found

    def find_answered(self, request: str, response: str) -> int | None:
        """The position that an answer stands for; None if it is not a position."""
        numbers = [str(number) for number in self.numbers] if request in self.answers else []
        return numbers.index(response) if response in numbers else None

    def image_of(self, request: str, permutation: Permutation) -> str | None:
        """The image of a request under a permutation; None if its family has no such request."""
        for family in self.requests:
            known = dict(family)
            if request in known:
                goal = tuple(permutation[position] for position in known[request])
                return next((name for name, at in family if at == goal), None)
        return request


def generators_of(members: list[int], size: int) -> Iterator[Permutation]:
    """Yields an exchange of two positions and a cycle through all: their products are all permutations."""
    if len(members) > 1:
        yield move({members[0]: members[1], members[1]: members[0]}, size)
    if len(members) > 2:
        yield move(dict(zip(members, [*members[1:], members[0]], strict=True)), size)


def move(goals: dict[int, int], size: int) -> Permutation:
    return tuple(goals.get(position, position) for position in range(size))


def find_defect(symmetry: Symmetry, program: Program) -> str | None:
    """Why this cannot be a symmetry, whatever the code does; None if it may be one."""
    size = len(symmetry.classes)
    names = [name for family in symmetry.variables for name in family]
    requests = [name for family in symmetry.requests for name, _ in family]
    known = set(initial_globals(program))
    if any(len(family) != size for family in symmetry.variables):
        return "a family of variables has not one variable for each position"
    if len(set(names)) < len(names) or len(set(requests)) < len(requests):
        return "a name stands at two positions"
    if any(len({is_global(name) for name in family}) > 1 for family in symmetry.variables):
        return "a family has both global and local variables"
    if any(is_global(name) and name not in known for name in names):
        return "a variable is not in the program"
    if not set(requests) <= set(program.requests):
        return "a request is not in the program"
    for family in symmetry.requests:
        places = [at for _, at in family]
        if len(set(places)) < len(places) or len(set(map(len, places))) > 1:
            return "two requests of a family stand at the same positions, or at different numbers of them"
        if any(position not in symmetry.positions for at in places for position in at):
            return "a request stands at a position that does not exist"
    return _wrongly_held(symmetry, program, set(names))


def _wrongly_held(symmetry: Symmetry, program: Program, at_positions: set[str]) -> str | None:
    """Why variables and answers cannot hold the positions that they are said to hold."""
    numbers = symmetry.numbers
    if not numbers and not symmetry.holders and not symmetry.answers:
        return None
    if len(numbers) != len(symmetry.classes) or len(set(numbers)) < len(numbers):
        return "positions have not one number each"
    if not at_positions.isdisjoint(symmetry.holders):
        return "a variable both stands at a position and holds one"
    if not set(symmetry.answers) <= set(program.requests):
        return "a request is not in the program"
    if any(len({name in symmetry.answers for name, _ in family}) > 1 for family in symmetry.requests):
        return "some requests of a family are answered with a position, and others are not"
    return None


class Bodies:
    """The requests of a program, with the names in their bodies and their normal forms."""

    def __init__(self, program: Program) -> None:
        self.initial = initial_globals(program)
        self.of = {handler.name: handler.body for handler in program.handlers}
        self.mentioned = {name: find_variables(body) for name, body in self.of.items()}
        self._forms: dict[tuple[Indices, str], str] = {}
        self._indices: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[Indices, bool]] = {}

    def form_of(self, request: str, indices: Indices) -> str:
        key = (indices, request)
        if key not in self._forms:
            self._forms[key] = normal_form(self.of[request], SAME, indices, indices.answer(request))
        return self._forms[key]

    def indices(self, symmetry: Symmetry) -> tuple[Indices, bool]:
        """Finds what holds a position, with all values that can be there; and whether a local that holds one
        may be read before it gets one, when it is 0. Raises `Mixed`; recurses."""
        if not symmetry.holders and not symmetry.answers:
            return NO_INDICES, False
        key = (symmetry.holders, symmetry.answers)
        if key not in self._indices:
            self._indices[key] = self._find_indices(frozenset(symmetry.holders), symmetry.answers)
        return self._indices[key]

    def _find_indices(self, holders: frozenset[str], answers: tuple[str, ...]) -> tuple[Indices, bool]:
        found = Indices(holders, frozenset(answers))
        domain = {self.initial[name] for name in holders if name in self.initial}
        is_unset = any(
            not holders.isdisjoint(self.mentioned[name]) and not holders.isdisjoint(live_locals(body))
            for name, body in self.of.items()
        )
        if is_unset:
            domain.add(0)
        for name, body in self.of.items():
            answer = found.answer(name)
            domain.update(index_numbers(body, answer, found, answer))
        return Indices(holders, found.answers, tuple(sorted(domain))), is_unset


def broken(symmetry: Symmetry, bodies: Bodies, permutation: Permutation) -> str | None:
    """Why a permutation is not a symmetry of the program; None if it is one. Recurses: see
    `seriatim.program.recursion`."""
    renaming = symmetry.renaming(permutation)
    for name, goal in renaming.names.items():
        if is_global(name) and bodies.initial[name] != bodies.initial[goal]:
            return f"`{name}` and `{goal}` have different initial values"
    try:
        indices, is_unset = bodies.indices(symmetry)
        for name in symmetry.holders:
            if bodies.initial.get(name, 0) in renaming.values and (is_global(name) or is_unset):
                return f"`{name}` holds at first a position that is moved"
        return _broken_body(symmetry, bodies, permutation, indices)
    except Mixed:
        return "data become a position"


def _broken_body(
    symmetry: Symmetry, bodies: Bodies, permutation: Permutation, indices: Indices
) -> str | None:
    renaming = symmetry.renaming(permutation)
    images = images_of(symmetry, permutation)
    touched = {*renaming.names, *symmetry.holders}
    for name, body in bodies.of.items():
        image = images.get(name, name)
        if image is None:
            return f"there is no request at the positions to which `{name}` would go"
        answer = indices.answer(name)
        if image == name and touched.isdisjoint(bodies.mentioned[name]) and answer is IndexKind.DATA:
            continue
        if normal_form(body, renaming, indices, answer) != bodies.form_of(image, indices):
            return f"`{name}` does something else than `{image}`"
    return None


def images_of(symmetry: Symmetry, permutation: Permutation) -> dict[str, str | None]:
    """The images of the requests of all families under a permutation."""
    found: dict[str, str | None] = {}
    for family in symmetry.requests:
        at = {places: name for name, places in family}
        for name, places in family:
            found[name] = at.get(tuple([permutation[position] for position in places]))
    return found


def find_variables(expression: Expression) -> set[str]:
    """The variables that an expression names."""
    return {part.name for part in walk(expression) if isinstance(part, Read | Assign)}
