"""A limit that was reached, as a diagnostic."""

from seriatim.budget import OutOfBudget, OutOfMemory
from seriatim.network.limits import LimitReached
from seriatim.source import Diagnostic


def limit_diagnostic(reached: LimitReached) -> Diagnostic:
    code = "SER302" if reached.flag == "--max-value" else "SER301"
    return Diagnostic(code, reached.message, hint=reached.hint)


def budget_diagnostic(out: OutOfBudget) -> Diagnostic:
    code = "SER304" if isinstance(out, OutOfMemory) else "SER303"
    return Diagnostic(code, f"not done: {out.spent}", hint=out.hint)
