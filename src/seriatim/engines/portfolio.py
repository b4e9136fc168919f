"""The engines in the order that pays, under one budget; the only module that knows more than one of them.

Two rounds of looking for a violation and then for a proof: a short one, which decides small systems at
once, and one with room. A violation is usually found on the system as it unfolds, long before its closure
is known. What both rounds leave open goes to the integer prover, in turns with searches of the reduced
system.
"""

from collections.abc import Callable, Iterator, Set
from dataclasses import replace
from time import monotonic

from seriatim.budget import Deadline, Observer, OutOfBudget, OutOfMemory
from seriatim.engines.atomic import one_step_each, without_yields
from seriatim.engines.chains.engine import Chains
from seriatim.engines.commits.engine import commit_points, learned_commit_points
from seriatim.engines.counting.root_product import FEW_EDGES, root_product
from seriatim.engines.counting.state_equation import state_equation
from seriatim.engines.modular.engine import modular
from seriatim.engines.paper.engine import paper
from seriatim.engines.paper.record import ALL_OPTIMIZATIONS, Optimizations, PaperRecord
from seriatim.engines.search.engine import Search
from seriatim.engines.search.shortening import shortened
from seriatim.engines.shared.answer import (
    Candidate,
    GaveUp,
    Obstacle,
    ProvedAtomic,
    ProvedByCover,
    Refuted,
)
from seriatim.engines.shared.conclusion import Conclusion, Found, Method, Progress, Proof
from seriatim.reductions.prepass import ReducedSystem, prepass
from seriatim.systems.closure import closure
from seriatim.systems.from_input import explained
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.serial import SerialAutomaton
from seriatim.systems.slicing import MacroSystem, covered_system, macro_system
from seriatim.systems.source_map import local_state
from seriatim.systems.unfolding import ProgramUnfolding

SHORT_SEARCH = 300
MIDDLE_SEARCH = 10_000
LONG_SEARCH = 50_000
SHORTENING = 5_000
"""States."""

SHORT_CLOSURE = 5_000
MAX_COUNTED = 2_000
MAX_VIEWS = 10_000
"""Pairs of a local and a global state: for a first closure, for the integer prover, handler by handler."""

FEW_REQUESTS = 20
"""Of a violation that is short enough."""

FIRST_QUESTIONS = 50
"""To the solver, before the first turn of a search; then twice as many."""

STATES_PER_QUESTION = 100
"""About as long as a question takes."""

MANY_EDGES = 8_000
"""Of the products that are looked at when nothing else has helped."""


Stage = tuple[Set[Method], str, Callable[[], Found | None]]
"""(the methods that it belongs to, its name, what it does)."""


def conclude(
    problem: OutcomeProblem,
    limits: Limits,
    deadline: Deadline,
    method: Method,
    optimizations: Optimizations = ALL_OPTIMIZATIONS,
    observer: Observer[Progress] | None = None,
) -> Conclusion:
    """Decides a question about outcomes, if it can within the limits and before the deadline."""
    portfolio = Portfolio(problem, limits, deadline, method, optimizations)
    if observer is not None:
        deadline.pulse = lambda: observer(portfolio.progress())
    return portfolio.run()


PROOFS = frozenset({Method.ATOMIC, Method.COMMIT, Method.STATE_EQUATION, Method.CHAINS})


