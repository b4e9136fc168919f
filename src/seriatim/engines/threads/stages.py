"""Safety of threads as stages: a search for a failing run, and proofs for any number of threads."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from seriatim.arithmetic.solvers.horn import Relations, solve_horn
from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_flows import Flow
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_reduction import ThreadProof, ThreadReductionEvidence
from seriatim.certificate.thread_run import ThreadRunEvidence
from seriatim.engines.stage import Engine, Facts, FailingThreads, GaveUp, Proof, Stage, Task, once
from seriatim.engines.threads.cover_evidence import cover_evidence, pairs_evidence, search_evidence
from seriatim.engines.threads.flows import find_flows, find_flows_by_value
from seriatim.engines.threads.hangs import Hanging, HangSearch, Seen, WaitingThread
from seriatim.engines.threads.karp_miller import Cover, Failure
from seriatim.engines.threads.modular import modular_clauses
from seriatim.engines.threads.pairs import PairFailure as NotExcluded
from seriatim.engines.threads.pairs import Pairs
from seriatim.engines.threads.petrification import Petrification
from seriatim.engines.threads.predicates import FALSE_QUERY, TooMany
from seriatim.engines.threads.relations import find_relations
from seriatim.engines.threads.search import Exhausted, Search
from seriatim.engines.threads.unrolling import Unrolling
from seriatim.method import Method, Minimality
from seriatim.program.threads.runs import NotARun, replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.program.threads.values import domains
from seriatim.reductions.threads.reducing import loosen_threads, reduce_threads
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.problem import ThreadProblem
from seriatim.systems.threads.runs import thread_run
from seriatim.systems.threads.tidying import fails_alike, tidy
from seriatim.terms.operators import NoTerm

PAIRED = "Every two threads that can be there at the same time are listed, and no step fails there."
COVERED = "Every state that any number of threads can reach is listed, and no step fails there."
NOBODY_WAITS = "Every state is listed, and from each of them every thread that waits can still go on."
MODULAR = "What holds of main and {} is kept by every step, whatever other threads do, and excludes failures."
PATIENCE = 3_000
"""Nodes that a search in long steps looks at before it tries more threads."""
QUESTIONS = 400
"""To a solver, for one program."""
SECONDS_PER_LEVEL = {1: 6.0, 2: 20.0}
BRIEF_WORK = {1: 100_000, 2: 1_000_000}
"""By level, for formulas before long searches, as z3 counts: about a tenth of a second, and a second."""
OTHER_IDS = "a run fails only if a join takes a thread whose id was overwritten; others may fail, too"
OVERWRITTEN = "no run fails, but proofs do not know which thread an id means that is used again"
OTHER_RUN = "a program without the tests that seem not to matter can fail; of this one, that is not known"
NOTHING_COUNTED = "no failing run was found, and no proof that does not count rounds"
SOME_RUN = "some run fails, but no search has found a short one"
TOO_MANY_VALUES = "{} may hold infinitely many values, and some of them were not tried"
TEMPORARY = ("any", "value", "copy", "before", "result", "chosen", "truth", "answer", "old", "same")
"""What front ends call variables of their own; the names of others stand for variables of the source."""


def has_unknown_integers(task: Task[ThreadProblem]) -> bool:
    """Whether values may matter that no search tries: only then formulas find more than it."""
    return bool(domains(task.problem.program).entangled)


def tell_values_missed(name: str | None) -> str:
    """Why not all was tried, in words of the source."""
    plain = (name or "").removeprefix("$").partition("$")[0]
    is_named = plain and not (name or "").startswith(tuple(f"${each}" for each in TEMPORARY))
    return TOO_MANY_VALUES.format(f"`{plain}`" if is_named else "a variable")


def reduce_program(task: Task[ThreadProblem]) -> Facts:
    """Proofs are about the smaller program; runs are looked for in the input."""
    return replace(task.facts, threads=reduce_threads(task.problem.program, task.deadline))


def smaller(task: Task[ThreadProblem]) -> ThreadProgram:
    return task.problem.program if task.facts.threads is None else task.facts.threads.program


def with_reduction(task: Task[ThreadProblem], proof: ThreadProof) -> ThreadProof | ThreadReductionEvidence:
    """A proof about the smaller program as one about the input."""
    reduced = task.facts.threads
    if reduced is None or not (reduced.dropped or reduced.fused):
        return proof
    return ThreadReductionEvidence(reduced.dropped, reduced.fused, proof)


class LookForFailure(Engine):
    def __init__(
        self, task: Task[ThreadProblem], passed: Collection[tuple[str, int]] = (), patience: int | None = None
    ) -> None:
        self.task = task
        self.system = FiniteSystem(task.problem.program, task.deadline, forgets=True)
        self.search = Search(self.system, task.deadline, passed, patience)

    def advance(self, work: int) -> FailingThreads | Proof | GaveUp | None:
        left = self.task.limits.max_states - self.search.explored
        found = self.search.advance(min(work, left))
        if isinstance(found, Exhausted):
            if self.system.inexact is not None:
                return GaveUp(tell_values_missed(self.system.inexact))
            if self.search.has_forgotten:
                return GaveUp(OVERWRITTEN)
            return Proof(search_evidence(self.search), COVERED)
        if found is not None:
            exact = self.system.inexact is None
            minimality = Minimality.PROVED if exact else Minimality.UNKNOWN
            run = tidy(self.task.problem.program, thread_run(self.system, found.steps), self.task.deadline)
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

    def count_explored(self) -> int:
        return self.search.explored


class LookInLongSteps(Engine):
    """Looks among runs that change threads only where the smaller program does, which are fewer."""

    def __init__(self, task: Task[ThreadProblem]) -> None:
        passed = () if task.facts.threads is None else task.facts.threads.fused
        self.looking = LookForFailure(task, passed, PATIENCE)

    def advance(self, work: int) -> FailingThreads | Proof | GaveUp | None:
        found = self.looking.advance(work)
        if isinstance(found, Proof):
            return GaveUp("no run in long steps fails")
        return replace(found, minimality=Minimality.UNKNOWN) if isinstance(found, FailingThreads) else found

    def count_explored(self) -> int:
        return self.looking.count_explored()


class SeeAll(Engine):
    """All that the smaller program can reach, if it never has more than a few threads."""

    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.task = task
        self.system = FiniteSystem(smaller(task), task.deadline)
        self.search = Search(self.system, task.deadline)

    def advance(self, work: int) -> Proof | GaveUp | None:
        left = self.task.limits.max_states - self.search.explored
        found = self.search.advance(min(work, left))
        if self.system.inexact is not None:
            return GaveUp(tell_values_missed(self.system.inexact))
        if isinstance(found, Exhausted):
            return Proof(with_reduction(self.task, search_evidence(self.search)), COVERED)
        if found is not None:
            return GaveUp(SOME_RUN, "allow more with --timeout")
        if self.search.explored >= self.task.limits.max_states:
            return GaveUp(f"more than {self.search.explored:,} states", "raise --max-states")
        return None

    def count_explored(self) -> int:
        return self.search.explored


class CoverAll(Engine):
    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.task = task
        self.system = FiniteSystem(smaller(task), task.deadline)
        self.cover = Cover(self.system, task.deadline)

    def advance(self, work: int) -> Proof | GaveUp | None:
        try:
            is_whole = self.cover.build(work)
        except Failure:
            is_same = self.task.facts.threads is None or not self.task.facts.threads.dropped
            return GaveUp(SOME_RUN if is_same else OTHER_RUN, "allow more with --timeout")
        if self.system.inexact is not None:
            return GaveUp(tell_values_missed(self.system.inexact))
        if is_whole:
            return Proof(with_reduction(self.task, cover_evidence(self.cover)), COVERED)
        if self.cover.size > self.task.limits.max_states:
            return GaveUp(f"more than {self.cover.size:,} states", "raise --max-states")
        return None

    def count_explored(self) -> int:
        return self.cover.size


class CoverLoosely(Engine):
    """All that can be reached if counted loops go round any number of times, and joins take any thread."""

    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.task = task
        self.loose = loosen_threads(task.problem.program, task.deadline)
        if self.loose is not None:
            self.system = FiniteSystem(self.loose.program, task.deadline)
            self.cover = Cover(self.system, task.deadline)

    def advance(self, work: int) -> Proof | GaveUp | None:
        if self.loose is None:
            return GaveUp(NOTHING_COUNTED)
        try:
            is_whole = self.cover.build(work)
        except Failure:
            return GaveUp(NOTHING_COUNTED)
        if self.system.inexact is not None:
            return GaveUp(tell_values_missed(self.system.inexact))
        if is_whole:
            evidence = ThreadReductionEvidence(
                self.loose.dropped, self.loose.fused, cover_evidence(self.cover)
            )
            return Proof(evidence, COVERED)
        return None

    def count_explored(self) -> int:
        return 0 if self.loose is None else self.cover.size


class PairAll(Engine):
    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.task = task
        self.system = FiniteSystem(smaller(task), task.deadline)
        self.pairs = Pairs(self.system, task.deadline)

    def advance(self, work: int) -> Proof | GaveUp | None:
        try:
            is_whole = self.pairs.build(work)
        except NotExcluded:
            return GaveUp("which two threads can be there together does not exclude a failure")
        if self.system.inexact is not None:
            return GaveUp(tell_values_missed(self.system.inexact))
        if is_whole:
            return Proof(with_reduction(self.task, pairs_evidence(self.pairs)), PAIRED)
        if self.pairs.size > self.task.limits.max_states:
            return GaveUp(f"more than {self.pairs.size:,} states", "raise --max-states")
        return None

    def count_explored(self) -> int:
        return self.pairs.size


FindFlows = Callable[[ThreadProgram, Deadline], tuple[Flow, ...]]


def prove_modular(
    level: int, task: Task[ThreadProblem], find_sums: FindFlows | None = None, work: int | None = None
) -> Proof | GaveUp:
    """Looks for formulas about main and so many other threads, perhaps with sums that never change; `work`
    bounds what z3 counts."""
    share = Deadline(min(task.deadline.remaining(), SECONDS_PER_LEVEL[level]), task.deadline.max_bytes)
    try:
        program = smaller(task)
        flows = () if find_sums is None else find_sums(program, share)
        if find_sums is not None and not flows:
            return GaveUp("there are no sums of globals and threads that never change")
        clauses = modular_clauses(program, level, share, flows)
        found = solve_horn(clauses.text(), FALSE_QUERY, share, work)
        if isinstance(found, Relations):
            evidence = ThreadModularEvidence(level, flows, clauses.predicates(found))
            who = "any other thread" if level == 1 else "any two others"
            return Proof(with_reduction(task, evidence), MODULAR.format(who))
    except (TooMany, NoTerm) as error:
        return GaveUp(str(error))
    except OutOfTime:
        task.deadline.check()
    return GaveUp(f"no invariant of main and {level} other thread{'s' if level > 1 else ''} was found")


def prove_by_relations(task: Task[ThreadProblem]) -> Proof | GaveUp:
    """Looks for comparisons of the variables of main and any two others that every step keeps."""
    program = smaller(task)
    try:
        flows = find_flows(program, task.deadline)
        predicates = find_relations(modular_clauses(program, 2, task.deadline, flows), task.deadline)
    except TooMany as error:
        return GaveUp(str(error))
    if predicates is None:
        return GaveUp("no comparisons of variables exclude failures")
    evidence = ThreadModularEvidence(2, flows, predicates)
    return Proof(with_reduction(task, evidence), MODULAR.format("any two others"))


class Unroll(Engine):
    """Looks for short runs with a solver for values."""

    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.program = task.problem.program
        self.deadline = task.deadline
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
        return FailingThreads(
            ThreadRunEvidence(tidy(self.program, told, self.deadline)), Minimality.UNKNOWN, threads
        )


class LookForHang(Engine):
    """Looks for a hang in the input; proves that there is none, if all that can be reached is seen."""

    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.task = task
        self.system = FiniteSystem(task.problem.program, task.deadline, forgets=True)
        self.hangs = HangSearch(self.system, task.deadline)

    def advance(self, work: int) -> FailingThreads | Proof | GaveUp | None:
        found = self.hangs.advance(min(work, self.task.limits.max_states - self.hangs.explored))
        match found:
            case Hanging(steps=steps, threads=threads):
                run = thread_run(self.system, steps)
                exact = self.system.inexact is None
                minimality = Minimality.PROVED if exact else Minimality.UNKNOWN
                return FailingThreads(ThreadRunEvidence(run), minimality, threads)
            case WaitingThread(token=token):
                name = f"`{token.template}`"
                return GaveUp(f"a thread that runs {name} may wait for ever while others go on")
            case Seen():
                if self.system.inexact is not None or self.hangs.guessed is not None:
                    return GaveUp(tell_values_missed(self.system.inexact or self.hangs.guessed))
                if self.hangs.search.has_forgotten:
                    return GaveUp(OVERWRITTEN)
                return Proof(search_evidence(self.hangs.search), NOBODY_WAITS)
        if self.hangs.explored >= self.task.limits.max_states:
            return GaveUp(f"no hang among {self.hangs.explored:,} states", "raise --max-states")
        return None

    def clean_up_to(self) -> int:
        """Threads besides main, and main; only if the values tried stand for all."""
        return self.hangs.search.clean_up_to + 1 if self.system.inexact is None else 0

    def count_explored(self) -> int:
        return self.hangs.explored


class Petrify(Engine):
    """One bound a turn."""

    def __init__(self, task: Task[ThreadProblem]) -> None:
        self.task = task
        problem = replace(task.problem, program=smaller(task))
        self.petrification = Petrification(problem, task.deadline)

    def advance(self, work: int) -> Proof | GaveUp | None:  # noqa: ARG002 - a bound is one piece of work
        try:
            found = self.petrification.advance()
        except (TooMany, NoTerm) as error:
            return GaveUp(str(error))
        if isinstance(found, Proof) and isinstance(found.evidence, PetrifiedEvidence):
            return replace(found, evidence=with_reduction(self.task, found.evidence))
        return found


REDUCE: Stage[ThreadProblem] = once(
    "reduce",
    Method.KARP_MILLER,
    reduce_program,
    serves=frozenset((Method.SEARCH, Method.MODULAR, Method.PETRIFY, Method.CLOSURE)),
)
LOOK = Stage("search", Method.SEARCH, LookForFailure)
HANG = Stage("search for hangs", Method.SEARCH, LookForHang)
LOOK_FAR = Stage("search in long steps", Method.SEARCH, LookInLongSteps)
SEE = Stage("see all", Method.KARP_MILLER, SeeAll)
COVER = Stage("cover", Method.KARP_MILLER, CoverAll)
LOOSE_COVER = Stage("cover, any number of rounds", Method.KARP_MILLER, CoverLoosely)
PAIR = Stage("pairs", Method.CLOSURE, PairAll)
MODULAR_1 = once("modular 1", Method.MODULAR, partial(prove_modular, 1))
FLOWS_1 = once("flows 1", Method.MODULAR, partial(prove_modular, 1, find_sums=find_flows))
VALUES_1 = once("flows by value 1", Method.MODULAR, partial(prove_modular, 1, find_sums=find_flows_by_value))
FLOWS_2 = once("flows 2", Method.MODULAR, partial(prove_modular, 2, find_sums=find_flows))
MODULAR_2 = once("modular 2", Method.MODULAR, partial(prove_modular, 2))
BRIEF_MODULAR_1 = once(
    "modular 1, briefly",
    Method.MODULAR,
    partial(prove_modular, 1, work=BRIEF_WORK[1]),
    needs=has_unknown_integers,
)
BRIEF_FLOWS_1 = once(
    "flows 1, briefly",
    Method.MODULAR,
    partial(prove_modular, 1, find_sums=find_flows, work=BRIEF_WORK[1]),
    needs=has_unknown_integers,
)
BRIEF_VALUES_1 = once(
    "flows by value 1, briefly",
    Method.MODULAR,
    partial(prove_modular, 1, find_sums=find_flows_by_value, work=BRIEF_WORK[1]),
    needs=has_unknown_integers,
)
BRIEF_MODULAR_2 = once(
    "modular 2, briefly",
    Method.MODULAR,
    partial(prove_modular, 2, work=BRIEF_WORK[2]),
    needs=has_unknown_integers,
)
RELATIONS = once("relations", Method.MODULAR, prove_by_relations, needs=has_unknown_integers)
UNROLL = Stage("unrolling", Method.SEARCH, Unroll, needs=has_unknown_integers)
PETRIFY = Stage("petrify", Method.PETRIFY, Petrify)
