"""The result of a question about an input: one type of plain data, from engine to face.

It contains no system and no closure, so it pickles; `report.result_json` writes it and
`report.result_from_json` reads it back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from seriatim.certificate.certificate import Certificate
from seriatim.method import Method, Minimality, Obstacle
from seriatim.properties.property import Property
from seriatim.source import Diagnostic, SourceText

if TYPE_CHECKING:
    from seriatim.checking.obligation import Report
    from seriatim.explain.account import Account
    from seriatim.explain.explanation import CommitStep
    from seriatim.explain.timeline import Actor, Sample, ShownRun
    from seriatim.explain.why import Stuck, Why
    from seriatim.frontends.protocol import Approximation, Comparison, Confirmation


@dataclass(frozen=True, slots=True)
class Holds:
    certificate: Certificate
    reason: str
    """Why it holds, in a sentence for people."""
    sample: "Sample | None" = None
    """A sample run, if it was wanted and there is a short one."""
    points: "tuple[CommitStep, ...]" = ()
    """Where requests take effect, if that was wanted."""


@dataclass(frozen=True, slots=True)
class Violated:
    certificate: Certificate
    run: "ShownRun"
    minimality: Minimality
    in_flight: int
    why: "Why"
    name: str = ""
    """The common name of the violation, such as "lost update"; empty if it has none."""
    fixes: tuple[str, ...] = ()
    """Changes to the source, in words; each one alone is known to suffice."""


@dataclass(frozen=True, slots=True)
class StuckWarning:
    """Requests can wait for ever: a certificate, a run and the reason, beside the answer to the question."""

    certificate: Certificate
    run: "ShownRun"
    why: "Stuck"


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A run of the model that would be a violation, but was not seen in the source itself.

    It has no certificate: the run is evidence about the model alone.
    """

    run: "ShownRun"
    why: "Why"


@dataclass(frozen=True, slots=True)
class Undecided:
    reason: str
    hint: str | None
    clean_up_to: int
    """There is no violation with at most this many requests."""
    single_steps: tuple[str, ...] = ()
    """The handlers that can be treated as a single step."""
    obstacle: Obstacle | None = None
    """Where a proof by commit points stops."""
    suspicion: Suspicion | None = None
    """A possible violation."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The checker refused Seriatim's own evidence: no verdict, but a bug to report."""

    certificate: Certificate
    report: "Report"
    """The checker's report."""

    @property
    def complaint(self) -> str:
        return self.report.complaint


@dataclass(frozen=True, slots=True)
class Faulty:
    """A step fails, although the question was another one. It can be decided once the program is fixed."""

    certificate: Certificate
    """Proves that the program is not safe."""
    diagnostic: Diagnostic
    run: "ShownRun"
    """The run; its last turn fails."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """The input could not be read, or its result could not be saved."""

    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """The process for this result ended without one, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Also:
    """The answer to another question, which was asked together with the first one."""

    property: Property
    answer: Holds | Undecided


@dataclass(frozen=True, slots=True)
class Recorded:
    """A verdict about a log. Its evidence is about the log, not about runs of a program."""

    holds: bool
    account: "Account"
    certificates: tuple[str, ...]
    """The evidence, as `ser history --certificate` saves it."""


Answer = Holds | Violated | Undecided | Refused | Faulty | Unusable | Lost | Recorded


@dataclass(frozen=True, slots=True)
class Result:
    """A result. Two results are equal if they say the same; times do not count."""

    source: SourceText
    """The input; if it is unusable, the text that contains the mistake."""
    property: Property
    answer: Answer
    method: Method | None = None
    """The method that decided; None if none was tried."""
    seconds: float = field(default=0.0, compare=False)
    stages: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Where the time went: seconds for each stage, the re-check of the evidence last."""
    warnings: tuple[Diagnostic, ...] = ()
    """Likely mistakes: first those in the text, in its order, then those found while deciding."""
    stuck: StuckWarning | None = None
    """The run that a warning about waiting requests refers to."""
    approximations: "tuple[Approximation, ...]" = ()
    """How the model that was decided may differ from the source."""
    confirmation: "Confirmation | None" = None
    """The outcome of repeating a violation on the real code."""
    compared: "Comparison | None" = None
    """What came of comparing the model with the real thing; None for languages without such a comparison."""
    actor: "Actor" = "request"
    """What the verdict counts: requests or threads; or actions, of which protocols have any number."""
    also: tuple[Also, ...] = ()
    """The answers to other questions of the same check; a violation of one of them would be the result."""


def verdict_name(result: Result) -> str:
    """The name of the verdict in JSON."""
    answer = result.answer
    match answer:
        case (
            Holds(certificate=certificate)
            | Violated(certificate=certificate)
            | Faulty(certificate=certificate)  # A failing step is about safety, whatever was asked.
        ):
            return certificate.verdict
        case Recorded(holds=holds):
            yes, no = result.property.verdicts
            return yes if holds else no
        case Undecided() | Refused() | Lost():
            return "unknown"
        case Unusable():
            return "error"
        case _:
            assert_never(answer)
