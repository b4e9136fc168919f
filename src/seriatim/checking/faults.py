"""Mistakes of a program: no run comes to one, as far as a cover can tell.

Proofs of serializability speak of complete runs, and a fault is in none. That a program makes no mistake is
therefore a claim of its own. A cover under all steps holds for all runs, complete or not
(`seriatim.checking.cover`); if no flight in it can fail in its next step, then nobody ever fails.
"""

from collections.abc import Iterator
from typing import Literal

from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.in_flight import Invariant
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import LOOKS, closed_cover
from seriatim.checking.flights import Flights
from seriatim.checking.obligation import Obligation
from seriatim.checking.reference import ProgramReference, ProgramState
from seriatim.program.syntax import Fault

LEVELS: tuple[Literal[1, 2], ...] = (1, 2)

NO_FAULTS = "no run makes a mistake: values stay in their ranges, and indices have elements"


def no_faults(
    reference: ProgramReference, invariants: tuple[Invariant, ...], allowance: Allowance
) -> Obligation:
    """Looks at requests one by one; if that is too coarse, in pairs."""
    detail = ""
    for level in LEVELS:
        looking = CommitEvidence(level, invariants, ())
        flights = Flights(reference, looking, allowance)
        fault = next(_possible(reference, flights, looking), None)
        if fault is None:
            return Obligation(NO_FAULTS, True, f"requests looked at {LOOKS[level]}")
        detail = f"not excluded: {fault.message} (line {fault.span.line})"
    return Obligation(NO_FAULTS, False, detail)


def _possible(
    reference: ProgramReference, flights: Flights[ProgramState], looking: CommitEvidence
) -> Iterator[Fault]:
    """The faults that the cover does not exclude."""
    cover = closed_cover(flights, looking, is_serial=False, hopeful=None)
    for (global_, _), here in cover.nodes.items():
        for flight in (*flights.fresh, *here):
            yield from reference.faults(flights.known[flight][1], flights.globals[global_])
