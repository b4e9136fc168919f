"""Many small questions to z3, one after the other in one context.

A context takes z3 longer to make than most answers, and holds two tables of eight megabytes that go back to
the system with it. Each script still has a solver of its own, with a fixed seed and a bound on what z3 counts
as its work. What was asked before may change which model z3 finds, so questions that belong together share a
context, and others do not: the same questions in the same order give the same answers.
"""

from typing import TYPE_CHECKING

from seriatim.arithmetic.solvers.door import answer, limited
from seriatim.budget import Deadline, OutOfBudget

if TYPE_CHECKING:
    import z3


class Questions:
    """Questions that belong together."""

    def __init__(self) -> None:
        self._context: z3.Context | None = None

    def ask(self, script: str, deadline: Deadline, work: int) -> "tuple[z3.Solver, z3.CheckSatResult]":
        """A solver that has read declarations and assertions, and what it says; z3's simple solver suits
        questions without quantifiers. Raises `OutOfBudget`."""
        import z3

        if self._context is None:
            self._context = z3.Context()
        solver = limited(z3.SimpleSolver(ctx=self._context), deadline, work)
        try:
            return solver, answer(script, solver, self._context, deadline)
        except (OutOfBudget, KeyboardInterrupt):
            self._context = None  # Someone may still be at work in it.
            raise
