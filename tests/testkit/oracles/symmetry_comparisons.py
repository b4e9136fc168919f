"""What is found up to symmetry, compared with what is found without.

`naive_closure` is the definition of level 1, without orbits, weights or bit sets. Every pair that it has must
have an image among the orbits, and the orbits have nothing else.
"""

from seriatim.arithmetic.columns import TooAlike
from seriatim.budget import Deadline, finish
from seriatim.certificate.certificate import Certificate
from seriatim.checking.verify import verify
from seriatim.engines.commits.engine import NoSerialState
from seriatim.engines.commits.orbits import Attempt, symmetric_commit_points
from seriatim.engines.commits.proof import ProvedBySymmetry, symmetric_commit_evidence
from seriatim.engines.search.engine import BoundedSearch, place_program
from seriatim.engines.search.orbits import OrbitKeys
from seriatim.program.inputs import digest
from seriatim.program.places import Uneven
from seriatim.program.recursion import deep_recursion
from seriatim.program.symmetry import Permutation, Symmetry
from seriatim.program.syntax import Program
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.properties.statement import Outcomes
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.orbits import Orbits
from seriatim.systems.placed import Asymmetric, PlacedProgram
from seriatim.systems.posing import pose
from seriatim.systems.symmetry import find_symmetry
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding
from testkit.oracles.brute_force import Interpreted, Outcome, interleaved, serial
from testkit.oracles.brute_force import TooLarge as BruteForceTooLarge

LIMITS = Limits(max_states=20_000)
MAX_PAIRS = 6_000
"""Of the whole system."""

Node = tuple[int, frozenset[int]]
START: Node = (INITIAL_GLOBAL, frozenset((INITIAL_GLOBAL,)))


class TooLarge(Exception):
    """There are more pairs than the test wants to look at."""


def naive_closure(attempt: Attempt, closure: Orbits, is_serial: bool) -> set[tuple[Node, int]]:
    """All pairs of a node and a local that is not fresh, of level 1; raises `NoSerialState`."""
    unfolding = attempt.unfolding
    commit = attempt.committing(closure, {})
    present: dict[Node, set[int]] = {START: set(unfolding.starts)}
    changed = True
    while changed:
        changed = False
        for node in list(present):
            for local in list(present[node]):
                for target, after in unfolding.moves(local, node[0]):
                    then = (after, commit(local, target, node[1]) if is_serial else node[1])
                    arrived = present[node] | ({target} if target >= 0 else set())
                    if not arrived <= present.get(then, set()):
                        present.setdefault(then, set()).update(arrived)
                        changed = True
        if sum(map(len, present.values())) > MAX_PAIRS:
            raise TooLarge
    return {(node, local) for node, here in present.items() for local in here - set(unfolding.starts)}


def key(closure: Orbits, node: Node, local: int) -> tuple[object, ...]:
    row, own = closure.node_row(node), closure.placed.local_row(local)
    return row.rest, own.rest, tuple(sorted(zip(closure.classes, row.columns, own.columns, strict=True)))


def placed(program: Program) -> PlacedProgram | None:
    symmetry = find_symmetry(program, Deadline())
    return None if symmetry is None else PlacedProgram(ProgramUnfolding(program, LIMITS), symmetry)


def compare_closures(program: Program, is_serial: bool) -> bool:
    """Whether there was a symmetry, and both closures were there to be compared."""
    own = placed(program)
    if own is None:
        return False
    attempt = Attempt(own, LIMITS, Deadline())
    closure = Orbits(own, (), LIMITS, Deadline())
    try:
        expected = naive_closure(attempt, closure, is_serial)
    except NoSerialState:
        expected = None
    except (TooLarge, Uneven):
        return False
    with deep_recursion():
        try:
            finish(closure.explore(attempt.committing(closure, {}) if is_serial else lambda *_: START[1]))
        except NoSerialState:
            assert expected is None
            return True
        except (Asymmetric, Uneven, TooAlike):
            return False
    assert expected is not None
    assert closure.pairs == {key(closure, node, local) for node, local in expected}
    return True


def compare_images(program: Program, requests: int = 2) -> bool:
    """Whether a symmetry was found; then its generators map the outcomes of all runs of a few requests, and
    those of the serial ones, onto themselves. Outcomes are enumerated by the rules alone."""
    symmetry = find_symmetry(program, Deadline())
    if symmetry is None:
        return False
    rules = Interpreted(program).rules
    try:
        every, alone = interleaved(rules, requests, 8_000), serial(rules, requests, 8_000)
    except BruteForceTooLarge:
        return False
    for permutation in symmetry.generators():
        for found in (every, alone):
            assert frozenset(image_of(outcome, symmetry, permutation) for outcome in found) == found
    return True


def image_of(outcome: Outcome, symmetry: Symmetry, permutation: Permutation) -> Outcome:
    return tuple(sorted(image_of_completion(each, symmetry, permutation) for each in outcome))


def image_of_completion(
    completion: tuple[str, str], symmetry: Symmetry, permutation: Permutation
) -> tuple[str, str]:
    request, response = completion
    image = symmetry.image_of(request, permutation)
    assert image is not None
    position = symmetry.find_answered(request, response)
    return image, response if position is None else str(symmetry.numbers[permutation[position]])


def violates_with(program: Program, requests: int) -> bool | None:
    """Whether some run of so many requests has no serial outcome; None if there are too many states."""
    origin = ProgramUnfolding(program, LIMITS)
    problem = pose(Outcomes(None, None), origin, LIMITS, Deadline())
    search = BoundedSearch(problem, None, requests)
    run = search.advance(20_000, Deadline())
    return True if run is not None else False if search.ended and not search.layers.is_cut else None


def compare_verdicts(program: Program) -> str:
    try:
        answer = finish(symmetric_commit_points(ProgramUnfolding(program, LIMITS), LIMITS, Deadline()))
    except LimitReached:
        return "too large"
    if not isinstance(answer, ProvedBySymmetry):
        return "open"
    assert violates_with(program, 3) is not True
    evidence = symmetric_commit_evidence(answer, ProgramUnfolding(program, LIMITS))
    certificate = Certificate(digest(program), SERIALIZABILITY.verdicts[0], evidence, SERIALIZABILITY)
    report = verify(certificate, program)
    assert report.accepted, report.complaint
    return "early commits" if evidence.committed else "proved"


def fewest(program: Program, with_symmetry: bool) -> int | None:
    """How many requests the smallest violation of at most three has."""
    problem = pose(Outcomes(None, None), ProgramUnfolding(program, LIMITS), LIMITS, Deadline())
    search = BoundedSearch(problem, None, 3)
    if with_symmetry:
        own = place_program(problem, Deadline())
        if own is None:
            return fewest(program, with_symmetry=False)
        search.orbits = OrbitKeys(own, search.flights, search.outcomes)
    run = search.advance(SEARCHED, Deadline())
    if run is None and not search.ended:
        raise TooLarge
    return None if run is None else run.requests()


def compare_searches(program: Program) -> None:
    try:
        expected = fewest(program, with_symmetry=False)
    except TooLarge:
        return
    assert fewest(program, with_symmetry=True) == expected


SEARCHED = 3_000
"""States that a search may explore."""
