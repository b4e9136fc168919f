"""A limit that was reached, as a diagnostic."""

from seriatim.arithmetic.semilinear.algebra import TooManyComponents
from seriatim.arithmetic.solvers.isl import NotInstalled
from seriatim.budget import OutOfBudget, OutOfMemory
from seriatim.source import Diagnostic
from seriatim.systems.limits import LimitReached


def limit_diagnostic(reached: LimitReached) -> Diagnostic:
    code = "SER302" if reached.flag == "--max-value" else "SER301"
    return Diagnostic(code, reached.message, hint=reached.hint)


def budget_diagnostic(out: OutOfBudget) -> Diagnostic:
    code = "SER304" if isinstance(out, OutOfMemory) else "SER303"
    return Diagnostic(code, f"not done: {out.spent}", hint=out.hint)


def step_diagnostic(problem: TooManyComponents | NotInstalled) -> Diagnostic:
    """Why a step of the paper's pipeline is not taken."""
    if isinstance(problem, NotInstalled):
        return Diagnostic("SER906", "isl is not installed", hint="pip install 'seriatim[paper]'")
    return Diagnostic("SER305", "the semilinear set of serial outcomes has too many components")
