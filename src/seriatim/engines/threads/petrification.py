"""The three algorithms of the paper on petrification: raising the bound until it is enough.
 With a bound of 1, 2, … threads of each template: Algorithm 1 asks whether so many are safe, and then
whether the bound is enough; Algorithm 2 raises the bound until it is enough, and asks for safety once;
Algorithm 3 asks both at once, and then for each alone to tell which one fails. Only the first one finds a
failure of every unsafe program.
"""

from typing import assert_never

from seriatim.arithmetic.solvers.horn import Contradiction, NotFound, Relations, solve_horn
from seriatim.budget import Deadline
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_predicates import Predicate
from seriatim.engines.stage import GaveUp, Proof
from seriatim.engines.threads.petrify import Asked, petrify_clauses
from seriatim.engines.threads.predicates import FALSE_QUERY
from seriatim.systems.threads.problem import ThreadProblem

BOUNDED = "No template ever has more than {} at a time, and so many do not fail."
FAILS = "a step fails with at most {} of each template, but no search has found a short run"
MAX_BOUND = 8

Asking = tuple[Predicate, ...] | Contradiction
"""What excludes it, or that it happens."""


class Unknown(Exception):
    """The solver does not know."""


class Petrification:
    def __init__(self, problem: ThreadProblem, deadline: Deadline) -> None:
        self.problem = problem
        self.deadline = deadline
        self.bound = 0
        self.found_failure = False
        self.asked: list[tuple[int, Asked, str]] = []
        """What was asked so far, and what came of it."""

    def advance(self) -> Proof | GaveUp | None:
        """Tries the next bound; None if it is not enough. Raises `TooMany`, `NoTerm`, `OutOfBudget`."""
        self.bound += 1
        if self.bound > MAX_BOUND:
            return GaveUp(f"{threads(MAX_BOUND)} of a template are not enough")
        try:
            return self.at(self.bound)
        except Unknown:
            _, asked, _ = self.asked[-1]
            return GaveUp(f"the solver gave up on the question `{asked.value}` with {threads(self.bound)}")

    def at(self, bound: int) -> Proof | GaveUp | None:
        """None if the bound is not enough."""
        algorithm = self.problem.algorithm
        match algorithm:
            case 1:
                safe = self.ask(bound, Asked.SAFE)
                if isinstance(safe, Contradiction):
                    return self.failure(bound)
                bounded = self.ask(bound, Asked.BOUND)
                return None if isinstance(bounded, Contradiction) else proof(bound, bounded, safe)
            case 2:
                bounded = self.ask(bound, Asked.BOUND)
                if isinstance(bounded, Contradiction):
                    return None
                safe = self.ask(bound, Asked.SAFE)
                if isinstance(safe, Contradiction):
                    return self.failure(bound)
                return proof(bound, bounded, safe)
            case 3:
                both = self.ask(bound, Asked.UNION)
                if not isinstance(both, Contradiction):
                    return proof(bound, both, both)
                if isinstance(self.ask(bound, Asked.SAFE), Contradiction):
                    return self.failure(bound)
                return None
            case _:
                assert_never(algorithm)

    def failure(self, bound: int) -> GaveUp:
        self.found_failure = True
        return GaveUp(FAILS.format(threads(bound)))

    def ask(self, bound: int, asked: Asked) -> Asking:
        self.asked.append((bound, asked, ""))
        clauses = petrify_clauses(self.problem.program, bound, asked, self.deadline)
        found = solve_horn(clauses.text(), FALSE_QUERY, self.deadline)
        self.asked[-1] = (bound, asked, type(found).__name__)
        match found:
            case Relations():
                return clauses.predicates(found)
            case Contradiction():
                return found
            case NotFound():
                raise Unknown
            case _:
                assert_never(found)


def threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"


def proof(bound: int, bounded: tuple[Predicate, ...], safe: tuple[Predicate, ...]) -> Proof:
    return Proof(PetrifiedEvidence(bound, bounded, safe), BOUNDED.format(threads(bound)))
