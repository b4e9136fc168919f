"""What the checker works with: limits, solvers, an interpreter."""

from dataclasses import dataclass, field

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.checking.allowance import Allowance
from seriatim.checking.reference import BigSteps, Faults
from seriatim.program.semantics import big_steps, faults


@dataclass(frozen=True, slots=True)
class Context:
    """How much to explore, which solvers to ask, and how to execute programs."""

    allowance: Allowance = field(default_factory=Allowance)
    chosen: "tuple[SolverName, ...] | None" = None
    """Solvers for obligations that need one; None chooses z3."""
    big_steps: BigSteps = big_steps
    faults: Faults = faults
    """Finds failing steps by the definition of the language, or with a faster interpreter."""

    @property
    def solvers(self) -> "tuple[SolverName, ...]":
        """The solvers: one has to confirm, and none may contradict. Without solvers, an obligation that needs
        one does not hold."""
        if self.chosen is not None:
            return self.chosen
        return (SolverName.Z3,)
