"""Evidence of the kind `commit`: each request takes effect in one step, and the order of these steps is
serial.

A *flight* is a request with its local state. λ commits some flights, none of them fresh, to responses. A
step *commits* to a response r if it leads from an uncommitted flight to one that λ commits to r, or to an
answer r. D, a set of global states, is {g₀} at first; a step that commits replaces D by the global states
to which a request of that name, running alone from some member of D, can get while answering r.

Claim: if no step leads from a flight committed to r to an uncommitted one, to one committed to another
response or to another answer, and if D never becomes empty in complete runs, then the input is
serializable. For in a complete run each request is fresh at first and answered in the end, so it commits
exactly once, to its answer; D is what serial runs with these completions in this order can reach; it is not
empty, so there is such a serial run, with the same outcome.

What can occur in complete runs is over-approximated by a cover (`seriatim.checking.cover`), with D as a part
of the global state.
"""

from collections.abc import Iterator

from seriatim.certificate.commit import CommitEvidence
from seriatim.checking.cover import Cover, Precision, close_cover, hopeful, looks
from seriatim.checking.flights import EMPTY_ORDER, STAYS, Flights
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.posing import Task
from seriatim.checking.reference import State
from seriatim.checking.words import counted


def obligations(task: Task[CommitEvidence]) -> Iterator[Obligation]:
    """Both conditions, for the steps of all requests that can be answered, or of all requests."""
    evidence, asked = task.evidence, task.asked
    precision = Precision(evidence.level, evidence.invariants)
    flights = Flights(asked.committing, task.context.allowance, evidence.committed, asked.effects)
    cover = serial_cover(flights, precision, asked.in_all_runs)
    points = f"{counted(len(cover.flights.known), 'point')} at which requests can wait"
    situations = f"{counted(len(cover.nodes), 'combination')} with the global state"
    yield Obligation(
        STAYS,
        True,
        f"{points}, in {situations}, looked at {looks(evidence.level)}",
        evidence.committed,
    )
    yield Obligation(EMPTY_ORDER, True, "no set of serial states becomes empty", cover.invariants)


def serial_cover(flights: Flights[State], precision: Precision, in_all_runs: bool = False) -> Cover[State]:
    """Returns what can occur, with the states of the commits so far: in all runs, or else in complete ones.

    Raises `DoesNotFollow` if these commits do not prove anything."""
    try:
        return close_cover(flights, precision, is_serial=True, hopeful=None)
    except DoesNotFollow:
        if in_all_runs:
            raise
        return close_cover(flights, precision, is_serial=True, hopeful=hopeful(flights, precision))
