"""A limit that was reached, as a diagnostic."""

from seriatim.network.limits import LimitReached
from seriatim.source import Diagnostic


def limit_diagnostic(reached: LimitReached) -> Diagnostic:
    code = "SER302" if reached.flag == "--max-value" else "SER301"
    return Diagnostic(code, reached.message, hint=reached.hint)


def timeout_diagnostic(seconds: float) -> Diagnostic:
    return Diagnostic("SER303", f"not done after {seconds:g} seconds", hint="allow more with --timeout")
