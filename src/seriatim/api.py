"""The Python API: a verdict as a value with its evidence, and the checker as a function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NoReturn, Protocol, assert_never

from seriatim import result as results
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline, OutOfBudget, OutOfMemory, OutOfTime, enforce
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.certificate import write as certificate_text
from seriatim.certificate.history import Comparison
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.sequentialization.verify import verify_sequential
from seriatim.checking.verify import GaveUp, Report
from seriatim.checking.verify import verify as check_evidence
from seriatim.deciding.log_evidence import verify_log as check_log_evidence
from seriatim.deciding.logs import About, AboutLevels, decide_log
from seriatim.deciding.pipeline import Options, out_of_budget
from seriatim.deciding.sources import decide_translation, read_or_run
from seriatim.elaborate import draw as draw_view
from seriatim.elaborate import repairs_of
from seriatim.explain.timeline import Timeline
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.frontends.all import allow_run, translate, translate_all
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.languages import (
    SEEN_OF_SQL,
    SOURCES,
    SUFFIXES,
    Content,
    Executed,
    content_named,
    language_of,
)
from seriatim.frontends.protocol import ActionTranslation
from seriatim.frontends.reading import BadInput, InputFile, load, parse_source
from seriatim.frontends.ser.specification import read_specification
from seriatim.history.reading import Format, format_by_suffix
from seriatim.history.transactions.names import find_level
from seriatim.method import Method
from seriatim.program.specification import Specification
from seriatim.properties.all import PROPERTIES
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.properties.deadlock_free import DeadlockFreedom
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.property import SPECIFICATION, Property
from seriatim.properties.safe import SAFETY, Safety
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.properties.strict import StrictSerializability
from seriatim.repair.services import MOST_CHANGES, repair_service
from seriatim.report.html.markup import element
from seriatim.report.html.prose import inline
from seriatim.report.html.verdict import verdict_fragment
from seriatim.report.pictures.svg import svg
from seriatim.report.repair_text import difference
from seriatim.report.result_json import result_json
from seriatim.report.sequence import sequence_svg
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import conclusions, headline, verdict_text
from seriatim.result import Lost, Result
from seriatim.show.views import PicturedView, View
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.systems.limits import LimitReached, Limits

__all__ = [
    "BadInput",
    "Certificate",
    "ConflictSerializability",
    "Consistent",
    "DeadlockFreedom",
    "Drawing",
    "Fix",
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
    "draw",
    "fix",
    "specification",
    "verify",
    "verify_log",
]

_DEFAULTS = Options()

_VIEWS: dict[str, PicturedView] = {"ns": View.NS, "serial": View.SERIAL, "net": View.NET}


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
        return f"<{headline(self.decision, TextLook()).rstrip()}>"

    def __str__(self) -> str:
        return verdict_text(self.decision, TextLook()).rstrip()

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


Setting = str | bool | Path
"""A setting of a source: a text, whether something is so, or a file whose text it is."""

_OWN_SETTINGS = frozenset({"run", "module", "python", "service", *SEEN_OF_SQL})
"""Settings that certificates record, and that nobody chooses."""


def check(
    program: str | Path,
    *,
    timeout: float | None = _DEFAULTS.timeout,
    max_states: int = _DEFAULTS.limits.max_states,
    max_value: int = _DEFAULTS.limits.max_value,
    method: Method = _DEFAULTS.method,
    max_memory: int | None = _DEFAULTS.max_memory,
    property: Property | str | None = None,
    name: str = "<text>",
    run: bool = False,
    **settings: Setting,
) -> Verdict:
    """Decides what `ser check` decides: whether the handlers of a program are serializable, or whether they
    have another property; of programs with threads, whether they are safe; of protocols, whether one order
    covers all runs.

    `program` is a text or a path. A string of one line that ends like the name of a source (`.ser`, `.sql`,
    …) is a path. The end of `name` tells the language of a text. `property` is a property of this package, or
    its name as in `ser check --property`. `run` allows to execute the source: to repeat violations, and to
    compare with a database or a compiler. `settings` are the options of `ser check` about sources, such as
    `isolation="repeatable-read"` or `on_abort="answer"`. Raises `BadInput` if something is wrong with the
    program.
    """
    asked = _named(property) if isinstance(property, str) else property
    limits = Limits(max_states, max_value)
    options = Options(limits, timeout, method, max_memory, question=asked or SERIALIZABILITY)
    source = _source(program, name)
    return _told(_decide(source, options, _settings(settings), run, is_default=asked is None))


def _decide(
    source: SourceText, options: Options, settings: dict[str, str], run: bool, *, is_default: bool
) -> Result:
    """Raises `BadInput`."""
    deadline = Deadline(options.timeout, options.max_memory)
    if is_default and content_named(source.name) is Content.THREADS:
        options = replace(options, question=SAFETY)
    try:
        translation = read_or_run(
            source,
            options.question,
            allow_run(source, settings) if run else settings,
            deadline,
            may_run=run,
        )
        result, _ = decide_translation(
            translation, source, options, None, deadline, replay=run, is_default=is_default
        )
    except OutOfBudget as out:
        return Result(source, options.question, out_of_budget(out))
    return result


def _settings(given: Mapping[str, Setting]) -> dict[str, str]:
    """Settings as front ends read them: `on_abort` is the option `on-abort`. Raises `BadInput`."""
    known = {name for each in SOURCES for name in each.settings} - _OWN_SETTINGS
    found: dict[str, str] = {}
    for key, value in given.items():
        name = key.replace("_", "-")
        if name not in known:
            raise TypeError(
                f"there is no setting {key!r}; there are {', '.join(sorted(known)).replace('-', '_')}"
            )
        if isinstance(value, Path):
            found[name] = load(InputFile(value), lambda source: source.text)[1]
        elif value is not False:
            found[name] = "yes" if value is True else value
    return found


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of a source that is proved to be enough. Notebooks show the lines that change."""

    title: str
    """What is done, in a phrase."""
    meaning: str
    """What that changes for those who run the program, in a sentence."""
    text: str
    """The changed source."""
    before: str = field(repr=False)

    def __str__(self) -> str:
        lines = [
            f"{self.title}. {self.meaning}",
            *(line for line, _ in difference(self.before, self.text, TextLook())),
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        changed = "\n".join(line for line, _ in difference(self.before, self.text, TextLook()))
        heading = element("p", element("strong", *inline(self.title)), ". ", *inline(self.meaning))
        return element("div", heading, element("pre", changed))


def fix(
    program: str | Path,
    *,
    timeout: float | None = _DEFAULTS.timeout,
    max_memory: int | None = _DEFAULTS.max_memory,
    name: str = "<text>",
    run: bool = False,
    **settings: Setting,
) -> tuple[Fix, ...]:
    """Changes of a program, SQL transactions or a C program, each proved to be enough without running it;
    none if there is no violation, or none is found. `run` allows to execute a Python service: its changes
    are those after which runs show no race, as in `ser fix`. Raises `BadInput`."""
    source, read = _source(program, name), _settings(settings)
    options = Options(timeout=timeout, max_memory=max_memory)
    if run and language_of(source).executed is Executed.TO_DECIDE:
        return _fix_by_runs(source, Deadline(timeout, max_memory))
    result = _decide(source, options, read, False, is_default=True)
    if isinstance(result.answer, results.Unusable):
        raise BadInput(source, result.answer.diagnostics)
    options = replace(options, question=result.property)
    return tuple(
        Fix(each.title, each.meaning, each.text, source.text) for each in repairs_of(result, options, read)
    )


def _fix_by_runs(source: SourceText, deadline: Deadline) -> tuple[Fix, ...]:
    """Raises `BadInput`."""
    try:
        with enforce(deadline):
            seen = repair_service(source, "", deadline, MOST_CHANGES)
    except InputError as wrong:
        raise BadInput(source, wrong.diagnostics) from None
    return tuple(
        Fix(each.change.title, each.change.meaning, each.change.text, source.text) for each in seen.found
    )


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture. Notebooks show it."""

    title: str
    svg: str = field(repr=False)
    left_out: str | None = None
    """If only a part is drawn: why the whole is too large."""

    def _repr_svg_(self) -> str:
        return self.svg


def draw(
    what: str | Path | Timeline | Verdict,
    view: Literal["ns", "serial", "net"] = "ns",
    *,
    name: str = "<text>",
    **settings: Setting,
) -> Drawing:
    """A picture of a program: its network system, its serial automaton or its Petri net, a part of it if the
    whole is too large. Or a run as a sequence diagram: of a verdict, or a `Timeline`. Raises `BadInput`."""
    if isinstance(what, Violated):
        what = what.run
    if isinstance(what, Timeline):
        return Drawing("A run", sequence_svg(what, "A run"))
    if not isinstance(what, str | Path):
        raise TypeError("this verdict has no run to draw")
    source, read = _source(what, name), _settings(settings)
    translation = parse_source(source, lambda text: translate(text, read))
    found = draw_view(_VIEWS[view], translation.content)
    if found.picture is None:
        raise GaveUp("it takes too long to draw")
    return Drawing(found.title, svg(found.picture, found.title), found.left_out)


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
    keyed: bool = False,
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
    about: About = AboutLevels(any_initial=initial == "any")
    if model is not None:
        about = Comparison(model, initial, ignores_times=ignore_times, is_keyed=keyed)
    try:
        if model is None and level is not None:
            about = AboutLevels(find_level(level), any_initial=initial == "any")
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


def verify_log(
    certificates: Sequence[str],
    log: str | Path,
    model: str | None = None,
    *,
    timeout: float | None = _DEFAULTS.timeout,
    max_memory: int | None = _DEFAULTS.max_memory,
) -> Report:
    """Checks whether certificates prove their verdicts about a log, claim by claim.

    `model` is the path of the program, if it is not where it was when the log was compared with it. Raises
    `BadInput` if something is wrong with the log, the program or a certificate, `GaveUp` if a limit is
    reached.
    """
    try:
        with open(log, encoding="utf-8-sig", newline="") as lines:
            claims = check_log_evidence("\n".join(certificates), lines, model, Deadline(timeout, max_memory))
    except OSError as problem:
        unreadable = Diagnostic("SER571", f"cannot read the log: {problem.strerror or problem}")
        raise BadInput(SourceText(str(log), ""), [unreadable]) from None
    except InputError as wrong:
        raise BadInput(SourceText(str(log), ""), wrong.diagnostics) from None
    except OutOfBudget as out:
        raise GaveUp(out.spent) from None
    return Report(tuple(each for claim in claims for each in claim.report.obligations))


def verify(
    certificate: Certificate,
    program: str | Path,
    *,
    timeout: float | None = _DEFAULTS.timeout,
    max_memory: int | None = _DEFAULTS.max_memory,
    name: str = "<text>",
) -> Report:
    """Checks whether a certificate proves its verdict about a program, claim by claim; the certificate says
    with which settings the source was read. Nothing is executed.

    Raises `BadInput` if something is wrong with the program, `GaveUp` if a limit is reached.
    """
    source, deadline = _source(program, name), Deadline(timeout, max_memory)
    settings = {} if certificate.provenance is None else dict(certificate.provenance.settings)
    translation = parse_source(source, lambda text: translate_all(text, settings))
    try:
        if isinstance(translation, ActionTranslation):
            with enforce(deadline):
                solvers = (SolverName.Z3,)
                return verify_sequential(certificate, translation.content, read_proof, solvers, deadline)
        return check_evidence(certificate, translation.content, Context(Allowance(deadline=deadline)))
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


def _source(program: str | Path, name: str) -> SourceText:
    """The text of a program; raises `BadInput`."""
    is_path = isinstance(program, Path) or (
        program.rstrip().endswith(SUFFIXES) and "\n" not in program.strip()
    )
    return (
        load(InputFile(Path(program)), lambda source: source)[0]
        if is_path
        else SourceText(name, str(program))
    )
