"""Safety as stages: a search for a failing step, proofs by closures, proofs backwards from failing steps."""

from seriatim.certificate.fault_run import FaultRunEvidence, Told
from seriatim.certificate.no_fault import Excluded, NoFaultEvidence
from seriatim.engines.safety.backward import Exclusions, TooManySituations
from seriatim.engines.safety.search import FaultSearch, faulty_run
from seriatim.engines.shared.closing import SHORT_CLOSURE
from seriatim.engines.shared.in_flight import invariants, level, waiting
from seriatim.engines.shared.run_evidence import run_evidence
from seriatim.engines.stage import Engine, Facts, Failing, GaveUp, Proof, Refutation, Stage, Task, once
from seriatim.method import Method, Minimality
from seriatim.systems.closure import Coverage, bits, closure
from seriatim.systems.from_input import Origin, explain_limit
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.posing import SafetyProblem
from seriatim.systems.run import FaultyRun

NOTHING_FAILS = "There are no assertions, ranges or indices, so no step can fail."
COVERED = "No step can fail, whatever other requests are in flight."
EXCLUDED = "A step fails only in situations that no step leads to."


def refutation(found: FaultyRun, origin: Origin, minimality: Minimality) -> Refutation:
    evidence = FaultRunEvidence(
        run_evidence(found.run, origin).turns,
        found.request + 1,
        origin.requests[origin.request_of(found.local)],
        Told(found.fault.code, found.fault.message),
    )
    requests = max(found.run.requests(), found.request + 1)
    return Refutation(evidence, found.run, minimality, requests, Failing(found))


class LookForFault(Engine):
    def __init__(self, task: Task[SafetyProblem]) -> None:
        self.task = task
        self.search = FaultSearch(task.problem.origin)

    def advance(self, work: int) -> Refutation | None:
        found = self.search.advance(min(work, self.task.limits.max_states), self.task.deadline)
        if found is None:
            return None
        minimality = Minimality.UNKNOWN if self.search.layers.is_cut else Minimality.PROVED
        return refutation(found, self.task.problem.origin, minimality)

    def clean_up_to(self) -> int:
        return self.search.layers.clean_up_to()

    def count_explored(self) -> int:
        return len(self.search.layers.came_from)


def read_the_text(task: Task[SafetyProblem]) -> Proof | Facts:
    if _can_fail(task):
        return task.facts
    return Proof(NoFaultEvidence(1, ()), NOTHING_FAILS)


def exclude_by_closure(task: Task[SafetyProblem]) -> Proof | GaveUp | Facts:
    try:
        return _cover(task, task.limits) or task.facts
    except LimitReached as reached:
        reached = explain_limit(reached, task.problem.origin)
        return GaveUp(reached.message, reached.hint)


def exclude_by_short_closure(task: Task[SafetyProblem]) -> Proof | Facts:
    """Tries a short closure, which suffices for small systems; others get another attempt."""
    limits = Limits(min(SHORT_CLOSURE, task.limits.max_states), task.limits.max_value)
    try:
        return _cover(task, limits) or task.facts
    except LimitReached:
        return task.facts


def _cover(task: Task[SafetyProblem], limits: Limits) -> Proof | None:
    """Examines requests one by one; if that is too coarse, in pairs."""
    origin = task.problem.origin
    for each in (1, 2):
        coverage = closure(origin, limits, task.deadline, levels=(each,))
        if not _fails_within(coverage, origin):
            return Proof(NoFaultEvidence(level(coverage), invariants(coverage, origin)), COVERED)
    return None


def _fails_within(coverage: Coverage, origin: Origin) -> bool:
    """Whether a request of the coverage can fail in its next step."""
    return any(
        (local, global_) in origin.faults
        for global_ in coverage.globals()
        for local in bits(coverage.find_covered(global_))
    )


def exclude_backwards(task: Task[SafetyProblem]) -> Proof | Refutation | GaveUp:
    origin = task.problem.origin
    try:
        coverage = closure(origin, task.limits, task.deadline)
        exclusions = Exclusions(origin, coverage, task.deadline)
        if exclusions.explore():
            steps, local, global_ = exclusions.steps()
            return refutation(faulty_run(steps, local, global_, origin), origin, Minimality.UNKNOWN)
    except LimitReached as reached:
        reached = explain_limit(reached, origin)
        return GaveUp(reached.message, reached.hint)
    except TooManySituations:
        return GaveUp("too many situations may lead to a failing step")
    excluded = tuple(
        Excluded(origin.global_state(global_), tuple(waiting(origin, local) for local in flying))
        for global_, smallest in sorted(exclusions.smallest.items())
        for flying in sorted(smallest)
    )
    evidence = NoFaultEvidence(level(coverage), invariants(coverage, origin), excluded)
    return Proof(evidence, EXCLUDED)


def _can_fail(task: Task[SafetyProblem]) -> bool:
    return task.problem.origin.content.can_fail


READ_THE_TEXT = once("text", Method.AUTO, read_the_text)
LOOK_FOR_FAULT = Stage("search", Method.SEARCH, LookForFault, needs=_can_fail)
EXCLUDE_BY_SHORT_CLOSURE = once("closure", Method.AUTO, exclude_by_short_closure, _can_fail)
EXCLUDE_BY_CLOSURE = once("closure", Method.AUTO, exclude_by_closure, _can_fail)
EXCLUDE_BACKWARDS = once("backward", Method.AUTO, exclude_backwards, _can_fail)
