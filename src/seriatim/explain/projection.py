"""Facts from counting about each global state: which requests may be in flight, which answers were given.

This is the invariant of the paper's Appendix F, projected to what a reader can see: the counts of steps are
gone. With nobody in flight in a global state g, the counts of a complete run that ends in g satisfy the state
equation and the cuts; so a solver can say which completions are impossible then, and which linear equations
between their numbers always hold. The equations are found by asking for counterexamples: some solutions span
an affine space; a solution outside of it enlarges it; an equation of the space that has none is a fact.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.arithmetic.formula import Form, at_least, at_most, combination, is_zero, total
from seriatim.arithmetic.linear_sets import LinearSet, Vector, membership
from seriatim.arithmetic.solvers.naturals import NaturalSolver
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Unknown
from seriatim.budget import Deadline
from seriatim.certificate.counting import CutPlaces
from seriatim.certificate.in_flight import Waiting
from seriatim.checking.allowed import Completion
from seriatim.checking.counting import Counting, Place
from seriatim.checking.moves import Moves
from seriatim.explain.explanation import Equation
from seriatim.program.state import GlobalState

WORK = 2_000_000
"""Work for one question; facts that are not found by then are not mentioned."""


@dataclass(frozen=True, slots=True)
class Projection:
    state: GlobalState
    in_flight: tuple[Waiting, ...]
    can_rest: bool
    """Whether there may be no request in flight. The following fields are about that case."""
    never: tuple[Completion, ...]
    at_most_one: tuple[Completion, ...]
    """Completions that occur at most once, unless the equations already say so."""
    equations: tuple[Equation, ...]


def projections(
    moves: Moves,
    counting: Counting,
    cuts: tuple[tuple[CutPlaces, frozenset[Place]], ...],
    deadline: Deadline,
) -> Iterator[Projection]:
    """The facts about each global state in turn; counts by global states. May raise `OutOfBudget`."""
    for state in moves.globals():
        here = tuple(moves.waiting(flight) for flight in requests_in_flight(moves, state))
        yield At(replace(counting, ends=frozenset({state})), cuts, deadline).project(state, here)


def requests_in_flight(moves: Moves, state: GlobalState) -> list[int]:
    """The requests that may be in flight in a global state, according to the cover; sorted."""
    cover, flights = moves.cover, moves.cover.flights
    nodes = [node for node in cover.nodes if flights.globals[node[0]] == state]
    everybody = {flight for node in nodes for flight in (*flights.fresh, *cover.at(node))}
    return [flight for flight in moves.flights if flight in everybody]


class At:
    """A solver for questions about runs that end in one global state."""

    def __init__(
        self, counting: Counting, cuts: tuple[tuple[CutPlaces, frozenset[Place]], ...], deadline: Deadline
    ) -> None:
        self.deadline = deadline
        self.solver = NaturalSolver(WORK)
        for _ in counting.steps:
            self.solver.variable()
        for row in counting.state_equation():
            self.solver.add((row,))
        for cut, places in cuts:
            self.solver.add(counting.cut(cut.kind, places))
        self.numbers: dict[Completion, Form] = {}
        for completion, form in counting.outcome().items():
            self.numbers[completion] = total([self.solver.variable()])
            self.solver.add((is_zero(combination([(1, form), (-1, self.numbers[completion])])),))

    def project(self, state: GlobalState, here: tuple[Waiting, ...]) -> Projection:
        if self.solver.solve((), self.deadline) == NoSolution():
            return Projection(state, here, False, (), (), ())
        never = tuple(completion for completion in self.numbers if self.is_below(completion, 1))
        possible = tuple(completion for completion in self.numbers if completion not in never)
        equations = tuple(self.equations(possible))
        fixed = {equation.terms[0][1] for equation in equations if len(equation.terms) == 1}
        once = tuple(c for c in possible if c not in fixed and self.is_below(c, 2))
        return Projection(state, here, True, never, once, equations)

    def is_below(self, completion: Completion, bound: int) -> bool:
        more = at_least(self.numbers[completion], bound)
        return self.solver.solve((more,), self.deadline) == NoSolution()

    def equations(self, completions: tuple[Completion, ...]) -> Iterator[Equation]:
        first = self.solver.solve((), self.deadline)
        if not isinstance(first, Solution):
            return
        base = self.vector(first, completions)
        periods: list[Vector] = []
        settled: dict[Vector, bool] = {}
        """Equations that are known to be facts, or known not to be."""
        while True:
            rows = membership(LinearSet(base, tuple(periods))).equations
            open_ = next((row for row in rows if row not in settled), None)
            if open_ is None:
                break
            outside = self.outside(open_, base, completions)
            if isinstance(outside, bool):
                settled[open_] = not outside
            else:
                periods.append(tuple(a - b for a, b in zip(outside, base, strict=True)))
        for row in rows:
            if not settled[row]:
                continue
            terms = tuple((factor, c) for factor, c in zip(row, completions, strict=True) if factor != 0)
            yield Equation(terms, -sum(factor * value for factor, value in zip(row, base, strict=True)))

    def outside(self, row: Vector, base: Vector, completions: tuple[Completion, ...]) -> Vector | bool:
        """A solution that breaks an equation; if none is found, whether there may still be one."""
        value = sum(factor * entry for factor, entry in zip(row, base, strict=True))
        parts = ((factor, self.numbers[c]) for factor, c in zip(row, completions, strict=True))
        form = combination(parts, -value)
        for constraint in (at_least(form, 1), at_most(form, -1)):
            answer = self.solver.solve((constraint,), self.deadline)
            if isinstance(answer, Solution):
                return self.vector(answer, completions)
            if isinstance(answer, Unknown):
                return True
        return False

    def vector(self, solution: Solution, completions: tuple[Completion, ...]) -> Vector:
        return tuple(self.numbers[completion].value(solution.values) for completion in completions)
