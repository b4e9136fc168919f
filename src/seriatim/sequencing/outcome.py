"""The outcome of a proof by one order: proved, broken by a run, or not proved, each with its evidence."""

from dataclasses import dataclass
from enum import StrEnum

from seriatim.actions.configurations import Broken, Trace
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.syntax import Order, Proof
from seriatim.actions.values import GlobalState, Sizes
from seriatim.certificate.certificate import Certificate
from seriatim.checking.obligation import Report
from seriatim.checking.sequentialization.finite import Finding, FiniteReport
from seriatim.sequencing.endings import Endings


class Reachability(StrEnum):
    """Whether a run reaches the state where a premise fails."""

    REACHABLE = "reachable"
    """A run of the program gets there: this order cannot work."""
    STORE = "store"
    """No run gets there at these sizes: a stronger gate or abstraction may exclude it."""
    UNKNOWN = "unknown"
    """The program has too many configurations to explore."""


@dataclass(frozen=True, slots=True)
class FoundProof:
    """The parts of a proof that Seriatim found."""

    order: Order | None = None
    tried: int = 0
    """The number of orders that were tried."""


@dataclass(frozen=True, slots=True)
class Proved:
    proof: Proof
    certificate: Certificate
    report: Report
    finite: tuple[FiniteReport, ...]
    found: FoundProof
    endings: tuple[Endings, ...] | None = None
    """How runs end at the given sizes; None where that is not decided."""


@dataclass(frozen=True, slots=True)
class RunBreaks:
    """A real run of the program breaks an assertion or `ensures`."""

    broken: Broken
    interpreter: Interpreter
    certificate: Certificate


@dataclass(frozen=True, slots=True)
class NotProved:
    reason: str
    """The reason in words, if no finding says more."""
    finding: Finding | None
    sizes: Sizes | None
    interpreter: Interpreter | None
    others: tuple[Finding, ...]
    reachability: Reachability | None
    trace: Trace | None = None
    early: tuple[GlobalState, ...] = ()
    """The states that the action leads to if it comes first."""


Outcome = Proved | RunBreaks | NotProved
