"""The thread width of a program: the largest number of threads of one template at a time.

Threads that have finished and that nobody has joined count, as in the paper's Definition 2.3. For finite
data, a cover in which all threads are kept tells it, and whether it is infinite. Otherwise the bound of
petrification is raised until the solver shows that it is enough.
"""

from dataclasses import dataclass
from math import inf

from seriatim.arithmetic.solvers.horn import Contradiction, Relations, solve_horn
from seriatim.budget import Deadline, OutOfTime
from seriatim.engines.threads.karp_miller import Cover
from seriatim.engines.threads.petrify import Asked, petrify_clauses
from seriatim.engines.threads.predicates import FALSE_QUERY, TooMany
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.systems.threads.finite import FiniteSystem

COVER_WORK = 3_000
MAX_BOUND = 8


@dataclass(frozen=True, slots=True)
class Width:
    """At least so many threads of a template, and never more if that is proved."""

    threads: float
    is_proved: bool

    def sentence(self) -> str:
        if self.threads == inf:
            return "the thread width is infinite: there can be any number of threads of a template at a time"
        if self.is_proved:
            return (
                f"the thread width is {self.threads:g}: there are never more threads of a template at a time"
            )
        return f"the thread width is at least {self.threads:g}"


def find_width(program: ThreadProgram, deadline: Deadline) -> Width:
    """Within the deadline; what is known by then."""
    share = Deadline(min(deadline.remaining() / 3, 20.0), deadline.max_bytes)
    least = 1.0
    try:
        system = FiniteSystem(program, share, counts=True)
        cover = Cover(system, share, looks_for_failures=False)
        if cover.build(COVER_WORK) and system.inexact is None:
            return Width(max(cover.width().values()), True)
    except OutOfTime:
        deadline.check()
    share = Deadline(min(deadline.remaining() / 2, 30.0), deadline.max_bytes)
    try:
        for bound in range(1, MAX_BOUND + 1):
            clauses = petrify_clauses(program, bound, Asked.BOUND, share)
            found = solve_horn(clauses.text(), FALSE_QUERY, share)
            if isinstance(found, Relations):
                return Width(float(bound), True)
            if not isinstance(found, Contradiction):
                break
            least = bound + 1.0
    except (OutOfTime, TooMany):
        deadline.check()
    return Width(least, False)
