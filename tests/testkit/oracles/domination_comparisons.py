"""What searches that drop dominated states find, compared with searches that explore everything."""

from seriatim.budget import Deadline
from seriatim.engines.search.domination import Domination
from seriatim.engines.search.engine import BoundedSearch
from seriatim.engines.shared.outcomes import SerialOutcomes
from seriatim.properties.statement import Outcomes
from seriatim.systems.limits import Limits
from seriatim.systems.multiset import Multisets
from seriatim.systems.posing import OutcomeProblem, pose
from seriatim.systems.run import Run
from testkit.generators.cases import LIMITS, Case

SEARCHED = 10_000
"""States that a search may explore."""


def problem_of(given: Case, limits: Limits = LIMITS) -> OutcomeProblem:
    return pose(Outcomes(), given.unfolding, limits, Deadline())


def dominated(
    problem: OutcomeProblem, in_flight: int | None, requests: int, conditions: bool
) -> BoundedSearch:
    """A search that drops what it may."""
    serial = SerialOutcomes(problem.allowed, Multisets())
    domination = Domination(problem.allowed, serial.multisets)
    if conditions:
        domination.learn_conditions()
    return BoundedSearch(problem, in_flight, requests, serial, domination)


def runs_found(given: Case, in_flight: int | None, requests: int) -> tuple[list[Run | None], bool]:
    """What a plain search and two that drop states find, with at most so many requests; and whether nothing
    is hidden from them. They find violations with the same number of requests, or none.

    If the plain one does not end, there is nothing to compare: the list is empty.
    """
    problem = problem_of(given)
    plain = BoundedSearch(problem, in_flight, requests)
    runs = [plain.advance(SEARCHED, Deadline())]
    if not plain.ended:
        return [], False
    for conditions in (False, True):
        search = dominated(problem, in_flight, requests, conditions)
        runs.append(search.advance(SEARCHED, Deadline()))
        assert search.ended
        assert len(search.layers.came_from) <= len(plain.layers.came_from)
    sizes = [None if run is None else run.requests() for run in runs]
    assert sizes == [sizes[0]] * len(sizes), f"searches find different numbers of requests: {sizes}"
    return runs, not plain.layers.is_cut
