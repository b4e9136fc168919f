"""Questions to solvers about what follows from formulas: one has to confirm, and none may contradict."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from seriatim.checking.allowance import GaveUp
from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.words import counted

if TYPE_CHECKING:
    from seriatim.arithmetic.solvers.named import SolverName


class Questions:
    """The questions of one obligation so far, and who has answered them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.number = 0
        self.confirmed: set[str] = set()
        self.gave_up: set[str] = set()

    def require(self, complaint: str, follows: "Callable[[SolverName], bool | None]") -> None:
        """Asks all solvers whether something follows; None if one does not know. Raises `DoesNotFollow` with
        the complaint if not, `GaveUp` if no solver knows."""
        self.context.allowance.spend()
        self.number += 1
        answers = {solver: follows(solver) for solver in self.context.solvers}
        if False in answers.values():
            raise DoesNotFollow(complaint)
        if not answers:
            raise DoesNotFollow(f"no solver may say otherwise: {complaint}")
        if True not in answers.values():
            raise GaveUp(f"no solver could decide this: {complaint}")
        self.confirmed |= {solver for solver, answer in answers.items() if answer}
        self.gave_up |= {solver for solver, answer in answers.items() if answer is None}

    def obligation(self, claim: str) -> Obligation:
        """The obligation that everything asked so far follows."""
        return Obligation(
            claim,
            True,
            f"{counted(self.number, 'question')} to a solver",
            confirmed_by=tuple(sorted(self.confirmed)),
            gave_up=tuple(sorted(self.gave_up)),
        )
