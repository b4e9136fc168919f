"""Checks the part of a claim about counts that needs no proof: replays covers, forms situations and cuts.

A cover is a serial run together with cycles of requests that run one after the other. Each cycle begins and
ends in a global state that the run goes through, so it can be inserted there any number of times: all
vectors b + Σ kᵢ·pᵢ, with b the outcome of the run and pᵢ those of the cycles, are outcomes of serial runs.

Claim: if no counts of steps satisfy the state equation and the cuts, and have an outcome in none of the
covers, then the input is serializable. For the counts of a complete run satisfy them
(`seriatim.checking.counting`), so its outcome is in a cover, and is that of a serial run.

That there are no such counts remains to be shown, by a solver (`seriatim.checking.linear_cover`) or by a
proof (`seriatim.checking.tree`). Situations, cuts and covers may come from anywhere: the first are checked,
cuts hold for every set of places, covers are replayed.
"""

from collections import Counter
from collections.abc import Generator, Iterator

from seriatim.arithmetic.formula import Clause, Form, total
from seriatim.arithmetic.linear_sets import LinearSet, membership
from seriatim.certificate.counting import CutPlaces
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.serial_paths import SerialPath, SerialStep
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Allowed, Completion
from seriatim.checking.counting import Counting, InSituation, Place, counting
from seriatim.checking.cover import Precision
from seriatim.checking.moves import Moves
from seriatim.checking.obligation import DoesNotFollow, Obligation, unless
from seriatim.checking.reference import Reference, State
from seriatim.checking.situations import counting_in_situations
from seriatim.checking.words import counted
from seriatim.frozen import frozen
from seriatim.program.state import GlobalState

COVERED = "whatever outcome counting allows is in a cover"


@frozen
class CoverClaim:
    """What is left to show: that no counts satisfy the constraints and have an outcome in no set."""

    moves: Moves
    counting: Counting
    cuts: tuple[tuple[CutPlaces, frozenset[Place]], ...]
    outcome: dict[Completion, Form]
    """How often each completion occurs; all that occur in the sets are among them."""
    sets: tuple[LinearSet, ...]
    """Linear sets over the completions of the outcome, in their order."""

    def clauses(self, allowance: Allowance) -> Iterator[Clause]:
        """What counts satisfy. A term costs a tenth of what a state does: a certificate may have any number
        of cuts."""
        yield from self.counting.state_equation()
        for cut, places in self.cuts:
            clause = self.counting.cut(cut.kind, places)
            allowance.spend(1 + sum(len(part.form.terms) for part in clause) // 10)
            yield clause


def cover_claim(
    reference: Reference[State], evidence: CoverEvidence, allowed: Allowed, allowance: Allowance
) -> Generator[Obligation, None, CoverClaim | None]:
    """All obligations but the last one, which is returned, unless something is wrong before."""
    replayed = covers_replayed(allowed, evidence.covers, allowance)
    yield replayed
    if not replayed.holds:
        return None
    moves = Moves(reference, Precision(evidence.level, evidence.invariants), allowance)
    steps = counting(moves)
    if evidence.situations is not None:
        claim = "every complete run goes through the situations"
        try:
            steps = counting_in_situations(moves, evidence.situations, allowance)
        except DoesNotFollow as problem:
            yield Obligation(claim, False, str(problem))
            return None
        found = counted(len(evidence.situations.cases), "situation")
        yield Obligation(claim, True, found, (evidence.situations,))
    cuts = tuple((cut, cut_places(moves, cut, allowance)) for cut in evidence.cuts)
    marked = [cut for cut, places in cuts if cut.kind == "siphon" and steps.start in places]
    yield Obligation(
        "no siphon cut is about where runs start",
        not marked,
        f"{len(marked)} of {counted(len(cuts), 'cut')}" if marked else counted(len(cuts), "cut"),
        tuple(marked or evidence.cuts),
    )
    outcome = steps.outcome()
    for cover in evidence.covers:
        for step in (*cover.steps, *(step for cycle in cover.cycles for step in cycle.steps)):
            outcome.setdefault((step.handler, step.response), total(()))
    sets = tuple(linear_set(cover, tuple(outcome)) for cover in evidence.covers)
    return CoverClaim(moves, steps, cuts, outcome, sets)


def cut_places(moves: Moves, cut: CutPlaces, allowance: Allowance) -> frozenset[Place]:
    """The set that a cut is about."""
    flights: list[int] = []
    for flight in moves.flights:
        allowance.deadline.check()
        if any(moves.is_described(flight, waiting) for waiting in cut.waiting):
            flights.append(flight)
    return frozenset((*cut.globals, *map(InSituation, cut.situations), *flights))


def covers_replayed(allowed: Allowed, covers: tuple[SerialPath, ...], allowance: Allowance) -> Obligation:
    claim = "every cover is a serial run, with cycles through global states on its way"
    amiss = next(misplaced(allowed, covers, allowance), None)
    return unless(amiss, claim, f"{counted(len(covers), 'cover')} replayed", covers)


def misplaced(allowed: Allowed, covers: tuple[SerialPath, ...], allowance: Allowance) -> Iterator[str]:
    """What is wrong with the paths and cycles."""

    def end(start: GlobalState, steps: tuple[SerialStep, ...]) -> GlobalState | None:
        """Where requests that run one after the other lead; None if they can't."""
        global_ = start
        for step in steps:
            allowance.deadline.check()
            if (step.response, step.after) not in allowed.after(global_, step.handler):
                return None
            global_ = step.after
        return global_

    for number, cover in enumerate(covers, 1):
        allowance.deadline.check()
        if end(allowed.initial, cover.steps) is None:
            yield f"the path of cover {number} is not a serial run"
        visited = {allowed.initial, *(step.after for step in cover.steps)}
        for cycle in cover.cycles:
            if cycle.at not in visited or end(cycle.at, cycle.steps) != cycle.at:
                yield f"a cycle of cover {number} can't be inserted into its path"
        own = tuple({(step.handler, step.response) for cycle in cover.cycles for step in cycle.steps})
        try:
            membership(linear_set(cover, own))
        except ValueError:
            yield f"the cycles of cover {number} do not have independent outcomes"


def linear_set(cover: SerialPath, completions: tuple[Completion, ...]) -> LinearSet:
    def image(steps: tuple[SerialStep, ...]) -> tuple[int, ...]:
        counts = Counter((step.handler, step.response) for step in steps)
        return tuple(counts[completion] for completion in completions)

    return LinearSet(image(cover.steps), tuple(image(cycle.steps) for cycle in cover.cycles))
