"""What the checker works with, whatever it checks."""

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.checking.allowance import Allowance
from seriatim.checking.reference import BigSteps, Faults
from seriatim.frozen import field, frozen
from seriatim.program.semantics import big_steps, faults


@frozen
class Context:
    """How much to explore, which solvers to ask, and how to execute programs."""

    allowance: Allowance = field(default_factory=Allowance)
    solvers: tuple[SolverName, ...] = (SolverName.Z3,)
    """For obligations that need one: one of these confirms, and none contradicts. Without solvers, such an
    obligation does not hold."""
    big_steps: BigSteps = big_steps
    faults: Faults = faults
    """By the definition of the language, unless a faster interpreter is given."""
