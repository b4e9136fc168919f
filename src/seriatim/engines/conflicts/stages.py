"""Conflict serializability as stages: a search for a cycle of conflicts, and a proof that no cycle exists."""

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.engines.conflicts.evidence import cycle_evidence
from seriatim.engines.conflicts.proof import no_cycle
from seriatim.engines.conflicts.search import Acted, ConflictSearch
from seriatim.engines.shared.in_flight import action_invariants, level
from seriatim.engines.shared.reasons import ACYCLIC, NO_YIELD, WAITING
from seriatim.engines.stage import ConflictCycle, Engine, Facts, GaveUp, Proof, Refutation, Stage, Task, once
from seriatim.method import Method, Minimality
from seriatim.program.syntax import Program
from seriatim.systems.actions import ProgramActions
from seriatim.systems.closure import closure
from seriatim.systems.from_input import program_of
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.posing import ConflictProblem
from seriatim.systems.replay import ImpossibleTurn, replay_turns

MAX_PROOF = 200_000
"""The most states of monitors in a proof."""

SHORT_SEARCH = 300
"""How many states to explore for cycles by waiting."""


class LookForCycle(Engine):
    def __init__(self, task: Task[ConflictProblem]) -> None:
        self.task = task
        self.search = ConflictSearch(task.problem.actions)

    def advance(self, work: int) -> Refutation | GaveUp | None:
        run = self.search.advance(work, self.task.deadline)
        return None if run is None else self.make_refutation(run)

    def make_refutation(self, run: tuple[Acted, ...]) -> Refutation | GaveUp:
        problem = self.task.problem
        evidence = cycle_evidence(run, problem.actions)
        try:
            replay = replay_turns(evidence.turns, problem.origin)
        except ImpossibleTurn:
            return GaveUp("there is a cycle of conflicts, but where a request can neither move nor answer")
        minimality = Minimality.UNKNOWN if self.search.is_cut else Minimality.PROVED
        why = ConflictCycle(evidence.conflicts)
        return Refutation(evidence, replay, minimality, replay.requests(), why)

    def clean_up_to(self) -> int:
        return 0 if self.search.is_cut else self.search.clean_up_to


def without_yields(task: Task[ConflictProblem]) -> Proof | Facts:
    content = task.problem.origin.content
    if content.never_yields and not (content.unbounded_handlers and content.can_fail):
        return Proof(AtomicEvidence(), NO_YIELD)
    return task.facts


def exclude_cycles(task: Task[ConflictProblem]) -> Proof | GaveUp | Facts:
    problem = task.problem
    try:
        coverage = closure(problem.actions, task.limits, task.deadline, levels=(2,))
    except LimitReached as reached:
        return GaveUp(reached.message, reached.hint)
    if not no_cycle(problem.actions, coverage, MAX_PROOF, task.deadline):
        return task.facts
    evidence = NoCycleEvidence(level(coverage), action_invariants(coverage, problem.actions))
    origin = problem.origin
    waits = bool(origin.content.handlers) and conflicts_by_waiting(
        program_of(origin), task.limits, task.deadline
    )
    return Proof(evidence, f"{ACYCLIC} {WAITING}" if waits else ACYCLIC)


def conflicts_by_waiting(program: Program, limits: Limits, deadline: Deadline) -> bool:
    """Whether there soon is a cycle of conflicts if wait steps count as actions."""
    system = ProgramActions(program, limits, deadline, counts_waits=True)
    try:
        return ConflictSearch(system).advance(SHORT_SEARCH, deadline) is not None
    except OutOfBudget:
        return False


WITHOUT_YIELDS = once("atomic", Method.ATOMIC, without_yields)
LOOK_FOR_CYCLE = Stage("search", Method.SEARCH, LookForCycle)
EXCLUDE_CYCLES = once("closure", Method.AUTO, exclude_cycles)
