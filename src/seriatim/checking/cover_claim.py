"""Checks the part of a claim about counts that needs no proof: replays covers, forms situations and cuts.

Claim: if no counts of steps satisfy the state equation and the cuts, and have an outcome in none of the
covers, then the input is serializable. For the counts of a complete run satisfy them
(`seriatim.checking.counting`), so its outcome is in a cover, and is that of a serial run
(`seriatim.checking.covers`).

That there are no such counts remains to be shown, by a solver (`seriatim.checking.linear_cover`) or by a
proof (`seriatim.checking.tree`). Situations and cuts may come from anywhere: the first are checked, and cuts
hold for every set of places.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from seriatim.arithmetic.formula import Clause, Form, total
from seriatim.certificate.counting import CutPlaces
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Allowed, Completion
from seriatim.checking.counting import Counting, InSituation, Place, counting, counting_in_situations
from seriatim.checking.cover import Precision
from seriatim.checking.covers import check_covers, completions_in
from seriatim.checking.moves import Moves
from seriatim.checking.obligation import Obligation, claiming
from seriatim.checking.reference import Reference, State
from seriatim.checking.words import counted

COVERED = "whatever outcome counting allows is in a cover"


@dataclass(frozen=True, slots=True)
class CoverClaim:
    """What is left to show: that no counts satisfy the constraints and have an outcome in no set."""

    moves: Moves
    counting: Counting
    cuts: tuple[tuple[CutPlaces, frozenset[Place]], ...]
    outcome: dict[Completion, Form]
    """How often each completion occurs; all that occur in covers are among them."""

    def cut_clauses(self, allowance: Allowance) -> Iterator[Clause]:
        """Yields what cuts say of counts. A term costs a tenth of what a state does: a certificate may have
        any number of cuts."""
        for cut, places in self.cuts:
            clause = self.counting.cut(cut.kind, places)
            allowance.spend(1 + sum(len(part.form.terms) for part in clause) // 10)
            yield clause


def cover_claim(
    reference: Reference[State], evidence: CoverEvidence, allowed: Allowed, allowance: Allowance
) -> Generator[Obligation, None, CoverClaim]:
    """All obligations but the last one, which is returned. Each relies on those before it."""
    yield check_covers(allowed, evidence.covers, allowance)
    moves = Moves(reference, Precision(evidence.level, evidence.invariants), allowance)
    steps = counting(moves)
    if evidence.situations is not None:
        claim = "every complete run goes through the situations"
        with claiming(claim, "the list "):
            steps = counting_in_situations(moves, evidence.situations, allowance)
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
    for completion in completions_in(evidence.covers):
        outcome.setdefault(completion, total(()))
    return CoverClaim(moves, steps, cuts, outcome)


def cut_places(moves: Moves, cut: CutPlaces, allowance: Allowance) -> frozenset[Place]:
    """The set that a cut is about."""
    flights: list[int] = []
    for flight in moves.flights:
        allowance.deadline.check()
        if any(moves.is_described(flight, waiting) for waiting in cut.waiting):
            flights.append(flight)
    return frozenset((*cut.globals, *map(InSituation, cut.situations), *flights))
