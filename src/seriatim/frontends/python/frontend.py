"""The front end of asyncio services, `ser check service.py`: a file is run, and what was seen is decided.

A race becomes a network system that is not serializable. Without a race, the system that was read off from
runs is decided, for any number of requests. Where there is none, nothing is proved: the translation says what
was tried, and the verdict stays open. So it does where the file may not be run.
"""

import ast
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from typing import Any

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.frontends.protocol import (
    ALONE,
    NO_SETTINGS,
    RUN,
    SYSTEM,
    Approximation,
    ApproximationKind,
    Confirmation,
    Settings,
    Translation,
    Tried,
    provenance,
)
from seriatim.frontends.python.closed_system import closed_system
from seriatim.frontends.python.marks import Marks, Named, read_marks
from seriatim.frontends.python.race_system import race_system
from seriatim.frontends.python.recorded_program import recorded_model
from seriatim.frontends.python.service_runs import (
    NOTHING_SHARED,
    REFUSED,
    SECONDS,
    FileRuns,
    ServiceRuns,
    run_file,
)
from seriatim.frontends.python.texts import rename_fresh
from seriatim.frontends.python.wishes import Wishes, wishes_of
from seriatim.program.network_system import NetworkSystem
from seriatim.source import Diagnostic, InputError, SourceText, Span

TELLER = "python-runs"

NOT_PYTHON = "SER921"
"""The code of texts that are not Python."""


class Runs(StrEnum):
    """What the setting `run` says: that the file may be run, and in certificates what came of it."""

    ALLOWED = "yes"
    ANY_INTEGERS = "any integers"
    """What was found is a system about any integers."""
    TRIED_INTEGERS = "tried integers"
    """It is one about those that were tried."""


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
    """Runs a file, if that is allowed, and tells what was seen; raises `InputError`."""
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError) as wrong:
        line, column = getattr(wrong, "lineno", 1) or 1, getattr(wrong, "offset", 1) or 1
        message = getattr(wrong, "msg", str(wrong))
        raise InputError(
            [Diagnostic(NOT_PYTHON, f"this is not Python: {message}", Span(line, column, line, column))]
        ) from None
    marks = read_marks(source.text, settings.get("scope", ""))
    if RUN not in settings:
        return _not_run(source, tree, settings)
    found = translate_seen(runs_of(source, settings), source, settings)
    return replace(found, approximations=(*found.approximations, *told_by_marks(marks)))


