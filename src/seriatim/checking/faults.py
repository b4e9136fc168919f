"""Mistakes of a program: no run comes to one, as far as a cover can tell.

Proofs of serializability speak of complete runs, and a fault is in none. That a program makes no mistake is
therefore a claim of its own. A cover under all steps holds for all runs, complete or not
(`seriatim.checking.cover`); if no flight in it can fail in its next step, then nobody ever fails.
"""

from collections.abc import Iterator

from seriatim.certificate.in_flight import LEVELS, Invariant
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import closed_cover
from seriatim.checking.flights import Flights
from seriatim.checking.obligation import Obligation
from seriatim.checking.precision import LOOKS, Precision
from seriatim.checking.reference import ProgramReference, ProgramState
from seriatim.program.syntax import Fault

NO_FAULTS = "no run makes a mistake: values stay in their ranges, and indices have elements"


def no_faults(
    reference: ProgramReference, invariants: tuple[Invariant, ...], allowance: Allowance
) -> Obligation:
    """Looks at requests one by one; if that is too coarse, in pairs."""
    detail = ""
    for level in LEVELS:
        flights = Flights(reference, allowance)
        fault = next(_possible(reference, flights, Precision(level, invariants)), None)
        if fault is None:
            return Obligation(NO_FAULTS, True, f"requests looked at {LOOKS[level]}", code="no-faults")
        detail = f"not excluded: {fault.message} (line {fault.span.line})"
    return Obligation(NO_FAULTS, False, detail, code="no-faults")


def _possible(
    reference: ProgramReference, flights: Flights[ProgramState], precision: Precision
) -> Iterator[Fault]:
    """The faults that the cover does not exclude."""
    cover = closed_cover(flights, precision, is_serial=False, hopeful=None)
    for (global_, _), here in cover.nodes.items():
        for flight in (*flights.fresh, *here):
            yield from reference.faults(flights.known[flight][1], flights.globals[global_])
