"""Terms that engines and results share: the method, minimality of a counterexample, where a proof stops."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Method(StrEnum):
    """Which engines to try: all, or a single method."""

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
    """For threads: everything that any number of them can reach."""
    CLOSURE = "closure"
    """For threads: which pairs of them can exist at the same time."""
    PETRIFY = "petrify"
    """For threads: a bound on their number, by the method of the paper on petrification."""
    PAPER = "paper"
    """The paper's own pipeline; used only if asked for."""


class Minimality(StrEnum):
    """Whether a counterexample has the smallest possible number of requests."""

    PROVED = "proved"
    BOUNDED = "bounded"
    UNKNOWN = "no"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Where a proof by commit points stops: the handler may give this response although no order of the
    requests that took effect before allows it."""

    handler: str
    line: int | None
    """The line where the handler paused before; None if it has not begun, or in a network system."""
    response: str


@dataclass(frozen=True, slots=True)
class Optimizations:
    """The four optimizations of the paper's section 3.2, with its letters B, R, G and S."""

    slicing: bool = True
    pruning: bool = True
    fewer_constraints: bool = True
    by_degree: bool = True

    @classmethod
    def without(cls, letters: str) -> "Optimizations":
        """All optimizations except these."""
        return cls(*(letter not in letters for letter in OPTIMIZATIONS))

    def __str__(self) -> str:
        """The letters as in the paper, such as BRGS; a dash replaces what is switched off."""
        switches = (self.slicing, self.pruning, self.fewer_constraints, self.by_degree)
        return "".join(
            letter if is_on else "-" for letter, is_on in zip(OPTIMIZATIONS, switches, strict=True)
        )


OPTIMIZATIONS = "BRGS"
ALL_OPTIMIZATIONS = Optimizations()


Algorithm = Literal[1, 2, 3]


@dataclass(frozen=True, slots=True)
class ThreadOptions:
    algorithm: Algorithm = 1
    """The algorithm of the paper on petrification: in which order it asks for a bound and for safety."""
    width: bool = False
    """Whether to find out how many threads of a template can exist at a time."""
