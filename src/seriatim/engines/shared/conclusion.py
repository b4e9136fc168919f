"""What the portfolio concludes about a question, by which method, and how far it is meanwhile."""

from dataclasses import dataclass
from enum import StrEnum

from seriatim.engines.paper.record import PaperRecord
from seriatim.engines.shared.answer import (
    GaveUp,
    Obstacle,
    ProvedAtomic,
    ProvedByChains,
    ProvedByCommits,
    ProvedByCover,
    ProvedByReduction,
    Refuted,
)
from seriatim.systems.slicing import MacroSystem


class Method(StrEnum):
    """What to try: everything, or one way alone."""

    AUTO = "auto"
    ATOMIC = "atomic"
    SEARCH = "search"
    COMMIT = "commit"
    MODULAR = "modular"
    STATE_EQUATION = "state-equation"
    CHAINS = "chains"
    PAPER = "paper"
    """The paper's own pipeline; never tried unless asked for."""


Proof = ProvedAtomic | ProvedByCommits | ProvedByReduction | ProvedByCover | ProvedByChains
Found = Refuted | Proof


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What came out, by which method, and what is known besides."""

    answer: Found | GaveUp
    method: Method
    clean_up_to: int
    """There is no violation with at most so many requests."""
    seconds: dict[str, float]
    """How long each stage took."""
    system: MacroSystem | None = None
    """What complete runs can use, if that is known."""
    paper: PaperRecord | None = None
    """What the paper's pipeline has made, if it was asked for."""
    single_steps: tuple[str, ...] = ()
    """The handlers that may be taken for a single step."""
    obstacle: Obstacle | None = None
    """Where the proof came nearest."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work on a system is."""

    stage: str
    states: int
    """Explored by the search so far."""
    clean_up_to: int
    """There is no violation with at most so many requests."""
    questions: int = 0
    """Put to solvers so far."""
