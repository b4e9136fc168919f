"""How precisely the checker knows which requests can be in flight together."""

from seriatim.certificate.in_flight import Invariant, Level
from seriatim.frozen import frozen


@frozen
class Precision:
    """How many requests are looked at together, and what may exclude that they are."""

    level: Level
    invariants: tuple[Invariant, ...]
    """Those that a step breaks are not used."""


def looks(level: Level) -> str:
    """How closely each level looks at what can be in flight together."""
    return "one by one (level 1)" if level == 1 else "in pairs (level 2)"
