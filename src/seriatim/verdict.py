"""What came of a question about an input: a verdict with its evidence, and how it came about."""

from collections import Counter
from dataclasses import dataclass

from seriatim.certificate.certificate import Certificate
from seriatim.certificate.cycle import Conflict
from seriatim.checking.verify import Report
from seriatim.engines.paper.record import PaperRecord
from seriatim.engines.shared.answer import Minimality, Obstacle
from seriatim.engines.shared.conclusion import Method
from seriatim.properties.question import SERIALIZABILITY, Question
from seriatim.source import Diagnostic
from seriatim.systems.from_input import Origin
from seriatim.systems.posing import Posed
from seriatim.systems.run import FaultyRun, Run


@dataclass(frozen=True, slots=True)
class Holds:
    certificate: Certificate
    reason: str
    """In a sentence, for people."""


@dataclass(frozen=True, slots=True)
class Unexplained:
    """Why a run violates a property: nothing that is allowed has its outcome."""

    posed: Posed
    """What is allowed."""
    outcome: Counter[int]
    """In the numbers of the system that was posed."""
    barriers: tuple[int, ...] = ()
    """After how many turns of the run each of them stands."""


@dataclass(frozen=True, slots=True)
class ConflictCycle:
    """Why a run is not conflict-serializable: each request of the cycle would have to come before itself."""

    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class Misordered:
    """Why a run is not static-linearizable with given points: their order is not allowed."""

    points: tuple[int, ...]
    """The turns in which requests take effect, by number, from 1 on."""


@dataclass(frozen=True, slots=True)
class Violated:
    certificate: Certificate
    run: Run
    """Of the input."""
    minimality: Minimality
    in_flight: int
    why: Unexplained | ConflictCycle | Misordered


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
    question: Question = SERIALIZABILITY
    warnings: tuple[Diagnostic, ...] = ()
    """What is surely a mistake: what the text shows, in its order, then what came out beside the verdict."""
    paper: PaperRecord | None = None
    """What the paper's pipeline has made, if that was the method."""
