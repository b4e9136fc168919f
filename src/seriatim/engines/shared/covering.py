"""Is every outcome that some constraints allow a serial one? Decided by covering them with linear sets.

A `Relaxation` of a system says, by linear constraints on counts, which outcomes complete runs can have: it
may allow more than there are, but never less. The question is put region by region. A region is a
conjunction of constraints on the outcome Z; the first one is empty. Ask a solver for counts in a region:

- none: the region is done;
- counts that break a cut of the relaxation: add the cut, and ask again;
- counts whose outcome Z is in Ser: take a linear set inside Ser that contains Z, and replace the region by
  disjoint ones that make up the region minus that set;
- counts whose outcome is not in Ser: an outlier, a candidate for a violation. Whether a run has it is not
  known. A caller that knows that it can be skipped adds a clause that says so.

Claim: if no region is left, every outcome of a complete run is in Ser. Why: the counts of a complete run
satisfy the constraints and all cuts, and lie in the first region. What a split takes away from a region is
in Ser, and a region is dropped only if no counts are in it.

Regions are what makes this fast: each question is a conjunction and a few cuts, where one question about
"in none of these sets" would be a large disjunction full of residues.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, assert_never

from seriatim.arithmetic.formula import Clause, Constraint, Form, combination, is_zero, total
from seriatim.arithmetic.linear_sets import Vector, outside
from seriatim.arithmetic.solvers.naturals import NaturalSolver
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Unknown
from seriatim.budget import Deadline
from seriatim.engines.shared.covers import MAX_WORK, Covers
from seriatim.engines.shared.serial_walks import SerialCover
from seriatim.engines.stage import GaveUp
from seriatim.systems.automaton import Automaton

MAX_QUESTIONS = 20_000
"""How often the solver may be asked."""

TOO_HARD = "the solver does not decide an integer problem within its bound"

Part = tuple[int, int]
"""(cover, part): one of the conjunctions that make up what is outside of a cover."""

Region = tuple[Part, ...]
"""A conjunction of constraints."""

Cut = TypeVar("Cut")


class Relaxation(Protocol[Cut]):
    """Constraints that the counts of every complete run satisfy."""

    @property
    def variables(self) -> int: ...

    @property
    def clauses(self) -> Sequence[Clause]: ...

    @property
    def outcome(self) -> dict[int, Form]:
        """How often each completion occurs."""

    def broken_cuts(self, counts: Sequence[int]) -> Iterable[Cut]:
        """Some cuts that these counts break; none only if the relaxation knows no more."""

    def clause(self, cut: Cut) -> Clause: ...


@dataclass(frozen=True, slots=True)
class CoverCandidate:
    """An outcome that is not allowed, but perhaps no run has it: only a search can tell."""

    outcome: dict[int, int]
    """How often each completion occurs; those that do not occur are left out."""

    def requests(self) -> int:
        return sum(self.outcome.values())


@dataclass(frozen=True, slots=True)
class Covered(Generic[Cut]):
    """No counts satisfy the relaxation and these cuts and have an outcome in none of these linear sets."""

    cuts: tuple[Cut, ...]
    covers: tuple[SerialCover, ...]
    questions: int
    """How often the solver was asked."""


@dataclass(frozen=True, slots=True)
class Outlier:
    """Counts that the relaxation and its cuts allow, and whose outcome is not in Ser."""

    counts: tuple[int, ...]
    outcome: Vector
    region: Region
    """The region of the outcome."""


def cover(
    relaxation: Relaxation[Cut], specification: Automaton, deadline: Deadline
) -> Covered[Cut] | CoverCandidate | GaveUp:
    """Covers all outcomes that the relaxation allows, or finds one that is not serial."""
    covers = Covers(specification, tuple(relaxation.outcome))
    covering = Covering(relaxation, covers, deadline)
    while not covering.is_done():
        found = covering.advance()
        match found:
            case None:
                pass
            case Outlier(outcome=outcome):
                counted = zip(covers.completions, outcome, strict=True)
                return CoverCandidate({completion: count for completion, count in counted if count > 0})
            case GaveUp():
                return found
            case _:
                assert_never(found)
    return Covered(tuple(covering.cuts), tuple(covers.found), covering.questions)


class Covering(Generic[Cut]):
    """A covering under way, of the outcomes in a region."""

    def __init__(
        self, relaxation: Relaxation[Cut], covers: Covers, deadline: Deadline, region: Region = ()
    ) -> None:
        self.relaxation = relaxation
        self.covers = covers
        self.deadline = deadline
        self.questions = 0
        """How often the solver was asked."""
        self.solver = NaturalSolver(MAX_WORK)
        for _ in range(relaxation.variables):
            self.solver.variable()
        self.outcome = tuple(total([self.solver.variable()]) for _ in covers.completions)
        for clause in relaxation.clauses:
            self.solver.add(clause)
        for count, form in zip(self.outcome, relaxation.outcome.values(), strict=True):
            self.solver.add((is_zero(combination([(1, form), (-1, count)])),))
        self.cuts: list[Cut] = []
        self.regions: list[Region] = [region]
        self._outsides: dict[int, tuple[tuple[Constraint, ...], ...]] = {}

    def is_done(self) -> bool:
        return not self.regions

    def advance(self) -> Outlier | GaveUp | None:
        """Asks about one region and shrinks it, unless it contains an outlier."""
        if self.questions == MAX_QUESTIONS:
            return GaveUp(f"the outcomes are not covered after {MAX_QUESTIONS:,} questions to the solver")
        region = self.regions.pop()
        self.questions += 1
        self.deadline.questions += 1
        answer = self.solver.solve(
            [constraint for part in region for constraint in self.part(part)], self.deadline
        )
        match answer:
            case NoSolution():
                return None
            case Unknown():
                return GaveUp(TOO_HARD)
            case Solution(values=counts):
                return self.refine(region, counts)
            case _:
                assert_never(answer)

    def refine(self, region: Region, counts: tuple[int, ...]) -> Outlier | GaveUp | None:
        """Replaces a region so that these counts are no longer in it, or says why that is impossible."""
        cuts = list(self.relaxation.broken_cuts(counts))
        if cuts:
            for cut in cuts:
                self.solver.add(self.relaxation.clause(cut))
            self.cuts += cuts
            self.regions.append(region)
            return None
        outcome = tuple(form.value(counts) for form in self.outcome)
        found = self.covers.around(outcome, self.deadline)
        match found:
            case NoSolution():
                self.regions.append(region)
                return Outlier(counts[: self.relaxation.variables], outcome, region)
            case Unknown():
                return GaveUp(TOO_HARD)
            case cover:
                self.regions.extend((*region, (cover, part)) for part in range(len(self.outside(cover))))
                return None

    def exclude(self, clause: Clause) -> None:
        """From now on, considers only counts that satisfy this clause."""
        self.solver.add(clause)

    def part(self, part: Part) -> tuple[Constraint, ...]:
        cover, number = part
        return self.outside(cover)[number]

    def outside(self, cover: int) -> tuple[tuple[Constraint, ...], ...]:
        """The parts that make up what is outside of a cover, over the variables of the solver."""
        if cover not in self._outsides:
            member = self.covers.members[cover]
            self._outsides[cover] = tuple(outside(member, self.outcome, self.solver.variable))
        return self._outsides[cover]
