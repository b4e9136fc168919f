"""Safety of threads as stages: a search for a failing run, and proofs for any number of threads."""

from functools import partial

from seriatim.arithmetic.solvers.horn import Relations, solve_horn
from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_run import ThreadRunEvidence
from seriatim.engines.stage import Engine, Facts, FailingThreads, GaveUp, Proof, Stage, Task, once
from seriatim.engines.threads.cover_evidence import cover_evidence
from seriatim.engines.threads.flows import find_flows
from seriatim.engines.threads.karp_miller import Cover, Failure
from seriatim.engines.threads.modular import modular_clauses
from seriatim.engines.threads.petrification import Petrification
from seriatim.engines.threads.predicates import FALSE_QUERY, TooMany
from seriatim.engines.threads.search import Exhausted, Search
from seriatim.engines.threads.terms import UnknownTerm
from seriatim.engines.threads.unrolling import Unrolling
from seriatim.frozen import replace
from seriatim.method import Method, Minimality
from seriatim.program.threads.runs import NotARun, replay
from seriatim.program.threads.values import domains
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.problem import ThreadProblem
from seriatim.systems.threads.runs import thread_run
from seriatim.systems.threads.tidying import fails_alike, tidy

COVERED = "Every state that any number of threads can reach is listed, and no step fails there."
MODULAR = "What holds of main and {} is kept by every step, whatever other threads do, and excludes failures."
QUESTIONS = 400
"""To a solver, for one program."""
SECONDS_PER_LEVEL = {1: 6.0, 2: 20.0}
OTHER_IDS = "a run fails only if a join takes a thread whose id was overwritten; others may fail, too"
TOO_MANY_VALUES = "`{}` may hold infinitely many values, and some of them were not tried"


def has_unknown_integers(task: Task[ThreadProblem]) -> bool:
    """Whether values may matter that no search tries: only then formulas find more than it."""
    return bool(domains(task.problem.program).entangled)


class LookForFailure(Engine):
    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.task = task
        self.system = FiniteSystem(task.problem.program, task.deadline)
        self.search = Search(self.system, task.deadline)

    def advance(self, work: int) -> FailingThreads | GaveUp | Facts | None:
        left = self.task.limits.max_states - self.search.explored
        found = self.search.advance(min(work, left))
        if isinstance(found, Exhausted):
            if self.system.inexact is not None:
                return GaveUp(TOO_MANY_VALUES.format(self.system.inexact))
            return self.task.facts  # Nothing fails; a cover proves it.
        if found is not None:
            exact = self.system.inexact is None
            minimality = Minimality.PROVED if exact else Minimality.UNKNOWN
            run = tidy(self.task.problem.program, thread_run(self.system, found.steps))
            if not fails_alike(self.task.problem.program, run):
                return GaveUp(OTHER_IDS)
            evidence = ThreadRunEvidence(run)
            return FailingThreads(evidence, minimality, found.threads)
        if self.search.explored >= self.task.limits.max_states:
            return GaveUp(f"no failing run among {self.search.explored:,} states", "raise --max-states")
        return None

    def clean_up_to(self) -> int:
        """Threads besides main, and main; only if the values tried stand for all."""
        return self.search.clean_up_to + 1 if self.system.inexact is None else 0

    def explored(self) -> int:
        return self.search.explored


class CoverAll(Engine):
    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.task = task
        self.system = FiniteSystem(task.problem.program, task.deadline)
        self.cover = Cover(self.system, task.deadline)

    def advance(self, work: int) -> Proof | GaveUp | Facts | None:
        try:
            is_whole = self.cover.build(work)
        except Failure:
            return GaveUp("some run fails, but no search has found a short one", "allow more with --timeout")
        if self.system.inexact is not None:
            return GaveUp(TOO_MANY_VALUES.format(self.system.inexact))
        if is_whole:
            return Proof(cover_evidence(self.cover), COVERED)
        if self.cover.size > self.task.limits.max_states:
            return GaveUp(f"more than {self.cover.size:,} states", "raise --max-states")
        return None

    def explored(self) -> int:
        return self.cover.size


def prove_modular(level: int, task: Task[ThreadProblem], uses_flows: bool = False) -> Proof | GaveUp:
    """Looks for formulas about main and so many other threads, perhaps with sums that never change."""
    share = Deadline(min(task.deadline.remaining(), SECONDS_PER_LEVEL[level]), task.deadline.max_bytes)
    try:
        flows = find_flows(task.problem.program) if uses_flows else ()
        if uses_flows and not flows:
            return GaveUp("there are no sums of globals and threads that never change")
        clauses = modular_clauses(task.problem.program, level, share, flows)
        found = solve_horn(clauses.text(), FALSE_QUERY, share)
        if isinstance(found, Relations):
            evidence = ThreadModularEvidence(level, flows, clauses.predicates(found))
            return Proof(evidence, MODULAR.format("any other thread" if level == 1 else "any two others"))
    except (TooMany, UnknownTerm) as error:
        return GaveUp(str(error))
    except OutOfTime:
        task.deadline.check()
    return GaveUp(f"no invariant of main and {level} other threads was found")


class Unroll(Engine):
    """Looks for short runs with a solver for values."""

    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.program = task.problem.program
        self.unrolling = Unrolling(self.program, task.deadline)

    def advance(self, work: int) -> FailingThreads | GaveUp | None:
        run = self.unrolling.advance(min(work, QUESTIONS))
        if run is None:
            return GaveUp("no short failing run was found")
        try:
            *_, last = replay(self.program, run)
        except NotARun:
            return GaveUp(OTHER_IDS)
        assert last.failure is not None, "a replay ends with a failure"
        told = replace(run, failure=last.failure)
        threads = len({step.thread for step in run.steps}) - 1
        return FailingThreads(ThreadRunEvidence(tidy(self.program, told)), Minimality.UNKNOWN, threads)


class Petrify(Engine):
    """One bound a turn."""

    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.petrification = Petrification(task.problem, task.deadline)

    def advance(self, work: int) -> Proof | GaveUp | None:  # noqa: ARG002 - a bound is one piece of work
        try:
            return self.petrification.advance()
        except (TooMany, UnknownTerm) as error:
            return GaveUp(str(error))


LOOK = Stage("search", Method.SEARCH, LookForFailure)
COVER = Stage("cover", Method.KARP_MILLER, CoverAll)
MODULAR_1 = once("modular 1", Method.MODULAR, partial(prove_modular, 1))
FLOWS_1 = once("flows 1", Method.MODULAR, partial(prove_modular, 1, uses_flows=True))
FLOWS_2 = once("flows 2", Method.MODULAR, partial(prove_modular, 2, uses_flows=True))
MODULAR_2 = once("modular 2", Method.MODULAR, partial(prove_modular, 2))
UNROLL = Stage("unrolling", Method.SEARCH, Unroll, needs=has_unknown_integers)
PETRIFY = Stage("petrify", Method.PETRIFY, Petrify)
