"""What engines and results both speak of: the method, how small a counterexample is, where a proof stops."""

from enum import StrEnum
from typing import Literal

from seriatim.frozen import frozen


class Method(StrEnum):
    """What to try: everything, or one way alone."""

    AUTO = "auto"
    ATOMIC = "atomic"
    SEARCH = "search"
    COMMIT = "commit"
    MODULAR = "modular"
    SIMULATION = "simulation"
    """Formulas about one or two requests, for any integers."""
    STATE_EQUATION = "state-equation"
    CHAINS = "chains"
    KARP_MILLER = "km"
    """Of threads: all that any number of them can reach."""
    CLOSURE = "closure"
    """Of threads: which two of them can be there at the same time."""
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


@frozen
class Optimizations:
    """The four of the paper's section 3.2, by its letters B, R, G and S."""

    slicing: bool = True
    pruning: bool = True
    fewer_constraints: bool = True
    by_degree: bool = True

    @classmethod
    def without(cls, letters: str) -> "Optimizations":
        """All but these."""
        return cls(*(letter not in letters for letter in OPTIMIZATIONS))

    def __str__(self) -> str:
        """As in the paper: BRGS, or a dash for what is switched off."""
        switches = (self.slicing, self.pruning, self.fewer_constraints, self.by_degree)
        return "".join(
            letter if is_on else "-" for letter, is_on in zip(OPTIMIZATIONS, switches, strict=True)
        )


OPTIMIZATIONS = "BRGS"
ALL_OPTIMIZATIONS = Optimizations()


Algorithm = Literal[1, 2, 3]


@frozen
class ThreadOptions:
    algorithm: Algorithm = 1
    """Of the paper on petrification: in which order it asks for a bound and for safety."""
    width: bool = False
    """Whether to find out how many threads of a template there can be at a time."""
