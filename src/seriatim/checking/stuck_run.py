"""Evidence of the kind `stuck-run`: a run, and requests in flight that can never complete.

The run is replayed (`seriatim.checking.turns`). A request that arrives is in flight before its first step.

From there on, the requests in flight are followed one by one. Requests that arrive later are a *crowd*: a
set of local states, each of which any number of them may have. Claim: if no request called stuck is
answered, or fails, in any situation that is found, then it never is, whatever arrives. Why: by induction
over the steps after the run, each state is one of the situations found: a step of a request that is
followed keeps the crowd, and a step in the crowd leads to a crowd that has the new local state and all old
ones. A larger crowd can do whatever a smaller one can.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, Generic

from seriatim.certificate.stuck_run import StuckRunEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.flights import Flights
from seriatim.checking.obligation import Obligation
from seriatim.checking.posing import Task
from seriatim.checking.reference import Reference, State
from seriatim.checking.turns import check_numbers, replay
from seriatim.checking.words import counted
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Fault

Faults = Callable[[State, GlobalState], frozenset[Fault]]
"""How the next step of a request can fail."""

Followed = tuple[int, tuple[int | None, ...]]
"""(global state, the flights of the requests that are followed; None for those who were answered)."""


def obligations(task: Task[StuckRunEvidence]) -> Iterator[Obligation]:
    """Lists what has to hold of a run to where requests are stuck, in this order; each relies on those
    before."""
    evidence, turns, allowance = task.evidence, task.evidence.turns, task.context.allowance
    reference: Reference[Any] = task.reference
    faults: Faults[Any] = (lambda _, __: frozenset()) if task.program is None else task.program.faults
    if task.content.leaves_cells_out:
        yield Obligation("the run has all cells that requests need", False, "they may need others")
    begun = {turn.request: turn.handler for turn in turns}
    yield check_numbers(turns)
    run = replay(reference, turns, allowance)
    yield run.obligation("every turn is a step of the input")
    answered = {turn.request for turn in turns if turn.response is not None}
    listed = [each.request for each in evidence.in_flight]
    arrived = [request for request in listed if request not in begun]
    is_complete = (
        sorted(listed) == sorted((begun.keys() - answered) | set(arrived))
        and sorted(arrived) == list(range(len(begun) + 1, len(begun) + 1 + len(arrived)))
        and all(
            begun.get(each.request, each.waiting.handler) == each.waiting.handler
            for each in evidence.in_flight
        )
    )
    yield Obligation(
        "these requests are in flight after the run, and no others",
        is_complete,
        counted(len(listed), "request") if is_complete else "the certificate lists other requests",
    )
    found = [
        frozenset(
            state
            for state in run.places.get(each.request, reference.fresh(each.waiting.handler))
            if reference.description(state) == (each.waiting.code, each.waiting.values)
        )
        for each in evidence.in_flight
    ]
    yield _never_completes(reference, faults, evidence, found, run.global_, allowance)


def _never_completes(
    reference: Reference[State],
    faults: Faults[State],
    evidence: StuckRunEvidence,
    places: list[frozenset[State]],
    global_: GlobalState,
    allowance: Allowance,
) -> Obligation:
    stuck = [place for place, each in enumerate(evidence.in_flight) if each.stuck]
    numbers = ", ".join(str(evidence.in_flight[place].request) for place in stuck)
    claim = f"whatever arrives, these requests never complete: {numbers or 'none'}"
    if not stuck:
        return Obligation(claim, False, "no request is said to be stuck")
    detail = "their local states differ"
    handlers = [each.waiting.handler for each in evidence.in_flight]
    for states in product(*places):
        in_flight = list(zip(handlers, states, strict=True))
        aftermath = Aftermath(Flights(reference, allowance), faults, global_, in_flight)
        ends = next((place for place in aftermath.ends() if place in stuck), None)
        if ends is None:
            return Obligation(claim, True, f"{counted(len(aftermath.crowds), 'situation')} can follow")
        detail = f"request {evidence.in_flight[ends].request} may still complete, or fail"
    return Obligation(claim, False, detail)


class Aftermath(Generic[State]):
    """All situations that can follow one, whatever arrives."""

    def __init__(
        self,
        flights: Flights[State],
        faults: Faults[State],
        global_: GlobalState,
        in_flight: list[tuple[str, State]],
    ) -> None:
        self.flights = flights
        self.faults = faults
        flying = tuple(self.flights.number(*each) for each in in_flight)
        self.start: Followed = (self.flights.globals.number(global_), flying)
        self.crowds: dict[Followed, set[int]] = {self.start: set()}
        """For each situation of those followed, the flights of the crowd. Fresh ones are always there."""

    def ends(self) -> Iterator[int]:
        """Finds the places of requests that can be answered, or fail; some may come twice."""
        pending = [self.start]
        while pending:
            self.flights.allowance.spend()
            followed = pending.pop()
            global_, flying = followed
            crowd = frozenset(self.crowds[followed])
            for place, flight in enumerate(flying):
                if flight is None:
                    continue
                if self.may_end(flight, global_):
                    yield place
                for target, after in self.flights.steps(flight, global_):
                    then = target if isinstance(target, int) else None
                    self.reach((after, (*flying[:place], then, *flying[place + 1 :])), crowd, pending)
            for flight in self.flights.fresh | crowd:
                for target, after in self.flights.steps(flight, global_):
                    joined = crowd | {target} if isinstance(target, int) else crowd
                    self.reach((after, flying), joined, pending)

    def may_end(self, flight: int, global_: int) -> bool:
        """Whether a request can be answered, by its next step or without one, or can fail in that step."""
        _, state = self.flights.known[flight]
        steps = self.flights.steps(flight, global_)
        if self.flights.reference.answers(state) or any(isinstance(target, str) for target, _ in steps):
            return True
        return bool(self.faults(state, self.flights.globals[global_]))

    def reach(self, followed: Followed, crowd: frozenset[int], pending: list[Followed]) -> None:
        known = self.crowds.get(followed)
        if known is None:
            self.crowds[followed] = set(crowd)
            pending.append(followed)
        elif not crowd <= known:
            known |= crowd
            pending.append(followed)
