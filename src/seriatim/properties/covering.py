"""Is every outcome that some constraints allow a serial one? Decided by covering them with linear sets.

A `Relaxation` of a system says, by linear constraints on counts, which outcomes complete runs can have: it
may allow more than there are, but never less. The question is put region by region. A region is a
conjunction of constraints on the outcome Z; the first one is empty. Ask a solver for counts in a region:

- none: the region is done;
- counts that break a cut of the relaxation: add the cut, and ask again;
- counts whose outcome Z is in Ser: take a linear set inside Ser that contains Z, and replace the region by
  disjoint ones that make up the region minus that set;
- counts whose outcome is not in Ser: a candidate for a violation. Whether a run has it is not known.

Claim: if no region is left, every outcome of a complete run is in Ser. Why: the counts of a complete run
satisfy the constraints and all cuts, and lie in the first region. What a split takes away from a region is
in Ser, and a region is dropped only if no counts are in it.

Regions are what makes this fast: each question is a conjunction and a few cuts, where one question about
"in none of these sets" would be a large disjunction full of residues.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, assert_never

from seriatim.budget import Deadline
from seriatim.formula import Clause, Constraint, Form, combination, is_zero, total
from seriatim.linear_sets import Membership, membership, outside
from seriatim.network.automaton import Automaton
from seriatim.properties.answer import Candidate, GaveUp
from seriatim.properties.serial_flows import SerialFlows
from seriatim.properties.serial_walks import SerialCover
from seriatim.solvers.smt import NoSolution, Solution, Solver, Unknown

MAX_QUESTIONS = 20_000
"""How often the solver may be asked."""

MAX_WORK = 20_000_000
"""How much work, as z3 counts it, one question may take."""

TOO_HARD = "the solver does not decide an integer problem within its bound"

Region = tuple[Constraint, ...]
"""Constraints all of which hold."""

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
class Covered(Generic[Cut]):
    """No counts satisfy the relaxation and these cuts and have an outcome in none of these linear sets."""

    cuts: tuple[Cut, ...]
    covers: tuple[SerialCover, ...]
    questions: int
    """How often the solver was asked."""


def cover(
    relaxation: Relaxation[Cut], specification: Automaton, deadline: Deadline
) -> Covered[Cut] | Candidate | GaveUp:
    """Covers all outcomes that the relaxation allows, or finds one that is not serial."""
    return _Covering(relaxation, specification, deadline).run()


class _Covering(Generic[Cut]):
    """A covering under way."""

    def __init__(self, relaxation: Relaxation[Cut], specification: Automaton, deadline: Deadline) -> None:
        self.relaxation = relaxation
        self.deadline = deadline
        self.completions = tuple(relaxation.outcome)
        self.serial = SerialFlows(specification, self.completions, MAX_WORK)
        self.solver = Solver(MAX_WORK)
        for _ in range(relaxation.variables):
            self.solver.variable()
        self.outcome = tuple(total([self.solver.variable()]) for _ in self.completions)
        for clause in relaxation.clauses:
            self.solver.add(clause)
        for count, form in zip(self.outcome, relaxation.outcome.values(), strict=True):
            self.solver.add((is_zero(combination([(1, form), (-1, count)])),))
        self.cuts: list[Cut] = []
        self.covers: list[SerialCover] = []
        self.known: list[tuple[Membership, tuple[Region, ...]]] = []
        """For each cover what is in it, and regions that make up what is not."""
        self.regions: list[Region] = [()]

    def run(self) -> Covered[Cut] | Candidate | GaveUp:
        for questions in range(MAX_QUESTIONS):
            if not self.regions:
                return Covered(tuple(self.cuts), tuple(self.covers), questions)
            region = self.regions.pop()
            self.deadline.questions += 1
            answer = self.solver.solve(region, self.deadline)
            match answer:
                case NoSolution():
                    continue
                case Unknown():
                    return GaveUp(TOO_HARD)
                case Solution(values=counts):
                    stopped = self.refine(region, counts)
                    if stopped is not None:
                        return stopped
                case _:
                    assert_never(answer)
        return GaveUp(f"the outcomes are not covered after {MAX_QUESTIONS:,} questions to the solver")

    def refine(self, region: Region, counts: Sequence[int]) -> Candidate | GaveUp | None:
        """Replaces a region so that these counts are no longer in it, or says why that is impossible."""
        cuts = list(self.relaxation.broken_cuts(counts))
        if cuts:
            for cut in cuts:
                self.solver.add(self.relaxation.clause(cut))
            self.cuts += cuts
            self.regions.append(region)
            return None
        outcome = tuple(form.value(counts) for form in self.outcome)
        rest = next((rest for member, rest in self.known if member.holds(outcome)), None)
        if rest is None:
            flow = self.serial.flow(outcome, self.deadline)
            if isinstance(flow, Unknown):
                return GaveUp(TOO_HARD)
            if isinstance(flow, NoSolution):
                return Candidate({c: n for c, n in zip(self.completions, outcome, strict=True) if n > 0})
            rest = self.add(self.serial.cover(flow))
        self.regions.extend((*region, *part) for part in rest)
        return None

    def add(self, cover: SerialCover) -> tuple[Region, ...]:
        """Keeps a cover; the regions that make up what is outside of it."""
        member = membership(cover.linear_set(self.completions))
        rest = tuple(outside(member, self.outcome, self.solver.variable))
        self.covers.append(cover)
        self.known.append((member, rest))
        return rest
