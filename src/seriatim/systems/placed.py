"""A program as rows over the positions of a symmetry: which part of a state stands at which position.

A global state is a row (the values of the variables at each position) and a rest; so is a local: what its
code makes of each position, and the values of its local variables there. Permutations of positions act on
rows.
"""

from dataclasses import dataclass

from seriatim.arithmetic.columns import Source
from seriatim.program.indices import Renaming
from seriatim.program.places import Placed, Places
from seriatim.program.symmetry import Bodies, Permutation, Symmetry, move
from seriatim.program.syntax import Expression
from seriatim.systems.control_flow import is_temporary, remaining_code
from seriatim.systems.unfolding import ProgramUnfolding


class Asymmetric(Exception):
    """A local has no image: names of temporaries, for example, are no part of a symmetry."""


@dataclass(frozen=True, slots=True)
class Row:
    rest: int
    """What stands at no position, by number."""
    columns: tuple[int, ...]
    """What stands at each position, by number."""


class PlacedProgram:
    """The states of an unfolding as rows."""

    def __init__(self, unfolding: ProgramUnfolding, symmetry: Symmetry) -> None:
        self.unfolding = unfolding
        self.symmetry = symmetry
        indices, _ = Bodies(unfolding.program).indices(symmetry)
        self.places = Places(symmetry, unfolding.requests, indices)
        index = {name: number for number, name in enumerate(unfolding.global_names)}
        families = [family for family in symmetry.variables if family[0] in index]
        self._columns = [tuple(index[family[at]] for family in families) for at in symmetry.positions]
        at_positions = {number for column in self._columns for number in column}
        held = {number for name, number in index.items() if name in symmetry.holders}
        self.fixed = tuple(index_ for index_ in index.values() if index_ not in at_positions | held)
        """The globals that neither stand at a position nor hold one."""
        self._holding = tuple(sorted(held))
        self._local_at = {
            name: (number, at)
            for number, family in enumerate(symmetry.variables)
            if family[0] not in index
            for at, name in enumerate(family)
        }
        self._numbers: dict[object, int] = {}
        self._globals: dict[int, Row] = {}
        self._locals: dict[int, Row] = {}
        self._completions: dict[int, Row] = {}
        self._placed: dict[int, Placed] = {}
        self._points: dict[tuple[tuple[int, str], tuple[int, ...]], int] = {}
        """The points of a shape, by their colours."""
        self._listed: set[int] = set()
        """The handlers whose points have all been listed."""

    def number(self, value: object) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    def global_row(self, global_: int) -> Row:
        row = self._globals.get(global_)
        if row is None:
            values = self.unfolding.global_values[global_]
            columns: list[tuple[object, ...]] = [
                tuple([values[at] for at in column]) for column in self._columns
            ]
            rest: list[object] = ["rest", *[values[at] for at in self.fixed]]
            for at in self._holding:
                held = self.symmetry.find_held(self.unfolding.global_names[at], values[at])
                if held is None:
                    rest.append((at, values[at]))
                else:
                    columns[held] = (*columns[held], ("held by", at))
            row = self._globals[global_] = Row(self.number(tuple(rest)), tuple(map(self.number, columns)))
        return row

    def local_row(self, local: int) -> Row:
        row = self._locals.get(local)
        if row is None:
            point, values = self.unfolding.local_states[local]
            placed = self.place_point(point)
            columns: list[list[object]] = [[colour] for colour in placed.colours]
            rest: list[object] = [placed.shape]
            for name, value in zip(self.unfolding.steps.points[point].live, values, strict=True):
                held = self.symmetry.find_held(name, value)
                if name in self._local_at:
                    family, at = self._local_at[name]
                    columns[at].append((family, value))
                elif held is not None:
                    columns[held].append(name)
                else:
                    rest.append((name, value))
            numbers = tuple([self.number((column[0], frozenset(column[1:]))) for column in columns])
            row = self._locals[local] = Row(self.number(tuple(rest)), numbers)
        return row

    def completion_row(self, completion: int) -> Row:
        """A request that was answered, as a row: where the positions are that it is about, or its answer."""
        row = self._completions.get(completion)
        if row is None:
            request, response = self.unfolding.completions[completion]
            name = self.unfolding.requests[request]
            family, slots = self.places.place_request(name)
            answer = self.symmetry.find_answered(name, response)
            rest = (family, response if answer is None else None)
            colours = [self.number((own, position == answer)) for position, own in enumerate(slots)]
            row = self._completions[completion] = Row(self.number(rest), tuple(colours))
        return row

    def code(self, point: int) -> Expression:
        at = self.unfolding.steps.points[point]
        if at.pause is None:
            return self.unfolding.program.handlers[at.handler].body
        return remaining_code(at.pause)

    def place_point(self, point: int) -> Placed:
        found = self._placed.get(point)
        if found is None:
            handler = self.unfolding.steps.points[point].handler
            found = self._placed[point] = self.places.place(
                self.unfolding.requests[handler], self.code(point)
            )
        return found

    def representative(self, local: int) -> tuple[tuple[str, str, tuple[tuple[str, int], ...]], Permutation]:
        """The request, the normal form of the code, and the local variables of a state that stands for all
        images of this one; and the permutation that leads there."""
        point, values = self.unfolding.local_states[local]
        at = self.unfolding.steps.points[point]
        known = dict(zip(at.live, values, strict=True))
        if any(is_temporary(name) for name in known):
            raise Asymmetric
        request = self.unfolding.requests[at.handler]
        return self.places.representative(request, self.code(point), self.place_point(point), known)

    def move_local(self, local: int, source: Source) -> int:
        """The image of a local under a permutation."""
        point, values = self.unfolding.local_states[local]
        placed = self.place_point(point)
        colours = tuple([placed.colours[origin] for origin in source])
        goal = self._point(point, placed, colours, source)
        known = dict(zip(self.unfolding.steps.points[point].live, values, strict=True))
        if self.symmetry.numbers:
            known = self.symmetry.move_values(Renaming({}, self._renumber(source)), known)
        found: list[int] = []
        for name in self.unfolding.steps.points[goal].live:
            origin = name
            if name in self._local_at:
                family, at = self._local_at[name]
                origin = self.symmetry.variables[family][source[at]]
            if origin not in known:
                raise Asymmetric
            found.append(known[origin])
        return self.unfolding.local_number(goal, tuple(found))

    def _renumber(self, source: Source) -> dict[int, int]:
        numbers = self.symmetry.numbers
        return {numbers[origin]: numbers[position] for position, origin in enumerate(source)}

    def _point(self, point: int, placed: Placed, colours: tuple[int, ...], source: Source) -> int:
        if colours == placed.colours:
            return point
        key = (placed.shape, colours)
        if key not in self._points:
            permutation = move({origin: at for at, origin in enumerate(source)}, len(source))
            requests = self.unfolding.requests
            request = self.symmetry.image_of(
                requests[self.unfolding.steps.points[point].handler], permutation
            )
            if request is None:
                raise Asymmetric
            self._list_points(requests.index(request))
        if key not in self._points:
            raise Asymmetric
        return self._points[key]

    def _list_points(self, handler: int) -> None:
        """Records where the code of a handler stands, from each of its points on."""
        if handler in self._listed:
            return
        self._listed.add(handler)
        for number, point in enumerate(self.unfolding.steps.points):
            if point.handler == handler and (
                point.pause is not None or number in self.unfolding.steps.starts
            ):
                placed = self.place_point(number)
                self._points.setdefault((placed.shape, placed.colours), number)
