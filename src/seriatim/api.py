"""The Python API: a verdict as a value with its evidence, and the checker as a function."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol, assert_never

from seriatim import result as results
from seriatim.budget import Deadline, OutOfBudget, OutOfMemory, OutOfTime
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.certificate import write as certificate_text
from seriatim.certificate.history import Comparison
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, Report
from seriatim.checking.verify import verify as check_evidence
from seriatim.deciding.logs import About, AboutLevels, decide_log
from seriatim.deciding.pipeline import Options, decide
from seriatim.explain.timeline import Timeline
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.languages import SUFFIXES
from seriatim.frontends.reading import BadInput, InputFile, load, parse_source
from seriatim.frontends.ser.specification import read_specification
from seriatim.history.reading import Format, format_by_suffix
from seriatim.history.transactions.names import find_level
from seriatim.method import Method
from seriatim.program.inputs import Input
from seriatim.program.specification import Specification
from seriatim.properties.all import PROPERTIES
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.properties.deadlock_free import DeadlockFreedom
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.property import SPECIFICATION, Property
from seriatim.properties.safe import Safety
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.properties.strict import StrictSerializability
from seriatim.report.html.verdict import verdict_fragment
from seriatim.report.look import Look
from seriatim.report.result_json import result_json
from seriatim.report.verdict_text import conclusions, headline, verdict_text
from seriatim.result import Lost, Result
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.systems.limits import LimitReached, Limits

__all__ = [
    "BadInput",
    "Certificate",
    "ConflictSerializability",
    "Consistent",
    "DeadlockFreedom",
    "GaveUp",
    "Holds",
    "Inconsistent",
    "Linearizability",
    "LogVerdict",
    "Method",
    "NotSerializable",
    "Property",
    "Report",
    "Safety",
    "Serializability",
    "Serializable",
    "Specification",
    "StaticLinearizability",
    "StrictSerializability",
    "Timeline",
    "Unknown",
    "Verdict",
    "Violated",
    "certificate_from",
    "certificate_text",
    "check",
    "check_log",
    "specification",
    "verify",
]

_DEFAULTS = Options()


class _Told(Protocol):
    """A result as programs see it. It prints as on the command line; notebooks show it as HTML."""

    decision: Result
    """The whole result: the answer, the method, and where the time went."""

    @property
    def source(self) -> SourceText:
        return self.decision.source

    def to_json(self) -> dict[str, Any]:
        """The object that `ser check --json` prints."""
        return result_json(self.decision)

    def __repr__(self) -> str:
        return f"<{headline(self.decision, Look()).rstrip()}>"

    def __str__(self) -> str:
        return verdict_text(self.decision, Look()).rstrip()

    def _repr_html_(self) -> str:
        return verdict_fragment(self.decision)

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is not true or false: it may be Unknown; match it, or use isinstance")


@dataclass(frozen=True, slots=True, repr=False)
class Holds(_Told):
    """The handlers have the property, for any number of requests."""

    decision: Result
    certificate: Certificate
    reason: str
    """Why it holds, in a sentence."""


@dataclass(frozen=True, slots=True, repr=False)
class Serializable(Holds):
    """The handlers are serializable; this was the question."""


@dataclass(frozen=True, slots=True, repr=False)
class Violated(_Told):
    """A run violates the property; or a step of the run fails, whatever was asked."""

    decision: Result
    certificate: Certificate
    """Proves the violation; if a step fails, that the handlers are not safe."""
    run: Timeline


@dataclass(frozen=True, slots=True, repr=False)
class NotSerializable(Violated):
    """A run has answers, or observed final values, that no one-at-a-time order gives."""


@dataclass(frozen=True, slots=True, repr=False)
class Unknown(_Told):
    """No verdict, because of a limit."""

    decision: Result
    reason: str
    hint: str | None
    """What to bound, or which limit to raise."""
    clean_up_to: int
    """There is no violation with at most this many requests."""


Verdict = Holds | Violated | Unknown


@dataclass(frozen=True, repr=False, slots=True)
class Consistent(_Told):
    """Some order explains a log, or it shows the isolation level."""

    decision: Result
    certificates: tuple[str, ...]
    """The evidence, as `ser history --certificate` saves it."""


@dataclass(frozen=True, repr=False, slots=True)
class Inconsistent(_Told):
    """No order explains a log, or it does not show some isolation level."""

    decision: Result
    certificates: tuple[str, ...]


LogVerdict = Consistent | Inconsistent | Unknown


def check(
    program: str | Path,
    *,
    timeout: float | None = _DEFAULTS.timeout,
    max_states: int = _DEFAULTS.limits.max_states,
    max_value: int = _DEFAULTS.limits.max_value,
    method: Method = _DEFAULTS.method,
    max_memory: int | None = _DEFAULTS.max_memory,
    property: Property | str = SERIALIZABILITY,
) -> Verdict:
    """Decides whether the handlers of a program or of a network system are serializable, or have another
    property.

    `program` is a text or a path. A string that ends in `.ser` or `.json` is a path, because no text of a
    program or a network system ends like that. Raises `BadInput` if something is wrong with the program.
    `property` is a property of this package, or its name as in `ser check --property`.
    """
    asked = _named(property) if isinstance(property, str) else property
    source, content = _loaded(program)
    culprit, unfit = asked.misfits(content, source)
    if unfit:
        raise BadInput(culprit, unfit)
    limits = Limits(max_states, max_value)
    options = Options(limits, timeout, method, max_memory, question=asked)
    return _told(decide(content, options, source=source))


def _named(name: str) -> Property:
    """The property of this name, with the default parameters of the command line."""
    if name not in PROPERTIES:
        raise ValueError(f"there is no property {name!r}; there are {', '.join(map(repr, PROPERTIES))}")
    kind = PROPERTIES[name]
    if SPECIFICATION in kind.takes:
        example = f"seriatim.{kind.__name__}(seriatim.specification(…))"
        raise ValueError(f"the property {name!r} needs a specification: pass {example}")
    return kind()


def _told(result: Result) -> Verdict:
    answer = result.answer
    asks_for_serializability = isinstance(result.property, Serializability)
    match answer:
        case results.Holds(certificate=certificate, reason=reason):
            holds = Serializable if asks_for_serializability else Holds
            return holds(result, certificate, reason)
        case results.Violated(certificate=certificate, run=run):
            violated = NotSerializable if asks_for_serializability else Violated
            return violated(result, certificate, run.timeline)
        case results.Undecided(hint=hint, clean_up_to=clean_up_to):
            return Unknown(result, conclusions(result)[0], hint, clean_up_to)
        case results.Refused() | Lost():
            return Unknown(result, conclusions(result)[0], None, 0)
        case results.Faulty(certificate=certificate, run=run):
            return Violated(result, certificate, run.timeline)
        case results.Unusable(diagnostics=diagnostics):
            raise BadInput(result.source, diagnostics)
        case results.Recorded():
            raise AssertionError("this is about a log: see check_log")
        case _:
            assert_never(answer)


def check_log(
    log: str | Path,
    model: str | None = None,
    *,
    level: str | None = None,
    format: str | None = None,
    initial: str | None = None,
    ignore_times: bool = False,
    timeout: float | None = _DEFAULTS.timeout,
    max_memory: int | None = _DEFAULTS.max_memory,
) -> LogVerdict:
    """Decides whether some one-at-a-time order of the requests of `model` explains the answers in a log; or,
    without `model`, whether the transactions in it show the isolation `level`, or all levels.

    `log` is a path. `model` is the name of a built-in model, or the path of a program, as in `ser history`.
    Raises `BadInput` if something is wrong with the log or the program.
    """
    name = str(log)
    form = format_by_suffix(name) if format is None else Format(format)
    deadline = Deadline(timeout, max_memory)
    about: About = AboutLevels() if model is None else Comparison(model, initial, ignores_times=ignore_times)
    try:
        if model is None and level is not None:
            about = AboutLevels(find_level(level))
        with open(log, encoding="utf-8-sig", newline="") as lines:
            result = decide_log(name, lines, form, about, deadline)
    except OSError as problem:
        unreadable = Diagnostic("SER571", f"cannot read the log: {problem.strerror or problem}")
        raise BadInput(SourceText(name, ""), [unreadable]) from None
    except InputError as wrong:
        raise BadInput(SourceText(name, ""), wrong.diagnostics) from None
    except (LimitReached, OutOfBudget) as stopped:
        hint = stopped.hint
        result = Result(
            SourceText(name, ""), about.asked, results.Undecided(str(stopped) or OutOfBudget.spent, hint, 0)
        )
    answer = result.answer
    if isinstance(answer, results.Recorded):
        kind = Consistent if answer.holds else Inconsistent
        return kind(result, answer.certificates)
    told = _told(result)
    assert isinstance(told, Unknown)
    return told


def verify(
    certificate: Certificate,
    program: str | Path,
    *,
    timeout: float | None = _DEFAULTS.timeout,
    max_memory: int | None = _DEFAULTS.max_memory,
) -> Report:
    """Checks whether a certificate proves its verdict about a program, claim by claim.

    Raises `BadInput` if something is wrong with the program, `GaveUp` if a limit is reached.
    """
    _, content = _loaded(program)
    context = Context(Allowance(deadline=Deadline(timeout, max_memory)))
    try:
        return check_evidence(certificate, content, context)
    except OutOfTime:
        raise GaveUp(f"not done after {timeout:g} seconds") from None
    except OutOfMemory as stopped:
        raise GaveUp(stopped.spent) from None


def certificate_from(text: str) -> Certificate:
    """Reads a certificate from text. Raises `BadInput` if the text departs from the format."""
    return parse_source(SourceText("<certificate>", text), lambda source: read_certificate(source.text))


def specification(text: str | Path) -> Specification:
    """Reads a specification from its text or from a path; raises `BadInput`."""
    if isinstance(text, Path):
        return load(InputFile(text), read_specification)[1]
    return parse_source(SourceText("<specification>", text), read_specification)


def _loaded(program: str | Path) -> tuple[SourceText, Input]:
    if isinstance(program, Path) or program.rstrip().endswith(SUFFIXES):
        return load(InputFile(Path(program)), read_input)
    source = SourceText("<text>", program)
    return source, parse_source(source, read_input)
