"""Evidence of the kind `reduction` that is made up: all sorts of late flights and invariants."""

from random import Random

from seriatim.budget import Deadline
from seriatim.certificate.in_flight import Invariant, Waiting
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.reduction import close_views
from seriatim.checking.reference import ProgramReference
from seriatim.program.execution import big_steps
from seriatim.program.syntax import Program


def forged(reference: ProgramReference) -> ReductionEvidence:
    """Evidence with all invariants, most of which do not hold."""
    every = tuple(Invariant(name, sign) for name in reference.names for sign in (1, -1))
    return ReductionEvidence(every, ())


def forgeries(program: Program, random: Random) -> list[ReductionEvidence]:
    """Evidence with all sorts of late flights and invariants."""
    reference = ProgramReference(program, big_steps)
    every = forged(reference).invariants
    try:
        views = close_views(reference, forged(reference), Allowance(2_000, Deadline()))
    except GaveUp:
        return []
    flights = [views.flights[number] for number in range(len(views.flights))]
    described = [Waiting(handler, *reference.description(state)) for handler, state in flights]
    return [
        ReductionEvidence(
            every if random.random() < 0.8 else (), tuple(w for w in described if random.random() < share)
        )
        for share in (0.0, 0.3, 0.6, 1.0)
    ]
