"""Proof by commit points up to symmetry: states that differ by a permutation of positions are explored once.

λ (`seriatim.engines.commits.engine`) commits all images of a local to the same response, or none. So it is
a function of locals up to symmetry, and policies choose it on the closure of orbits
(`seriatim.systems.orbits`).

A response may be a position. Then λ names it by its colour in the row of the local, and the images of a local
are committed to the images of the response. That is well-defined if no other position has this colour.
"""

from collections.abc import Callable
from dataclasses import dataclass

from seriatim.arithmetic.columns import TooAlike
from seriatim.budget import Deadline, Pieces
from seriatim.certificate.commit import CommittedState
from seriatim.closure import closure
from seriatim.engines.commits.engine import UNEXPLAINED, NoSerialState, cuts
from seriatim.engines.commits.proof import ProvedBySymmetry
from seriatim.engines.stage import GaveUp
from seriatim.program.places import Uneven
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.orbits import LocalKey, Orbits, Serial
from seriatim.systems.placed import Asymmetric, PlacedProgram
from seriatim.systems.potential import Broken, Candidate, candidates
from seriatim.systems.symmetry import find_symmetry
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding

Colour = tuple[int, int]
"""A pair (class, content of the position)."""

Response = str | Colour
"""A response, or the colour of a position that is one."""

NO_SYMMETRY = "no positions of arrays or arguments can be exchanged"
MAY_FAIL = "up to symmetry, a step may fail"


@dataclass(frozen=True, slots=True)
class Explored:
    """A closure of orbits as the table from which policies choose commit points."""

    table: dict[tuple[int, int], list[tuple[int, int]]]
    starts: tuple[int, ...]
    requests: tuple[str, ...]
    request_of: Callable[[int], int]


def symmetric_commit_points(
    unfolding: ProgramUnfolding, limits: Limits, deadline: Deadline
) -> Pieces[ProvedBySymmetry | GaveUp]:
    """Looks for a symmetry, closes the program up to it, and tries simple policies."""
    symmetry = find_symmetry(unfolding.program, deadline)
    if symmetry is None:
        return GaveUp(NO_SYMMETRY)
    try:
        return (yield from Attempt(PlacedProgram(unfolding, symmetry), limits, deadline).prove())
    except LimitReached as reached:
        return GaveUp(reached.message, reached.hint)
    except (Asymmetric, Uneven, TooAlike):
        return GaveUp(NO_SYMMETRY)