def explain(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
    """What would be tried, without trying it with several requests; raises `InputError`."""
    if RUN not in settings:
        return translate(source, settings)
    marks = read_marks(source.text, settings.get("scope", ""))
    seen = _run(source, settings, proves=False, most_requests=0)
    tried = [each for each in seen.services if each.requests and each.refusal is None]
    if not tried:
        raise InputError(_reasons(seen, settings.get("service", "")))
    return Translation(
        _bare_system(tried),
        scope_report=tuple(line for each in tried for line in _scope_of(each)),
        approximations=(*_assumptions(seen, tried, wishes_of(settings)), *told_by_marks(marks)),
    )


def _scope_of(service: ServiceRuns) -> Iterator[tuple[str, str]]:
    """The state and the requests of a service."""
    yield service.name, "service"
    for name, text in service.initial:
        yield name, f"state, starts with {text}"
    lines, answers = dict(service.lines), dict(service.answers)
    for label in service.requests:
        function = label.partition("(")[0]
        alone = " or ".join(answers.get(function, ()))
        place = f"line {lines[function]}: " if function in lines else ""
        yield f"{place}{label}", f"request; `{function}` alone answers {alone}" if alone else "request"


def _not_run(source: SourceText, tree: ast.Module, settings: Settings) -> Translation:
    """What can be said about a file that may not be run: nothing but its coroutines."""
    nodes = (each for each in ast.walk(tree) if isinstance(each, ast.AsyncFunctionDef))
    names = tuple(dict.fromkeys(each.name for each in nodes))
    reason = "a service is decided by running it, which is not allowed here, so nothing is known about it"
    return Translation(
        NetworkSystem(("unknown",), (), names or ("a request",), (), 0, (), (), ()),
        provenance=provenance("python", source, settings),
        tried=Tried(reason, f"to have it run: ser check {source.name}", 0),
    )


def told_by_marks(marks: Marks) -> Iterator[Approximation]:
    """What marks say about stand-ins, and which marks say nothing."""
    answers = sorted({*marks.awaits.items(), *marks.expressions.items()}, key=lambda each: each[0])
    for extent, each in answers:
        values = [] if each.values is None else [describe_value(value) for value in each.values]
        raised = [f"raises {name.name}" for name in each.raises]
        if told := [*values, *raised]:
            sentence = f"what is not there answers {' or '.join(told)}"
            yield Approximation(
                ApproximationKind.ASSUMPTION, sentence, Span(extent[0], 1, extent[0], 1), "mark"
            )
    for line in marks.needless:
        sentence = "this mark says nothing, because runs see the state and the code themselves"
        yield Approximation(ApproximationKind.ASSUMPTION, sentence, Span(line, 1, line, 1))


def describe_value(value: Any) -> str:
    return value.name if isinstance(value, Named) else repr(value)


def translate_seen(seen: FileRuns, source: SourceText, settings: Settings) -> Translation:
    """Makes a translation of the runs of a file that were seen; raises `InputError` if none was possible."""
    tried = [each for each in seen.services if each.requests and each.refusal is None]
    if not tried:
        raise InputError(_reasons(seen, settings.get("service", "")))
    if settings.get(RUN) in (SYSTEM, ALONE):
        return _as_system(seen, source, settings)
    racy = next((each for each in tried if each.race is not None), None)
    if len(tried) == len(seen.services) and all(each.is_whole_for_all for each in tried):
        systems = [each.recorded for each in tried if each.recorded is not None]
        model = recorded_model(systems, observes=[each.sees_state for each in tried])
        return Translation(
            model.program,
            observed=model.observed,
            approximations=(*_assumptions(seen, tried, wishes_of(settings)), _read_off(seen, tried)),
            exact=False,
            provenance=provenance("python", source, {**settings, RUN: Runs.ANY_INTEGERS}),
            questions=("serializable",),
            told_by=TELLER,
            replayer=TELLER,
            otherwise={**settings, RUN: Runs.TRIED_INTEGERS},
        )
    if racy is not None and racy.race is not None:
        return Translation(
            race_system(racy.race, racy.initial),
            approximations=_assumptions(seen, [racy], wishes_of(settings)),
            provenance=provenance("python", source, settings),
            questions=("serializable",),
            told_by=TELLER,
            replayer=TELLER,
        )
    if len(tried) == len(seen.services) and all(each.is_whole for each in tried):
        about = (*_assumptions(seen, tried, wishes_of(settings)), *_of_others(tried, settings))
        return Translation(
            closed_system(tried),
            approximations=(*about, _read_off(seen, tried)),
            exact=False,
            provenance=provenance("python", source, {**settings, RUN: Runs.TRIED_INTEGERS}),
            questions=("serializable",),
            told_by=TELLER,
            replayer=TELLER,
        )
    return Translation(
        _bare_system(tried),
        approximations=_assumptions(seen, tried, wishes_of(settings)),
        provenance=provenance("python", source, settings),
        questions=("serializable",),
        tried=_open(seen, tried),
    )


def _as_system(seen: FileRuns, source: SourceText, settings: Settings) -> Translation:
    """All states of a file, whether or not a race was seen; raises `InputError` if they cannot be told."""
    if not all(each.system is not None for each in seen.services):
        reasons = [f"{each.name}: {each.refusal or each.why_open}" for each in seen.services]
        message = f"the states of this file cannot be told: {'; '.join(reasons)}"
        raise InputError([Diagnostic(REFUSED, message, hint=f"ser check {source.name}")])
    return Translation(
        closed_system([replace(each, sees_state=False) for each in seen.services]),
        approximations=_assumptions(seen, list(seen.services), wishes_of(settings)),
        exact=False,
        provenance=provenance("python", source, settings),
        questions=("serializable",),
    )


def _of_others(services: list[ServiceRuns], settings: Settings) -> tuple[Approximation, ...]:
    """What to say about integers that were not tried, where there are some."""
    reasons = [each.why_numbers for each in services if each.why_numbers]
    if not reasons and settings.get(RUN) != Runs.TRIED_INTEGERS:
        return ()
    why = f", because {reasons[0]}" if reasons else ""
    sentence = f"nothing is proved for integers that were not tried{why}"
    return (Approximation(ApproximationKind.ASSUMPTION, sentence),)


def _read_off(seen: FileRuns, services: list[ServiceRuns]) -> Approximation:
    """How the system came about."""
    systems = [each.recorded or each.system for each in services]
    turns = sum(each.turns for each in systems if each is not None)
    sentence = (
        f"the states were read off from {turns:,} turns of the file itself, on the asyncio of Python"
        f" {seen.python}, and agree with all of {seen.runs:,} fresh runs"
    )
    return Approximation(ApproximationKind.ASSUMPTION, sentence)


def runs_of(source: SourceText, settings: Settings) -> FileRuns:
    """What was seen of a file; it is run once for each text."""
    records, asked = settings.get(RUN) not in (SYSTEM, ALONE, Runs.TRIED_INTEGERS), settings.get(RUN, "")
    return _run(source, settings, records=records, for_states=asked if asked in (SYSTEM, ALONE) else "")


def _run(source: SourceText, settings: Settings, **how: Any) -> FileRuns:
    service, scope = settings.get("service", ""), settings.get("scope", "")
    return run_file(source, service, SECONDS, wishes=wishes_of(settings), scope=scope, **how)


def _reasons(seen: FileRuns, wanted: str) -> list[Diagnostic]:
    """Why nothing of a file, or of the class that is wanted, could be tried."""
    found: list[Diagnostic] = []
    for each in seen.services:
        line = min((line for _, line in each.lines), default=1)
        span = Span(line, 1, line, 1)
        if each.refusal is not None:
            hint = "Seriatim checks code that runs on the event loop and touches nothing else"
            found.append(Diagnostic(REFUSED, f"{each.name}: {each.refusal}", span, hint))
        else:
            message = f"{each.name} has no requests to try: {'; '.join(each.notes) or 'no coroutines'}"
            found.append(Diagnostic(NOTHING_SHARED, message, span, "give its constructor defaults"))
    hint = "a handler is a route, a public coroutine of a class, or a public coroutine of the module"
    message = f"the file has no class `{wanted}` with handlers" if wanted else "the file has no handlers"
    return found or [Diagnostic(NOTHING_SHARED, message, hint=hint)]


def _bare_system(services: list[ServiceRuns]) -> NetworkSystem:
    """A system that only has the names of the requests: nothing is said about what they do."""
    names = tuple(dict.fromkeys(label for each in services for label in each.requests))
    return NetworkSystem(("unknown",), (), names, (), 0, (), (), ())


def _open(seen: FileRuns, services: list[ServiceRuns]) -> Tried:
    """Why the question stays open, and what was tried."""
    reasons = [_reason(each) for each in services]
    reasons += [f"{each.name} was not tried: {why}" for each in seen.services if (why := _why_not(each))]
    explored = min(each.explored for each in services)
    return Tried(f"{'; '.join(reasons)}. {_compared(seen)}", _hint(services), explored)


def _why_not(service: ServiceRuns) -> str:
    """Why nothing of a service was tried; empty if something was."""
    if service.refusal is not None:
        return service.refusal
    return "" if service.requests else "; ".join(service.notes) or "it has no coroutines"


def _reason(service: ServiceRuns) -> str:
    """Why the question stays open for a service."""
    if len(service.only_errors) == len(service.answers) > 0:
        return f"every run of {service.name} ends with a mistake: {_first_mistake(service)}"
    if service.doubt is not None:
        answers = ", ".join(rename_fresh(service.doubt.run.answers))
        return (
            f"{_listed(service.doubt.run.requests)} together can answer {answers}, which no one-at-a-time"
            " order gave; but the run depends on a lock that is not known, or on random numbers"
        )
    found = f"{service.name}: "
    if service.elsewhere and not service.changes_state:
        found = (
            f"the state of {service.name} is elsewhere ({_listed(service.elsewhere[:3])}), and what happens"
            " there is not known; for what the file itself keeps, "
        )
    if service.explored >= 2:
        found += f"no violation with up to {service.explored} requests, in all their runs"
    else:
        found += f"no violation was seen in {service.runs:,} runs"
    if service.limit:
        found += f"; {service.limit}"
    if service.only_errors:
        found += (
            f"; every run of {_listed(service.only_errors)} ends with a mistake: {_first_mistake(service)}"
        )
    if service.growing:
        found += f"; with each request, {_listed(service.growing[:3])} may grow"
    if service.why_open:
        found += f"; there is no proof for more, because {service.why_open}"
    return found


def _hint(services: list[ServiceRuns]) -> str:
    if any(each.only_errors for each in services):
        return "types of parameters, and defaults of constructors, say with what to try a handler"
    if any(each.elsewhere and not each.changes_state for each in services):
        return "--observe calls compares what requests ask of the outside"
    if any(each.explored < 2 for each in services):
        return "a part of the file tells more: FILE.py::Class checks one class"
    return "a proof for any number of requests needs a bounded state"


def _first_mistake(service: ServiceRuns) -> str:
    return next(seen[0] for name, seen in service.answers if name in service.only_errors)


def _compared(seen: FileRuns) -> str:
    return (
        f"The file itself ran {seen.runs:,} times, in fresh processes, on the asyncio of Python {seen.python}"
    )


def _assumptions(seen: FileRuns, services: list[ServiceRuns], wishes: Wishes) -> tuple[Approximation, ...]:
    """What was tried, in short sentences."""
    sentences: list[str] = []
    for each in services:
        sentences.append(_requests(each))
        sentences += each.notes
        if not each.changes_state:
            sentences.append(f"no request of {each.name} changes what they share")
        if each.only_raise:
            sentences.append(f"every run of {_listed(each.only_raise)} ends with an exception")
        if each.hangs:
            sentences.append(f"{_listed(each.hangs)} may wait for ever; such runs are not compared")
        if each.exits:
            sentences.append(f"{_listed(each.exits)} may end the program; such runs are not compared")
    if seen.missing:
        are = "is" if len(seen.missing) == 1 else "are"
        sentences.append(f"{_listed(seen.missing)} {are} not there: calls may answer anything")
    sentences += [*seen.notes, _of_time(wishes)]
    return tuple(Approximation(ApproximationKind.ASSUMPTION, each) for each in sentences)


def _requests(service: ServiceRuns) -> str:
    """Which requests the verdict is about."""
    if service.recorded is None:
        return f"the requests that were tried are {_listed(service.requests)}"
    labels = _listed(tuple(each.label for each in service.recorded.requests))
    names = {name for each in service.recorded.requests for name in each.parameters}
    about = f", where {_listed(tuple(sorted(names)))} may be any integer" if names else ""
    return f"the requests are {labels}{about}"


def _of_time(wishes: Wishes) -> str:
    """What was tried of time and cancellation."""
    limits = "at any time" if wishes.timeouts else "only where nothing else can happen"
    cancels = "at most one request is cancelled in each run" if wishes.cancels else "nothing is cancelled"
    fails = "at most one call fails in each run" if wishes.failures else "no call fails"
    found = f"the clock stands still, limits of time are reached {limits}, {fails}, and {cancels}"
    left = [
        name
        for name, is_tried in (
            ("--timeouts", wishes.timeouts), ("--failures", wishes.failures), ("--cancel", wishes.cancels),
        )
        if not is_tried
    ]  # fmt: skip
    return f"{found} ({', '.join(left)} would try more)" if left else found


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


class RunsReplayer:
    """Tells where a race was seen: it was found in a run of the real code, so nothing has to be repeated."""

    def confirm(
        self, source: SourceText, translation: Translation, certificate: Certificate, deadline: Deadline
    ) -> Confirmation:
        del certificate, deadline
        assert translation.provenance is not None
        seen = runs_of(source, dict(translation.provenance.settings))
        service = next((each for each in seen.services if each.race is not None), None)
        if service is None:
            runs = f"none of {seen.runs:,} runs of the file itself shows one"
            return Confirmation(False, f"{runs}, on the asyncio of Python {seen.python}")
        sentence = (
            f"This run was seen: {source.name} itself, on the asyncio of Python {seen.python}, run number"
            f" {service.runs:,}. All one-at-a-time orders of these requests were tried as well."
        )
        return Confirmation(True, sentence)
