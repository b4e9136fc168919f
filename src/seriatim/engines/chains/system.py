"""The runs of a chain, as integers see them: what their counts satisfy, and what grows without bounds there.

A *chain* is a structure in which each strongly connected component is left by at most one edge, so that every
run takes all edges between components, each once. Its counts satisfy the equations of the structure, all rows
and a region of outcomes: the *system* of the chain.

The *homogeneous* system has the same forms without constants. Claim: an inner edge (or the number of requests
at a place, when a run comes to a level) is bounded in all solutions of the system if and only if it is 0 in
all solutions of the homogeneous system; provided that the system has a solution. Why: a solution plus any
multiple of a homogeneous one is a solution; and a polyhedron is a bounded set plus the cone of its
directions, which are the rational solutions of the homogeneous system. The sum of homogeneous solutions is
one, so there is one that is positive wherever any is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from seriatim.arithmetic.formula import (
    Clause,
    Constraint,
    Form,
    at_least,
    at_most,
    combination,
    is_zero,
    total,
)
from seriatim.arithmetic.linear_sets import outside
from seriatim.arithmetic.solvers.naturals import NaturalSolver
from seriatim.arithmetic.solvers.smt import NoSolution, RationalSolver, Unknown
from seriatim.budget import Deadline
from seriatim.certificate.chain_counts import Counts, PrefixRow
from seriatim.engines.shared.covering import Region
from seriatim.engines.shared.covers import MAX_WORK, Covers
from seriatim.petri.level_counts import LevelCounts
from seriatim.petri.structures import Structure, component_levels, is_bridge

RATIONAL_WORK = 50 * MAX_WORK
"""Questions about rationals are seldom hard, but can be large."""


@dataclass(frozen=True, slots=True)
class Growth:
    """A homogeneous solution that is positive wherever any is."""

    values: tuple[Fraction, ...]
    """The value of each variable."""

    def of(self, form: Form) -> Fraction:
        return sum((factor * self.values[variable] for variable, factor in form.terms), Fraction(0))


class ChainSystem:
    """The system of a chain and a region.

    Variables are the counts of edges, then numbers of requests at places after the inner edges of levels:
    with these, constraints are short. Each bridge is taken once.
    """

    def __init__(self, given: Structure, region: Region, covers: Covers) -> None:
        self.given = given
        self.region = region
        self.covers = covers
        self.levels = component_levels(given)
        self.counts = LevelCounts(given, self.levels)
        self.bridges = tuple(
            sorted(
                (number for number, edge in enumerate(given.edges) if is_bridge(self.levels, edge)),
                key=lambda number: self.levels[given.edges[number].source],
            )
        )
        """The bridges in the order of runs."""
        self.variables = len(given.edges)
        self.after: list[list[Form]] = []
        """For each bridge, for each place the number of requests after it."""
        self.constraints: list[Constraint] = [
            constraint for clause in self.counts.clauses[: given.nodes] for constraint in clause
        ]
        self._add_markings()
        outcome = tuple(self.counts.outcome.values())
        for cover, part in region:
            self.constraints += tuple(outside(covers.members[cover], outcome, self._variable))[part]

    def _variable(self) -> int:
        self.variables += 1
        return self.variables - 1

    def _add_markings(self) -> None:
        """Along the chain: numbers are never negative, are what guards say, and 0 at the end."""
        places = range(self.given.table.places)
        numbers = [Form(()) for _ in places]
        for level, bridge in zip(sorted(set(self.levels)), (*self.bridges, None), strict=True):
            for place, added in self._inner_changes(level).items():
                number = total([self._variable()])
                self.constraints.append(is_zero(combination([(1, numbers[place]), (1, added), (-1, number)])))
                numbers[place] = number
            if bridge is None:
                self.constraints += map(is_zero, numbers)
                return
            edge = self.given.edges[bridge]
            taken = self.given.find_taken(edge)
            if taken is not None:
                self.constraints.append(at_least(numbers[taken], 1))
            for place, change in self.given.changes(edge):
                numbers[place] = combination([(1, numbers[place])], change)
            self.constraints += [
                is_zero(combination([(1, numbers[place])], -value)) for place, value in sorted(edge.guard)
            ]
            self.after.append(list(numbers))

    def _inner_changes(self, level: int) -> dict[int, Form]:
        """For each place that inner edges of a level change, by how much."""
        found: dict[int, list[tuple[int, Form]]] = {}
        for number in self.counts.inner.get(level, ()):
            for place, change in self.given.changes(self.given.edges[number]):
                found.setdefault(place, []).append((change, total([number])))
        return {place: combination(changes) for place, changes in found.items()}

    def evidence(self) -> Counts:
        """The system in terms of counts alone."""
        return Counts(self.levels, tuple(self._rows()), ())

    def _rows(self) -> Iterator[PrefixRow]:
        for level in sorted(set(self.levels)):
            for place in range(self.given.table.places):
                if self.counts.entry(level, place).terms:
                    yield PrefixRow(level, place, "entry")
                if self.counts.exit(level, place).terms:
                    yield PrefixRow(level, place, "exit")

    def solver(self) -> NaturalSolver:
        """A solver that knows all equations and inequalities of the system."""
        solver = NaturalSolver(MAX_WORK)
        for _ in range(self.variables):
            solver.variable()
        for constraint in self.constraints:
            solver.add((constraint,))
        return solver

    def homogeneous(self) -> Iterator[Constraint]:
        """The system without constants."""
        for constraint in self.constraints:
            if constraint.form.terms:
                yield Constraint(Form(constraint.form.terms), constraint.relation)

    def growing(self) -> list[Form]:
        """Returns what may grow without bounds: inner edges, and numbers of requests between levels."""
        forms = [total([edge]) for edge in range(len(self.given.edges)) if edge not in self.bridges]
        forms += [Form(number.terms) for numbers in self.after for number in numbers if number.terms]
        return list(dict.fromkeys(forms))

    def growth(self, deadline: Deadline) -> Growth | Unknown:
        """For each form that may grow, let t be at most 1 and at most the form. As solutions can be
        multiplied, the largest sum of all t is the number of forms that can grow."""
        solver = RationalSolver(RATIONAL_WORK)
        for _ in range(self.variables):
            solver.variable()
        for constraint in self.homogeneous():
            solver.add((constraint,))
        forms = self.growing()
        for form in forms:
            grows = total([solver.variable()])
            solver.add((at_most(grows, 1),))
            solver.add((at_least(combination([(1, form), (-1, grows)]), 0),))
        together = total(range(self.variables, self.variables + len(forms)))
        best = Growth((Fraction(0),) * self.variables)
        fewest, most = 0, len(forms)
        """How many can grow."""
        while fewest < most:
            wanted = most if fewest == 0 else (fewest + most + 1) // 2
            answer = solver.solve([at_least(together, wanted)], deadline)
            if isinstance(answer, Unknown):
                return answer
            if isinstance(answer, NoSolution):
                most = wanted - 1
                fewest = max(fewest, 0)
            else:
                best = Growth(answer[: self.variables])
                fewest = sum(best.of(form) > 0 for form in forms)
        return best


def differs(forms: tuple[Form, ...], values: tuple[int, ...]) -> Clause:
    """Not all of these forms have these values."""
    return tuple(
        at_least(combination([(sign, form)], -sign * value), 1)
        for form, value in zip(forms, values, strict=True)
        for sign in (1, -1)
    )
