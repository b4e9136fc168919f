"""Petrification: at most β threads of each template at a time, all of them in hand.
 The paper's construction has instances 1 … β of each template; a fork takes a free one, and if there is
none, the program needs more threads. Instances of a template are alike, so predicates speak of how many
threads are where. A thread that starts gets fresh locals: the paper's equation (2) keeps the old ones of an
instance that is used again, which loses runs of the program. When there are too few instances, the run ends
there.
 *Safe* asks whether a step fails with at most β threads of each template; *bound* asks whether a fork finds
β threads of its template. If neither happens, the program is safe, and β bounds its width.
"""

from collections import Counter
from enum import Enum

from seriatim.budget import Deadline
from seriatim.engines.threads.predicates import FAILS, Atom, Clauses, Key, Situation, Someone, Spot
from seriatim.program.threads.syntax import Edge, ThreadProgram


class Asked(Enum):
    SAFE = "safe"
    BOUND = "bound"
    UNION = "union"
    """Both at once."""


def petrify_clauses(program: ThreadProgram, bound: int, asked: Asked, deadline: Deadline) -> Clauses:
    """Raises `TooMany`."""
    return _Generator(program, bound, asked, deadline).clauses


class _Generator:
    def __init__(self, program: ThreadProgram, bound: int, asked: Asked, deadline: Deadline) -> None:
        self.program = program
        self.bound = bound
        self.asked = asked
        self.clauses = Clauses(program)
        self.clauses.start()
        done: set[Key] = set()
        while len(done) < len(self.clauses.keys):
            for key in [key for key in self.clauses.keys if key not in done]:
                deadline.check()
                done.add(key)
                self.expand(*key)
        self.clauses.add_symmetry()

    def expand(self, place: int, spots: tuple[Spot, ...]) -> None:
        """All steps from there; of threads at the same place, one moves."""
        for mover in (None, *dict.fromkeys(spots)):
            rest = list(spots)
            if mover is not None:
                rest.remove(mover)
            for _, edge in self.clauses.edges(mover or (self.program.main, place)):
                self.fail(self.clauses.situation(place, mover, edge, None, tuple(rest)))
                for partner in self.clauses.partners(mover, edge, dict.fromkeys(rest)):
                    left = list(rest)
                    if partner is not None:
                        left.remove(partner)
                    here = self.clauses.situation(place, mover, edge, partner, tuple(left))
                    if partner is not None:
                        self.fail(here)
                    self.step(here, edge)

    def state_known(self, here: Situation) -> Atom:
        return self.clauses.apply(here.globals, here.main, here.threads())

    def fail(self, here: Situation) -> None:
        if self.asked is Asked.BOUND:
            return
        known = self.state_known(here)
        for failing in here.step.failures:
            if failing.after_join == (here.partner is not None):
                self.clauses.rule([known], [*here.conditions, failing.condition], FAILS)

    def step(self, here: Situation, edge: Edge) -> None:
        known, conditions = self.state_known(here), [*here.conditions, *here.step.guard]
        after = here.after(edge)
        threads: list[Someone] = [*here.others, *([after.mover] if after.mover is not None else [])]
        if after.started is not None:
            count = Counter(each.spot[0] for each in threads)[after.started.spot[0]]
            if count >= self.bound:
                if self.asked is not Asked.SAFE:
                    self.clauses.rule([known], conditions, FAILS)
                return
            threads.append(after.started)
        head = self.clauses.apply(after.globals, after.main, threads)
        self.clauses.rule([known], conditions, head)