class Attempt:
    """A proof about one program with one symmetry."""

    def __init__(self, placed: PlacedProgram, limits: Limits, deadline: Deadline) -> None:
        self.placed = placed
        self.unfolding = placed.unfolding
        self.limits = limits
        self.deadline = deadline
        self._after: dict[tuple[int, int], dict[str, frozenset[int]]] = {}
        """For a request that runs alone from a global state: its responses, and what it leaves."""

    def prove(self) -> Pieces[ProvedBySymmetry | GaveUp]:
        fixed = set(self.placed.fixed)
        hopeful = {each for each in candidates(self.unfolding) if each[0] in fixed}
        plain = yield from self.close(hopeful, {}, is_serial=False)
        if plain.fails:
            return GaveUp(MAY_FAIL)
        responses: list[Response] = []
        for cut in cuts(self.make_explored(plain), self.futures(plain, responses), mixed=False):
            committed = {plain.local_key(plain.kind_of[kind]): responses[c] for kind, c in cut.items()}
            try:
                found = yield from self.close(set(plain.candidates), committed, is_serial=True)
            except NoSerialState:
                continue
            return ProvedBySymmetry(
                self.placed.symmetry,
                found.candidates,
                tuple(self.describe(plain.kind_of[kind], responses[c]) for kind, c in cut.items()),
                len(found.pairs),
            )
        return GaveUp(UNEXPLAINED)

    def describe(self, local: int, response: Response) -> CommittedState:
        (request, code, values), permutation = self.placed.representative(local)
        answer = self.name_answer(local, response)
        if not isinstance(response, str):
            position = self.colours(local).index(response)
            answer = str(self.placed.symmetry.numbers[permutation[position]])
        return CommittedState(request, code, values, answer)

    def colours(self, local: int) -> list[Colour]:
        return list(zip(self.placed.symmetry.classes, self.placed.local_row(local).columns, strict=True))

    def name_answer(self, local: int, response: Response) -> str:
        """The response of a local whose colours name it."""
        if isinstance(response, str):
            return response
        return str(self.placed.symmetry.numbers[self.colours(local).index(response)])

    def futures(self, closure: Orbits, responses: list[Response]) -> dict[int, int]:
        """The locals, up to symmetry, with a single possible answer, and that answer."""
        possible: dict[int, set[Response]] = {}
        before: dict[int, list[tuple[int, dict[Response, set[Response]]]]] = {}
        for local, target in closure.steps:
            kind = closure.kind(local)
            if target < 0:
                possible.setdefault(kind, set()).add(self.find_answer(local, ~target))
            else:
                seen_as: dict[Response, set[Response]] = {}
                if self.placed.symmetry.answers:
                    for there, here in zip(self.colours(target), self.colours(local), strict=True):
                        seen_as.setdefault(there, set()).add(here)
                before.setdefault(closure.kind(target), []).append((kind, seen_as))
        pending = list(possible)
        while pending:
            kind = pending.pop()
            for earlier, seen_as in before.get(kind, ()):
                own = possible.setdefault(earlier, set())
                found = {each for response in possible[kind] for each in seen_as.get(response, {response})}
                if len(own) < 2 and not found <= own:  # two are as good as many
                    own |= found
                    pending.append(earlier)
        unique: dict[int, int] = {}
        for kind, own in possible.items():
            response = next(iter(own))
            is_one = isinstance(response, str) or self.colours(closure.kind_of[kind]).count(response) == 1
            if len(own) == 1 and is_one:
                if response not in responses:
                    responses.append(response)
                unique[kind] = responses.index(response)
        return unique

    def find_answer(self, local: int, completion: int) -> Response:
        request, response = self.unfolding.completions[completion]
        position = self.placed.symmetry.find_answered(self.unfolding.requests[request], response)
        return response if position is None else self.colours(local)[position]

    def close(
        self, hopeful: set[Candidate], committed: dict[LocalKey, Response], is_serial: bool
    ) -> Pieces[Orbits]:
        """The closure, with the invariants that no step breaks."""
        while True:
            closure = Orbits(self.placed, tuple(sorted(hopeful)), self.limits, self.deadline)
            try:
                yield from closure.explore(
                    self.committing(closure, committed) if is_serial else lambda *_: START
                )
            except Broken as broken:
                hopeful = hopeful - broken.candidates
            else:
                return closure

    def committing(
        self, closure: Orbits, committed: dict[LocalKey, Response]
    ) -> Callable[[int, int, Serial], Serial]:
        """How steps change the serial states."""

        def commit(local: int, target: int, serial: Serial) -> Serial:
            if closure.local_key(local) in committed:
                return serial
            if target < 0:
                response: str | None = self.unfolding.completions[~target][1]
            else:
                found = committed.get(closure.local_key(target))
                response = None if found is None else self.name_answer(target, found)
            return serial if response is None else self.serial_after(serial, local, target, response)

        return commit

    def serial_after(self, serial: Serial, local: int, target: int, response: str) -> Serial:
        request = self.unfolding.request_of(local)
        ends: frozenset[int] = frozenset()
        for state in serial:
            if (request, state) not in self._after:
                self._after[request, state] = self.run_alone(request, state)
            ends |= self._after[request, state].get(response, frozenset())
        if not ends:
            raise NoSerialState(local, INITIAL_GLOBAL, target, 0)
        return ends

    def run_alone(self, request: int, global_: int) -> dict[str, frozenset[int]]:
        ends: dict[str, set[int]] = {}
        start = self.unfolding.starts[request], global_
        moves = self.unfolding.moves
        for target, after in closure(
            [start], lambda at: moves(*at) if at[0] >= 0 else (), self.deadline.check
        ):
            if target < 0:
                ends.setdefault(self.unfolding.completions[~target][1], set()).add(after)
        return {response: frozenset(states) for response, states in ends.items()}

    def make_explored(self, closure: Orbits) -> Explored:
        """The closure for policies."""
        return Explored(
            closure.moves,
            tuple(closure.kind(start) for start in closure.fresh),
            self.unfolding.requests,
            lambda kind: self.unfolding.request_of(closure.kind_of[kind]),
        )


START: Serial = frozenset((INITIAL_GLOBAL,))
"""A placeholder for the serial states where they do not matter."""
