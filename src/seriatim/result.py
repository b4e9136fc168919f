"""What came of a question about an input, from engine to face: one type of plain data.

It holds no system and no closure, so that it pickles, and `report.result_json` writes it in a way that
`report.result_from_json` reads back.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, assert_never

from seriatim.certificate.certificate import Certificate
from seriatim.frozen import field, frozen
from seriatim.method import Method, Minimality, Obstacle
from seriatim.properties.property import Property
from seriatim.source import Diagnostic, SourceText

if TYPE_CHECKING:
    from seriatim.checking.obligation import Report
    from seriatim.explain.explanation import CommitStep
    from seriatim.explain.timeline import Actor, Sample, ShownRun
    from seriatim.explain.why import Stuck, Why
    from seriatim.frontends.protocol import Approximation, Confirmation


@frozen
class Holds:
    certificate: Certificate
    reason: str
    """In a sentence, for people."""
    sample: "Sample | None" = None
    """For illustration, if somebody wanted one and there is a short one."""
    points: "tuple[CommitStep, ...]" = ()
    """Where requests take effect, if that was asked."""


@frozen
class Violated:
    certificate: Certificate
    run: "ShownRun"
    minimality: Minimality
    in_flight: int
    why: "Why"
    name: str = ""
    """What people call such a violation, such as a lost update; empty if there is no name for it."""
    fixes: tuple[str, ...] = ()
    """Changes to the source, in words, each of which is known to suffice alone."""


@frozen
class StuckWarning:
    """Requests can wait for ever, whatever else was asked: a certificate that says so, a run, and why."""

    certificate: Certificate
    run: "ShownRun"
    why: "Stuck"


@frozen
class Suspicion:
    """A run of the model of a source that would be a violation; nobody has seen the source itself do that.

    It has no certificate: the run is evidence about the model alone.
    """

    run: "ShownRun"
    why: "Why"


@frozen
class Undecided:
    reason: str
    hint: str | None
    clean_up_to: int
    """There is no violation with at most so many requests."""
    single_steps: tuple[str, ...] = ()
    """The handlers that may be taken for a single step."""
    obstacle: Obstacle | None = None
    """Where a proof by commit points stops."""
    suspicion: Suspicion | None = None
    """What may be a violation."""


@frozen
class Refused:
    """Our own checker does not accept our own evidence: no verdict, but a bug to report."""

    certificate: Certificate
    report: "Report"
    """What the checker says."""

    @property
    def complaint(self) -> str:
        return self.report.complaint


@frozen
class Faulty:
    """A step fails, though something else was asked: the program has to be fixed before there can be a
    verdict on that."""

    certificate: Certificate
    """That the program is not safe."""
    diagnostic: Diagnostic
    run: "ShownRun"
    """Its last turn is the one that does not end."""


@frozen
class Unusable:
    """The input could not be read, or its result could not be saved."""

    diagnostics: tuple[Diagnostic, ...]


@frozen
class Lost:
    """The process that was to find the result is gone, and why."""

    reason: str


Answer = Holds | Violated | Undecided | Refused | Faulty | Unusable | Lost


@frozen
class Result:
    """Two results are equal if they say the same, however long that took."""

    source: SourceText
    """The input; of an input that is unusable, the text in which the mistake is."""
    property: Property
    answer: Answer
    method: Method | None = None
    """None if nobody came so far as to try one."""
    seconds: float = field(default=0.0, compare=False)
    stages: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Where the time went: seconds for each stage, the re-check of the evidence last."""
    warnings: tuple[Diagnostic, ...] = ()
    """What is surely a mistake: what the text shows, in its order, then what came out beside the verdict."""
    stuck: StuckWarning | None = None
    """The run to which one of the warnings refers."""
    approximations: "tuple[Approximation, ...]" = ()
    """How what was decided about may differ from the source."""
    confirmation: "Confirmation | None" = None
    """What came of repeating a violation on the real thing."""
    actor: "Actor" = "request"
    """What there can be any number of."""


def verdict_name(result: Result) -> str:
    """What JSON calls the verdict."""
    answer = result.answer
    match answer:
        case (
            Holds(certificate=certificate)
            | Violated(certificate=certificate)
            | Faulty(certificate=certificate)  # Whatever was asked: it is about safety.
        ):
            return certificate.verdict
        case Undecided() | Refused() | Lost():
            return "unknown"
        case Unusable():
            return "error"
        case _:
            assert_never(answer)
