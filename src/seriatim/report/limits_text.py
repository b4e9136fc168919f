"""A limit that was reached, as a diagnostic: which flag, which variable grows, and where."""

from seriatim.engines.portfolio import too_large
from seriatim.evidence.from_run import Origin
from seriatim.network.limits import LimitReached
from seriatim.source import Diagnostic

CODES = {"--max-states": "SER301", "--max-value": "SER302"}


def limit_diagnostic(reached: LimitReached, origin: Origin) -> Diagnostic:
    message, hint = too_large(origin, reached)
    return Diagnostic(CODES[reached.flag], message, hint=hint)
