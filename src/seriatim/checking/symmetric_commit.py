"""Evidence of the kind `symmetric-commit`: commit points, where exchanging positions changes nothing.

Claim: if the permutations of positions are symmetries of the program, λ commits no fresh flight, no step
breaks a commitment, and D never becomes empty in the cover up to symmetry, then the program is
serializable, and no step fails. Why: `seriatim.checking.commit` shows it for covers; a cover up to symmetry
has an image of every node with every flight that occurs (`seriatim.checking.orbits`), and permutations map
steps to steps, failing steps to failing ones, flights that λ commits to flights that it commits to the same
response, and serial runs to serial runs. So what holds in the cover holds in all runs, complete or not.

That they are symmetries is verified on the program itself: initial values and normal forms of all bodies,
for two permutations that generate the others of each class.
"""

from collections.abc import Iterator

from seriatim.arithmetic.columns import TooAlike
from seriatim.certificate.in_flight import Invariant
from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence
from seriatim.checking.allowance import GaveUp
from seriatim.checking.flights import EMPTY_ORDER, STAYS
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.orbits import OrbitCover
from seriatim.checking.posing import Task
from seriatim.checking.symmetric_flights import SymmetricFlights
from seriatim.checking.weights import values_of, with_unbroken
from seriatim.checking.words import counted
from seriatim.program.places import Uneven
from seriatim.program.symmetry import Bodies, Symmetry, broken, find_defect
from seriatim.program.syntax import Program

IS_SYMMETRY = "exchanging positions of the same class maps the program onto itself"


def obligations(task: Task[SymmetricCommitEvidence]) -> Iterator[Obligation]:
    """Only of serial runs of the program itself: an observer, or barriers, may tell positions apart."""
    evidence, program, reference = task.evidence, task.content, task.program
    allowance = task.context.allowance
    if not isinstance(program, Program) or reference is None or task.asked.committing is not reference:
        raise DoesNotFollow("the symmetry is about a program only", "requests commit in a program itself")
    symmetry = evidence.symmetry
    problem = find_defect(symmetry, program)
    bodies = Bodies(program)
    if problem is None:
        for permutation in symmetry.generators():
            allowance.spend(len(bodies.of))
            problem = problem or broken(symmetry, bodies, permutation)
    classes = ", ".join(counted(len(members), "position") for members in symmetry.members())
    yield Obligation(IS_SYMMETRY, problem is None, problem or f"classes of {classes}")
    try:
        indices, _ = bodies.indices(symmetry)
        flights = SymmetricFlights(
            reference, symmetry, indices, evidence.committed, task.asked.effects, allowance
        )
        cover = close_orbits(flights, evidence.invariants, symmetry)
    except Uneven as uneven:
        raise DoesNotFollow(f"what is left of `{uneven}` distinguishes positions", IS_SYMMETRY) from None
    except TooAlike:
        raise GaveUp("too many serial states that look alike") from None
    nodes = counted(len(cover.places), "global state")
    yield Obligation(
        STAYS,
        True,
        f"{counted(len(cover.known), 'situation')} of requests in {nodes}, up to symmetry",
        evidence.committed,
    )
    yield Obligation(
        EMPTY_ORDER, True, "no set of serial states becomes empty, and no step fails", cover.invariants
    )


def close_orbits(
    flights: SymmetricFlights, invariants: tuple[Invariant, ...], symmetry: Symmetry
) -> OrbitCover:
    """The cover up to symmetry, without invariants that do not hold or are about what a permutation moves."""

    def closed(kept: tuple[Invariant, ...]) -> OrbitCover:
        cover = OrbitCover(flights, kept)
        cover.explore()
        return cover

    moved = {name for family in (*symmetry.variables, symmetry.holders) for name in family}
    return with_unbroken(invariants, values_of(flights.reference.initial).keys() - moved, closed)
