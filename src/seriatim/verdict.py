"""What came of a question about an input: a verdict with its evidence, and how it came about."""

from dataclasses import dataclass

from seriatim.certificate.certificate import Certificate
from seriatim.checking.verify import Report
from seriatim.engines.paper.record import PaperRecord
from seriatim.engines.stage import (
    ConflictCycle,
    Failing,
    Method,
    Minimality,
    Misordered,
    Obstacle,
    Unexplained,
)
from seriatim.frontends.protocol import Confirmation, Translation
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.source import Diagnostic
from seriatim.systems.from_input import Origin
from seriatim.systems.run import FaultyRun, Run


@dataclass(frozen=True, slots=True)
class Holds:
    certificate: Certificate
    reason: str
    """In a sentence, for people."""


@dataclass(frozen=True, slots=True)
class Violated:
    certificate: Certificate
    run: Run
    """Of the input."""
    minimality: Minimality
    in_flight: int
    why: Unexplained | ConflictCycle | Misordered | Failing


@dataclass(frozen=True, slots=True)
class Undecided:
    reason: str
    hint: str | None
    clean_up_to: int
    """There is no violation with at most so many requests."""
    single_steps: tuple[str, ...] = ()
    """The handlers that may be taken for a single step."""
    obstacle: Obstacle | None = None
    """Where a proof by commit points stops."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Our own checker does not accept our own evidence: no verdict, but a bug to report."""

    certificate: Certificate
    report: Report
    """What the checker says."""

    @property
    def complaint(self) -> str:
        return self.report.complaint


@dataclass(frozen=True, slots=True)
class Faulty:
    """The program makes a mistake in some run: it has to be mended before there can be a verdict."""

    faulty: FaultyRun

    def diagnostic(self) -> Diagnostic:
        fault = self.faulty.fault
        return Diagnostic(fault.code, fault.message, fault.span, FAULT_HINTS[fault.code])


FAULT_HINTS = {
    "SER801": "mend the code, widen the range, or declare it with `wrap` or `saturate`",
    "SER802": "mend the index, or make the array larger",
}

Verdict = Holds | Violated | Undecided | Refused | Faulty


@dataclass(frozen=True, slots=True)
class Decision:
    verdict: Verdict
    method: Method
    seconds: float
    stages: dict[str, float]
    """Where the time went: seconds for each stage, the re-check of the evidence last."""
    unfolding: Origin
    """What the numbers of a run refer to."""
    question: Property = SERIALIZABILITY
    warnings: tuple[Diagnostic, ...] = ()
    """What is surely a mistake: what the text shows, in its order, then what came out beside the verdict."""
    paper: PaperRecord | None = None
    """What the paper's pipeline has made, if that was the method."""
    translation: Translation | None = None
    """What the source stands for, if a front end has translated it."""
    confirmation: Confirmation | None = None
    """What came of repeating a violation on the real thing."""
