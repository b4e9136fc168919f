"""Flights over the positions of a symmetry: what of each state stands at which position, and their images.

A permutation of positions renames variables, requests, and positions that variables or answers hold
(`seriatim.program.symmetry`). A variable that holds a position marks its column. Code with the same
normal form is taken for the same code (`seriatim.program.normal_form`). Keys of rows are the same for all
images of a state, and different for others: `Places` says why that holds of code, and columns are all that
there is of a state besides.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from seriatim.arithmetic.columns import Source, in_order
from seriatim.certificate.commit import CommittedState
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Allowed
from seriatim.checking.flights import STAYS, Flights
from seriatim.checking.numbering import Numbering
from seriatim.checking.obligation import DoesNotFollow
from seriatim.checking.reference import ProgramReference, ProgramState
from seriatim.program.indices import Indices, rename
from seriatim.program.places import Placed, Places
from seriatim.program.state import GlobalState
from seriatim.program.symmetry import Symmetry, move

Node = tuple[int, frozenset[int]]
"""(g, D)."""


@dataclass(frozen=True, slots=True)
class Row:
    """A state over the positions of a symmetry."""

    rest: int
    """What stands at no position, by number."""
    columns: tuple[int, ...]
    """What stands at each position, by number; positions of different classes have different ones."""

    @property
    def key(self) -> tuple[int, tuple[int, ...]]:
        """The same for all images, and for nothing else."""
        return self.rest, tuple(sorted(self.columns))


class SymmetricFlights(Flights[ProgramState]):
    """Flights over the positions of a symmetry. λ commits all images of what evidence describes."""

    def __init__(
        self,
        reference: ProgramReference,
        symmetry: Symmetry,
        indices: Indices,
        committed: tuple[CommittedState, ...],
        allowed: Allowed,
        allowance: Allowance,
    ) -> None:
        self.program = reference
        self.symmetry = symmetry
        self.places = Places(symmetry, reference.requests, indices)
        self._described = {(c.handler, c.code, c.values): c.response for c in reversed(committed)}
        self._placed: dict[tuple[str, int], Placed] = {}
        self._codes: dict[tuple[tuple[int, str], tuple[int, ...]], tuple[str, ProgramState]] = {}
        """A request, and a state with the code, of each shape with each of its colours."""
        self._at = {
            name: (number, position)
            for number, family in enumerate(symmetry.variables)
            for position, name in enumerate(family)
        }
        self._numbers: Numbering[object] = Numbering()
        self._rows: dict[int, Row] = {}
        self._state_rows: dict[GlobalState, Row] = {}
        super().__init__(reference, allowance, (), allowed)

    def number(self, request: str, state: ProgramState) -> int:
        """States whose code has the same normal form are one."""
        placed = self.placed(request, state)
        _, known = self._codes.setdefault((placed.shape, placed.colours), (request, state))
        return super().number(request, (known[0], state[1]))

    def placed(self, request: str, state: ProgramState) -> Placed:
        key = (request, state[0])
        if key not in self._placed:
            self._placed[key] = self.places.place(request, self.program.left_to_do(state))
        return self._placed[key]

    def _committed(self, request: str, state: ProgramState) -> str | None:
        if not self._described:
            return None
        code, values = self.program.left_to_do(state), self.program.values(state)
        placed = self.placed(request, state)
        image, permutation = self.places.representative(request, code, placed, values)
        response = self._described.get(image)
        position = None if response is None else self.symmetry.find_answered(request, response)
        if position is None:
            return response
        origin = permutation.index(position)
        columns = self._flight_row(request, state).columns
        if columns.count(columns[origin]) > 1:  # An image of this flight is this flight, with another answer.
            reason = f"`{request}` may be answered with any of several symmetric positions"
            raise DoesNotFollow(reason, STAYS)
        return str(self.symmetry.numbers[origin])

    def row(self, flight: int) -> Row:
        if flight not in self._rows:
            self._rows[flight] = self._flight_row(*self.known[flight])
        return self._rows[flight]

    def _flight_row(self, request: str, state: ProgramState) -> Row:
        placed = self.placed(request, state)
        columns: list[list[object]] = [[colour] for colour in placed.colours]
        rest: list[object] = [placed.shape]
        self._stand(self.program.values(state).items(), rest, columns)
        return self._row(rest, columns)

    def _stand(
        self, values: Iterable[tuple[str, int]], rest: list[object], columns: list[list[object]]
    ) -> None:
        """Puts variables where they stand, or the position that they hold."""
        for name, value in values:
            held = self.symmetry.find_held(name, value)
            if name in self._at:
                family, position = self._at[name]
                columns[position].append((family, value))
            elif held is not None:
                columns[held].append(name)
            else:
                rest.append((name, value))

    def state_row(self, state: GlobalState) -> Row:
        if state not in self._state_rows:
            columns: list[list[object]] = [[] for _ in self.symmetry.positions]
            rest: list[object] = []
            assert not isinstance(state, str), "a state of a program has variables"
            self._stand(state, rest, columns)
            self._state_rows[state] = self._row(rest, columns)
        return self._state_rows[state]

    def node_row(self, node: Node) -> Row:
        """The global state above the members of D, in an order that all images have."""
        global_, serial = node
        above = self.state_row(self.globals[global_])
        members = [self.state_row(self.states[state]) for state in sorted(serial)]
        ordered = in_order(above.columns, [(row.rest, row.columns) for row in members])
        return self.below(above, *[Row(*row) for row in ordered])

    def below(self, *rows: Row) -> Row:
        """Several rows as one."""
        columns = zip(*[row.columns for row in rows], strict=True)
        number = self._numbers.number
        return Row(
            number(("rests", *[row.rest for row in rows])), tuple([number(column) for column in columns])
        )

    def _row(self, rest: list[object], columns: list[list[object]]) -> Row:
        number = self._numbers.number
        both = zip(self.symmetry.classes, columns, strict=True)
        return Row(number(tuple(rest)), tuple([number((own, frozenset(column))) for own, column in both]))

    def image(self, flight: int, source: Source) -> int:
        """The flight that a permutation makes of this one."""
        request, state = self.known[flight]
        placed = self.placed(request, state)
        permutation = move({origin: position for position, origin in enumerate(source)}, len(source))
        renaming = self.symmetry.renaming(permutation)
        key = (placed.shape, tuple(placed.colours[origin] for origin in source))
        values = self.symmetry.move_values(renaming, self.program.values(state))
        if key in self._codes:
            goal, (code, _) = self._codes[key]
            return self.number(goal, (code, self.program.state_of(self.program.left_to_do(state), values)[1]))
        image = self.symmetry.image_of(request, permutation)
        assert image is not None, "a symmetry maps requests to requests"
        indices = self.places.indices
        answer = indices.answer(request)
        left = rename(self.program.left_to_do(state), renaming, indices, answer, answer)
        return self.number(image, self.program.state_of(left, values))
