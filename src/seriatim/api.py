"""For Python programs: a verdict as a value with its evidence, and the checker as a function."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, assert_never

from seriatim import pipeline
from seriatim.budget import Deadline, OutOfMemory, OutOfTime
from seriatim.certificate.format import Certificate
from seriatim.certificate.json_text import read as certificate_from
from seriatim.certificate.json_text import write as certificate_text
from seriatim.checking.verify import GaveUp, Report
from seriatim.checking.verify import verify as check_evidence
from seriatim.engines.portfolio import Method
from seriatim.network.inputs import Input, read_input
from seriatim.network.limits import Limits
from seriatim.pipeline import Decision, Options, decide
from seriatim.reading import SUFFIXES, BadInput, InputFile, load, parsed
from seriatim.report.html.verdict import verdict_fragment
from seriatim.report.look import Look
from seriatim.report.timeline import Timeline, timeline
from seriatim.report.verdict_json import decision_json
from seriatim.report.verdict_text import conclusions, headline, verdict_text
from seriatim.source import SourceText

__all__ = [
    "BadInput",
    "Certificate",
    "GaveUp",
    "Method",
    "NotSerializable",
    "Report",
    "Serializable",
    "Timeline",
    "Unknown",
    "Verdict",
    "certificate_from",
    "certificate_text",
    "check",
    "verify",
]

_DEFAULTS = Options()


@dataclass(frozen=True, slots=True, repr=False)
class _Answer:
    """What every verdict has. It prints as on the command line; notebooks show it as HTML."""

    source: SourceText
    decision: Decision = field(compare=False)
    """How it was reached: the method, and where the time went."""

    def to_json(self) -> dict[str, Any]:
        """The object that `ser check --json` prints."""
        return decision_json(self.decision, self.source)

    def __repr__(self) -> str:
        return f"<{headline(self.decision, self.source.name, Look()).rstrip()}>"

    def __str__(self) -> str:
        return verdict_text(self.decision, self.source, Look()).rstrip()

    def _repr_html_(self) -> str:
        return verdict_fragment(self.decision, self.source)

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is not true or false: it may be Unknown; match it, or use isinstance")


@dataclass(frozen=True, slots=True, repr=False)
class Serializable(_Answer):
    """For any number of requests."""

    certificate: Certificate
    reason: str
    """In a sentence."""


@dataclass(frozen=True, slots=True, repr=False)
class NotSerializable(_Answer):
    """A run has answers that no one-at-a-time order of its requests gives."""

    certificate: Certificate
    run: Timeline


@dataclass(frozen=True, slots=True, repr=False)
class Unknown(_Answer):
    """No verdict, because of a limit."""

    reason: str
    hint: str | None
    """What to bound, or to allow more of."""
    clean_up_to: int
    """There is no violation with at most so many requests."""


Verdict = Serializable | NotSerializable | Unknown


def check(
    program: str | Path,
    *,
    timeout: float | None = _DEFAULTS.timeout,
    max_states: int = _DEFAULTS.limits.max_states,
    max_value: int = _DEFAULTS.limits.max_value,
    method: Method = _DEFAULTS.method,
    max_memory: int | None = _DEFAULTS.max_memory,
) -> Verdict:
    """Decides whether the handlers of a program or of a network system are serializable.

    `program` is the text, or where to find it: a path, or a string that ends in `.ser` or `.json`, as no
    text of a program or of a network system does. Raises `BadInput` if there is something wrong with it.
    """
    source, content = _loaded(program)
    decision = decide(content, Options(Limits(max_states, max_value), timeout, method, max_memory))
    verdict = decision.verdict
    match verdict:
        case pipeline.Serializable(certificate=certificate, reason=reason):
            return Serializable(source, decision, certificate, reason)
        case pipeline.NotSerializable(certificate=certificate, run=run):
            return NotSerializable(source, decision, certificate, timeline(run, decision.unfolding, source))
        case pipeline.Undecided(hint=hint, clean_up_to=clean_up_to):
            return Unknown(source, decision, conclusions(verdict)[0], hint, clean_up_to)
        case pipeline.Faulty():
            raise BadInput(source, [verdict.diagnostic()])
        case pipeline.Refused():
            return Unknown(source, decision, conclusions(verdict)[0], None, 0)
        case _:
            assert_never(verdict)


def verify(
    certificate: Certificate,
    program: str | Path,
    *,
    timeout: float | None = _DEFAULTS.timeout,
    max_memory: int | None = _DEFAULTS.max_memory,
) -> Report:
    """Whether a certificate proves its verdict about a program, claim by claim.

    Raises `BadInput` if there is something wrong with the program, `GaveUp` if a limit is reached.
    """
    _, content = _loaded(program)
    try:
        return check_evidence(certificate, content, deadline=Deadline(timeout, max_memory))
    except OutOfTime:
        raise GaveUp(f"not done after {timeout:g} seconds") from None
    except OutOfMemory as stopped:
        raise GaveUp(stopped.spent) from None


def _loaded(program: str | Path) -> tuple[SourceText, Input]:
    if isinstance(program, Path) or program.rstrip().endswith(SUFFIXES):
        return load(InputFile(Path(program)), read_input)
    source = SourceText("<text>", program)
    return source, parsed(source, read_input)
