"""What engines that ask a solver say about a thread program; the checker has to accept their proofs.

Each question is bounded by what z3 counts as work, so a busy machine does not change the answers. Engines
look at the program itself or, as users see it, at the smaller one; then the proof is about the program with
its reduction.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

from seriatim.arithmetic.solvers.horn import Contradiction, Relations, solve_horn
from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_flows import Flow
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_reduction import ThreadProof, ThreadReductionEvidence
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.context import Context
from seriatim.checking.obligation import report_on
from seriatim.checking.threads import thread_obligations
from seriatim.engines.threads.flows import find_flows, find_flows_by_value
from seriatim.engines.threads.modular import modular_clauses
from seriatim.engines.threads.petrify import Asked, petrify_clauses
from seriatim.engines.threads.predicates import FALSE_QUERY, TooMany
from seriatim.engines.threads.relations import find_relations
from seriatim.engines.threads.unrolling import Unrolling
from seriatim.program.threads.runs import NotARun, replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.statement import NeverFails
from seriatim.reductions.threads.reducing import ReducedThreads, reduce_threads
from seriatim.terms.operators import NoTerm

WORK = 300_000
"""For a question about formulas, as z3 counts; of small programs, more work hardly brings more answers."""
QUESTIONS = 60
"""About short runs."""

Answer = tuple[str, str]


class SolverEngines:
    """Engines about one program; with a reduction, proofs are about what is left of it."""

    def __init__(self, program: ThreadProgram, seconds: float, seed: int) -> None:
        """Of odd seeds, engines look at the smaller program. Formulas are about one thread or two, and so is
        petrification; the seed chooses both, so that twice as many programs can be looked at."""
        self.program = program
        self.seed = seed
        self.level = 1 + seed // 2 % 2
        self.bound = 1 + seed // 4 % 2
        self.seconds = seconds
        self.reduced: ReducedThreads | None = None
        if seed % 2:
            self.reduced = reduce_threads(program, Deadline(seconds))
        self.looked_at = program if self.reduced is None else self.reduced.program

    @property
    def size(self) -> int:
        return sum(len(template.edges) for template in self.looked_at.templates)

    def answers(self, in_turn: bool) -> Iterator[Answer]:
        """What all engines say, or the one whose turn it is: formulas, relations, petrification or
        unrolling, by the seed. It also chooses whether globals may count by their value in flows."""
        find = find_flows_by_value if self.seed // 64 % 2 else find_flows
        flows = find(self.looked_at)
        engines: list[Callable[[], Iterator[Answer]]] = [
            partial(self.modular, self.level, flows if self.seed // 32 % 2 else ()),
            partial(self.related, self.level, flows),
            partial(self.petrified, self.bound),
            self.unrolled,
        ]
        if in_turn:
            engines = [engines[self.seed // 8 % len(engines)]]
        elif flows:
            engines.append(partial(self.modular, self.level, () if self.seed // 32 % 2 else flows))
        for engine in engines:
            yield from self.guarded(engine)

    def guarded(self, ask: Callable[[], Iterator[Answer]]) -> list[Answer]:
        """What an engine says before it gives up."""
        found: list[Answer] = []
        with suppress(OutOfBudget, TooMany, NoTerm, GaveUp):
            found.extend(ask())
        return found

    def judged(self, proof: ThreadProof) -> str:
        evidence: ThreadProof | ThreadReductionEvidence = proof
        if self.reduced is not None:
            evidence = ThreadReductionEvidence(self.reduced.dropped, self.reduced.fused, proof)
        context = Context(Allowance(deadline=Deadline(self.seconds)))
        obligations = thread_obligations(self.program, NeverFails(), evidence, context)
        return "safe" if report_on(obligations).accepted else "wrong"

    def modular(self, level: int, flows: tuple[Flow, ...]) -> Iterator[Answer]:
        clauses = modular_clauses(self.looked_at, level, Deadline(self.seconds), flows)
        found = solve_horn(clauses.text(), FALSE_QUERY, Deadline(self.seconds), WORK)
        if isinstance(found, Relations):
            evidence = ThreadModularEvidence(level, flows, clauses.predicates(found))
            yield f"{'flows' if flows else 'modular'} {level}", self.judged(evidence)

    def related(self, level: int, flows: tuple[Flow, ...]) -> Iterator[Answer]:
        """Comparisons of variables."""
        clauses = modular_clauses(self.looked_at, level, Deadline(self.seconds), flows)
        predicates = find_relations(clauses, Deadline(self.seconds))
        if predicates is not None:
            yield f"relations {level}", self.judged(ThreadModularEvidence(level, flows, predicates))

    def petrified(self, bound: int) -> Iterator[Answer]:
        """The questions of the three algorithms: safe and bound apart, and both at once."""
        answers = {}
        for asked in Asked:
            clauses = petrify_clauses(self.looked_at, bound, asked, Deadline(self.seconds))
            found = solve_horn(clauses.text(), FALSE_QUERY, Deadline(self.seconds), WORK)
            predicates = clauses.predicates(found) if isinstance(found, Relations) else None
            answers[asked] = found, predicates
        safe, bounded, both = (answers[each] for each in (Asked.SAFE, Asked.BOUND, Asked.UNION))
        if safe[1] is not None and bounded[1] is not None:
            yield f"petrified {bound}", self.judged(PetrifiedEvidence(bound, bounded[1], safe[1]))
            if isinstance(both[0], Contradiction):
                yield f"union {bound}", "wrong"
        if both[1] is not None:
            yield f"union {bound}", self.judged(PetrifiedEvidence(bound, both[1], both[1]))
            if Contradiction() in (safe[0], bounded[0]):
                yield f"union {bound}", "wrong"
        # Without variables, a program may do more; what it does more may fail.
        may_do_more = self.reduced is not None and bool(self.reduced.dropped)
        if isinstance(safe[0], Contradiction) and not may_do_more:
            yield f"petrified {bound}", "fails"

    def unrolled(self) -> Iterator[Answer]:
        run = Unrolling(self.program, Deadline(self.seconds)).advance(QUESTIONS)
        if run is None:
            return
        try:
            *_, last = replay(self.program, run)
        except NotARun:  # Unrolling does not know which thread an id means that is used again.
            yield "unrolling", "unknown" if self.program.unique_ids else "wrong"
            return
        yield "unrolling", "fails" if last.failure is not None else "wrong"
