"""What engines and results both speak of: the method, how small a counterexample is, where a proof stops."""

from enum import StrEnum

from seriatim.frozen import frozen


class Method(StrEnum):
    """What to try: everything, or one way alone."""

    AUTO = "auto"
    ATOMIC = "atomic"
    SEARCH = "search"
    COMMIT = "commit"
    MODULAR = "modular"
    STATE_EQUATION = "state-equation"
    CHAINS = "chains"
    KARP_MILLER = "km"
    """Of threads: all that any number of them can reach."""
    PETRIFY = "petrify"
    """Of threads: a bound on their number, by the method of the paper on petrification."""
    PAPER = "paper"
    """The paper's own pipeline; never tried unless asked for."""


class Minimality(StrEnum):
    """Whether a counterexample has as few requests as any."""

    PROVED = "proved"
    BOUNDED = "bounded"
    UNKNOWN = "no"


@frozen
class Obstacle:
    """Where a proof by commit points stops: the handler may give this response where no order of those that
    took effect before allows it."""

    handler: str
    line: int | None
    """Where the handler pauses before; None if it has not begun, or is one of a network system."""
    response: str