class Portfolio:
    """The engines at work on one question, and why it is not decided yet."""

    def __init__(
        self,
        problem: OutcomeProblem,
        limits: Limits,
        deadline: Deadline,
        method: Method,
        optimizations: Optimizations = ALL_OPTIMIZATIONS,
    ) -> None:
        self.problem = problem
        self.origin = problem.origin
        self.limits = limits
        self.deadline = deadline
        self.method = method
        self.search: Search | None = None
        """Under way as soon as somebody looks for a violation."""
        self.reduced: ReducedSystem | None = None
        """What the search explores, if not the system itself."""
        self.known_clean = 0
        """What earlier searches showed: no violation with at most so many requests."""
        self.system: MacroSystem | None = None
        """What complete runs can use, once that is known."""
        self.committing: MacroSystem | None = None
        """The same for proofs by commit points, which may be about another system."""
        self.paper = PaperRecord(optimizations) if method is Method.PAPER else None
        self.in_reserve: ProvedByCover | None = None
        """A proof whose re-check depends on a solver, and may be hard for it: used if there is no other."""
        self.single_steps: tuple[str, ...] = ()
        """The handlers that may be taken for a single step, as far as that is known."""
        self.nearest: Obstacle | None = None
        """Where a proof by commit points stopped first."""
        self.obstacle = GaveUp("neither a violation nor a proof was found")
        self.seconds: dict[str, float] = {}
        self.stage = ""
        """The name of the stage that is under way."""

    def progress(self) -> Progress:
        states = 0 if self.search is None else self.search.explored()
        return Progress(self.stage, states, self.clean_up_to(), self.deadline.questions)

    def run(self) -> Conclusion:
        try:
            for methods, name, stage in self.stages():
                if self.method is not Method.AUTO and self.method not in methods:
                    continue
                began = monotonic()
                self.stage = name
                try:
                    found = stage()
                finally:
                    self.seconds[name] = self.seconds.get(name, 0.0) + monotonic() - began
                if found is not None:
                    return self.concluded(found, Method(name))
        except OutOfBudget as out:
            self.obstacle = GaveUp(f"{out.spent}; {self.obstacle.why}", self.obstacle.hint or out.hint)
        except MemoryError:  # The system has less than was allowed.
            self.obstacle = GaveUp(f"{OutOfMemory.spent}; {self.obstacle.why}", self.obstacle.hint)
        if self.obstacle.hint is None:
            self.obstacle = replace(self.obstacle, hint=self.what_might_help())
        return self.concluded(self.obstacle, self.method)

    def concluded(self, answer: Found | GaveUp, method: Method) -> Conclusion:
        return Conclusion(
            answer,
            method,
            self.clean_up_to(),
            self.seconds,
            self.committing,
            self.paper,
            self.single_steps,
            self.nearest,
        )

    def what_might_help(self) -> str:
        if self.method is not Method.AUTO:
            return "allow all ways to decide: leave --method out"
        return "raise --max-states: a longer search may find a violation"

    def stages(self) -> Iterator[Stage]:
        """What to do, in order; each stage is asked for only if those before it found nothing."""
        if self.paper is not None:
            record = self.paper
            yield {Method.PAPER}, "paper", lambda: self.follow_the_paper(record)
            return
        short = Limits(min(SHORT_CLOSURE, self.limits.max_states), self.limits.max_value)
        yield {Method.ATOMIC}, "atomic", self.without_yields
        yield {Method.SEARCH}, "search", lambda: self.look(SHORT_SEARCH)
        yield PROOFS, "closure", lambda: self.close(short)
        yield from self.proofs()
        if self.system is None or self.method is Method.MODULAR:
            yield {Method.MODULAR}, "modular", self.handler_by_handler
            yield {Method.SEARCH}, "search", lambda: self.look(LONG_SEARCH)
            yield PROOFS, "closure", lambda: self.close(self.limits)
            yield from self.proofs()
        yield {Method.SEARCH}, "search", lambda: self.look(self.limits.max_states)
        system = self.system
        if system is not None and len(system.table) <= MAX_COUNTED:
            counting = {Method.STATE_EQUATION}
            yield counting, "state-equation", lambda: self.count_situations(system, MANY_EDGES)

    def proofs(self) -> Iterator[Stage]:
        """What to do once the closure is known; a search comes before the solver is even loaded."""
        system, committing = self.system, self.committing
        if committing is None:
            return
        if self.problem.is_serial:
            yield {Method.ATOMIC}, "atomic", lambda: self.answered(one_step_each(committing))
        yield {Method.COMMIT}, "commit", lambda: self.commit(committing, mixed=False)
        if system is not None:
            yield {Method.SEARCH}, "reduction", lambda: self.reduce(system)
        yield {Method.SEARCH}, "search", lambda: self.look(MIDDLE_SEARCH)
        yield {Method.COMMIT}, "commit", lambda: self.commit(committing, mixed=True)
        yield {Method.COMMIT}, "commit", lambda: self.learn_to_commit(committing)
        if system is not None and len(system.table) <= MAX_COUNTED:
            yield {Method.STATE_EQUATION}, "state-equation", lambda: self.count(system)
            yield {Method.CHAINS}, "chains", lambda: self.follow_chains(system)

    def answered(self, answer: Proof | GaveUp) -> Proof | None:
        """The answer, unless an engine gave up; then that is why nothing is decided."""
        if not isinstance(answer, GaveUp):
            return answer
        self.obstacle = answer
        return None

    def without_yields(self) -> ProvedAtomic | None:
        if isinstance(self.origin, ProgramUnfolding) and self.problem.is_serial:
            answer = without_yields(self.origin.program)
            return answer if isinstance(answer, ProvedAtomic) else None
        return None

    def handler_by_handler(self) -> Proof | None:
        if not isinstance(self.origin, ProgramUnfolding) or not self.problem.is_serial:
            return None
        limits = Limits(min(MAX_VIEWS, self.limits.max_states), self.limits.max_value)
        return self.answered(modular(self.origin.program, limits, self.deadline))

    def look(self, states: int) -> Refuted | None:
        """Searches for a violation."""
        if self.search is None:
            self.search = Search(self.problem)
        refuted = self.search.advance(min(states, self.limits.max_states), self.deadline)
        if refuted is None:
            return None
        run = refuted.run if self.reduced is None else self.reduced.expand(refuted.run)
        return self.shorter(replace(refuted, run=run))

    def reduce(self, system: MacroSystem) -> None:
        """Goes on searching in a smaller system with the same outcomes, if there is one."""
        reduced = prepass(system, self.deadline)
        requests = self.origin.requests
        own = [number for number in reduced.system.one_step_requests() if number < len(requests)]
        self.single_steps = tuple(requests[request] for request in own)
        if len(reduced.system.table) < len(system.table):
            self.known_clean = self.clean_up_to()
            self.reduced = reduced
            self.search = Search(replace(self.problem, system=reduced.system))

    def clean_up_to(self) -> int:
        """How many requests of the input have no violation; an observer is none of them."""
        if self.search is None:
            return self.known_clean
        observers = 0 if self.problem.observer is None else 1
        return max(self.known_clean, self.search.clean_up_to() - observers)

    def close(self, limits: Limits) -> None:
        """Finds out what complete runs can use."""
        problem = self.problem
        try:
            if self.committing is None:
                self.committing = self.closed_for_commits(limits)
            is_same = problem.derived is problem.committing
            self.system = self.committing if is_same else macro_system(problem.derived, limits, self.deadline)
        except LimitReached as reached:
            if limits == self.limits or reached.flag != "--max-states":
                reached = explained(reached, self.origin)
                self.obstacle = GaveUp(reached.message, reached.hint)

    def closed_for_commits(self, limits: Limits) -> MacroSystem:
        """What the runs that count can use, where requests take effect."""
        system = self.problem.committing
        if self.problem.runs == "all":
            return covered_system(system, closure(system, limits, self.deadline))
        return macro_system(system, limits, self.deadline)

    def commit(self, system: MacroSystem, mixed: bool) -> Proof | None:
        answer = commit_points(system, self.problem.effects, mixed, self.limits, self.deadline)
        if isinstance(answer, GaveUp) and answer.blocked is not None:
            self.nearest = self.nearest or self.blocked(*answer.blocked)
        return self.answered(answer)

    def learn_to_commit(self, system: MacroSystem) -> Proof | None:
        return self.answered(learned_commit_points(system, self.problem.effects, self.limits, self.deadline))

    def count(self, system: MacroSystem) -> Proof | None:
        """Asks the integer prover about counts of steps; then, if that is too coarse, with situations."""
        try:
            answer = state_equation(system, self.problem.allowed, self.deadline)
        except LimitReached:
            return None
        if not isinstance(answer, Candidate):
            return self.answered(answer)
        proof = self.count_situations(system)
        if self.method is Method.AUTO and isinstance(proof, ProvedByCover) and proof.tree is None:
            self.in_reserve = proof
            return None
        return proof

    def count_situations(self, system: MacroSystem, max_edges: int = FEW_EDGES) -> Proof | None:
        try:
            answer = root_product(system, self.problem.allowed, self.deadline, max_edges)
        except LimitReached:
            return None
        return None if isinstance(answer, Candidate) else self.answered(answer)

    def follow_chains(self, system: MacroSystem) -> Refuted | Proof | None:
        """Takes apart the ways that runs can go, in turns with searches that are as long."""
        chains = Chains(system, self.problem.allowed, self.deadline)
        questions = FIRST_QUESTIONS
        while True:
            found = self.look(questions * STATES_PER_QUESTION) if self.method is Method.AUTO else None
            if found is not None:
                return found
            try:
                answer = chains.advance(questions)
            except LimitReached:
                return None
            if isinstance(answer, Refuted):
                return self.beaten(answer)
            if answer is not None:
                return self.answered(answer) or self.in_reserve
            questions *= 2

    def beaten(self, refuted: Refuted) -> Refuted:
        """A violation with fewer requests, if a longer search finds one; else the same."""
        if self.method is Method.AUTO and refuted.run.requests() > FEW_REQUESTS:
            try:
                return self.look(LONG_SEARCH) or refuted
            except OutOfBudget:
                return refuted
        return self.shorter(refuted)

    def shorter(self, refuted: Refuted) -> Refuted:
        return replace(refuted, run=shortened(self.problem, refuted.run, SHORTENING, self.deadline))

    def follow_the_paper(self, record: PaperRecord) -> Refuted | Proof | None:
        try:
            coverage = closure(self.origin, self.limits, self.deadline)
            serial = SerialAutomaton(self.origin, self.limits.max_states, self.deadline)
            answer = paper(self.origin, coverage, serial, record, self.deadline)
        except LimitReached as reached:
            reached = explained(reached, self.origin)
            answer = GaveUp(reached.message, reached.hint)
        return self.shorter(answer) if isinstance(answer, Refuted) else self.answered(answer)

    def blocked(self, local: int, completion: int) -> Obstacle:
        """Where a proof by commit points stops, in the terms of the input."""
        system = self.problem.committing
        request, response = system.completions[completion]
        line = None
        if isinstance(system, ProgramUnfolding) and local not in system.starts:
            line = local_state(system, local).line
        return Obstacle(system.requests[request], line, response)
