"""Thread-modular clauses: what holds of main and any k other threads, whatever others do.
 Claim: relations that satisfy the clauses hold of every reachable configuration, for main and every choice
of at most k other threads. By induction over steps. Look at a step and at at most k threads after it. Before
it, these are *others* that do not move, perhaps the *mover* (if it is not main), but not a thread that the
step starts; besides, there may be a *partner*, which a join takes away. Of main and any k of all these, the
relations hold before the step, and the clause says that the relation holds of those after it. No step fails
if the relations exclude it, of main, the mover and the partner. That the relations cannot be found does not
mean that a step fails.
"""

from itertools import combinations, combinations_with_replacement

from seriatim.budget import Deadline
from seriatim.certificate.thread_flows import Flow
from seriatim.engines.threads.predicates import FAILS, Atom, Clauses, Situation, Someone, Spot
from seriatim.program.threads.syntax import Edge, ThreadProgram, writes
from seriatim.terms.expressions import negation


def modular_clauses(
    program: ThreadProgram, level: int, deadline: Deadline, flows: tuple[Flow, ...] = ()
) -> Clauses:
    """Raises `TooMany`."""
    return _Generator(program, level, deadline, flows).clauses


class _Generator:
    def __init__(
        self, program: ThreadProgram, level: int, deadline: Deadline, flows: tuple[Flow, ...]
    ) -> None:
        self.program = program
        self.level = level
        self.deadline = deadline
        self.clauses = Clauses(program, flows)
        self.done: set[tuple[object, ...]] = set()
        self.clauses.start()
        size = -1
        while size != len(self.clauses.keys):
            size = len(self.clauses.keys)
            for place in sorted({place for place, _ in self.clauses.keys}):
                self.expand(place)
        self.clauses.add_symmetry()

    def expand(self, place: int) -> None:
        """All steps while main is at a place."""
        spots = sorted({each[0] for at, each in self.clauses.keys if at == place and len(each) == 1})
        for mover in (None, *spots):
            for number, edge in self.clauses.edges(mover or (self.program.main, place)):
                if self.is_new("fails", place, mover, number):
                    self.fail(self.clauses.situation(place, mover, edge, None, ()))
                for partner in self.clauses.partners(mover, edge, spots):
                    moving = tuple(each for each in (mover, partner) if each is not None)
                    if not self.is_possible(place, moving):
                        continue
                    if partner is not None and self.is_new("fails", place, mover, number, partner):
                        self.fail(self.clauses.situation(place, mover, edge, partner, ()))
                    for others in self.crowds(place, spots, moving):
                        if self.is_new(place, mover, number, partner, others):
                            self.step(self.clauses.situation(place, mover, edge, partner, others), edge)

    def crowds(self, place: int, spots: list[Spot], moving: tuple[Spot, ...]) -> list[tuple[Spot, ...]]:
        """Threads that may be there beside those that move."""
        return [
            others
            for size in range(self.level + 1)
            for others in combinations_with_replacement(spots, size)
            if self.is_possible(place, (*others, *moving))
        ]

    def is_new(self, *step: object) -> bool:
        self.deadline.check()
        is_new = step not in self.done
        self.done.add(step)
        return is_new

    def is_possible(self, place: int, threads: tuple[Spot, ...]) -> bool:
        """Whether the relations may hold of main and these threads."""
        return all(
            (place, tuple(sorted(chosen))) in self.clauses.keys
            for chosen in combinations(threads, min(self.level, len(threads)))
        )

    def premises(self, here: Situation) -> list[Atom]:
        """What holds of main and any k of the threads before a step."""
        threads = here.threads()
        return [
            self.clauses.apply(here.globals, here.main, chosen)
            for chosen in combinations(threads, min(self.level, len(threads)))
        ]

    def fail(self, here: Situation) -> None:
        known = self.premises(here)
        for failing in here.step.failures:
            if failing.after_join == (here.partner is not None):
                self.clauses.rule(known, [*here.conditions, failing.condition], FAILS)

    def step(self, here: Situation, edge: Edge) -> None:
        """A clause for every choice of threads after the step."""
        after = here.after(edge)
        changes = any(name in self.program.types for action in edge.actions for name in writes(action))
        known, conditions = self.premises(here), [*here.conditions, *here.step.guard]
        if not here.others:
            for flow in self.clauses.flows:
                kept = self.clauses.is_kept(flow, here, edge)
                self.clauses.rule(known, [*conditions, negation(kept)], FAILS)
        news = [after.started] if after.started is not None else []
        for mover in self.options(after.mover):
            for started in ([], news) if news else ([],):
                chosen = [*here.others, *mover, *started]
                is_same = after.mover is not None and not mover and not started and not changes
                if len(chosen) <= self.level and not is_same:
                    head = self.clauses.apply(after.globals, after.main, chosen)
                    self.clauses.rule(known, conditions, head)

    def options(self, mover: Someone | None) -> tuple[list[Someone], ...]:
        """Look at the mover after the step, or not; main is always looked at."""
        return ([],) if mover is None else ([], [mover])
