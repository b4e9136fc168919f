"""Deadlocks as stages: a search for a stuck run, and proofs by closures."""

from seriatim.certificate.never_stuck import NeverStuckEvidence
from seriatim.certificate.stuck_run import InFlight, StuckRunEvidence
from seriatim.engines.shared.in_flight import invariants, level, waiting
from seriatim.engines.shared.run_evidence import run_evidence
from seriatim.engines.stage import Engine, Facts, GaveUp, Hanging, Proof, Refutation, Stage, Task, once
from seriatim.engines.stuck.proof import never_stuck
from seriatim.engines.stuck.search import StuckSearch
from seriatim.method import Method, Minimality
from seriatim.systems.closure import closure
from seriatim.systems.from_input import Origin, explain_limit
from seriatim.systems.limits import LimitReached
from seriatim.systems.posing import StuckProblem
from seriatim.systems.run import StuckRun

NO_LOOPS = "No handler loops or waits, so each request ends by itself."
ABLE = "Wherever requests are in flight, one of them can complete, and then the next one."


def stuck_evidence(found: StuckRun, origin: Origin) -> StuckRunEvidence:
    in_flight = tuple(
        InFlight(request + 1, request in found.lost, waiting(origin, local))
        for request, local in found.in_flight
    )
    return StuckRunEvidence(run_evidence(found.run, origin).turns, in_flight)


def refutation(found: StuckRun, origin: Origin, minimality: Minimality) -> Refutation:
    requests = max([found.run.requests(), *(request + 1 for request, _ in found.in_flight)])
    return Refutation(stuck_evidence(found, origin), found.run, minimality, requests, Hanging(found))


class LookForStuckRun(Engine):
    def __init__(self, task: Task[StuckProblem]) -> None:
        self.task = task
        self.search = StuckSearch(task.problem.origin)

    def advance(self, work: int) -> Refutation | None:
        found = self.search.advance(min(work, self.task.limits.max_states), self.task.deadline)
        return None if found is None else refutation(found[0], self.task.problem.origin, found[1])

    def clean_up_to(self) -> int:
        return self.search.clean_up_to()

    def count_explored(self) -> int:
        return len(self.search.layers.came_from)


def can_wait(origin: Origin) -> bool:
    """Whether a request may have to wait; the text of a program without loops excludes that."""
    return origin.content.may_wait


def read_the_text(task: Task[StuckProblem]) -> Proof | Facts:
    if can_wait(task.problem.origin):
        return task.facts
    return Proof(NeverStuckEvidence(1, ()), NO_LOOPS)


def show_able(task: Task[StuckProblem]) -> Proof | GaveUp:
    """Looks at requests one by one; if that is too coarse, in pairs."""
    origin = task.problem.origin
    try:
        for each in (1, 2):
            coverage = closure(origin, task.limits, task.deadline, levels=(each,))
            if never_stuck(origin, coverage, task.deadline):
                return Proof(NeverStuckEvidence(level(coverage), invariants(coverage, origin)), ABLE)
    except LimitReached as reached:
        reached = explain_limit(reached, origin)
        return GaveUp(reached.message, reached.hint)
    return GaveUp("neither a stuck run nor a proof that none exists was found")


READ_THE_TEXT = once("text", Method.AUTO, read_the_text)
LOOK_FOR_STUCK_RUN = Stage("search", Method.SEARCH, LookForStuckRun)
SHOW_ABLE = once("closure", Method.AUTO, show_able)
