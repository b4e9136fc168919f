"""Answers questions of the page, from a question to a JSON object, in this process.

The server of `ser play` does this in worker processes; the page that needs no server does it in the browser.
So nothing here needs a process, a socket or a thread.
"""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, assert_never

from seriatim.budget import Deadline, Observer, OutOfBudget, enforce
from seriatim.certificate.history import Comparison
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.deciding.logs import AboutLevels, decide_log
from seriatim.deciding.pipeline import Options, out_of_budget
from seriatim.deciding.sources import decide_translation, read_or_run
from seriatim.elaborate import PICTURED, draw, elaborate, repairs_of
from seriatim.engines.stage import Progress
from seriatim.explain.explanation import Detail, Explanation
from seriatim.explain.exploring import explore
from seriatim.frontends.all import allow_run, translate, translate_any
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.formatting import format_source
from seriatim.frontends.kinds import only_for
from seriatim.frontends.languages import LOG, Executed, language_of
from seriatim.frontends.protocol import RUN, ThreadTranslation, Translation
from seriatim.frontends.reading import BadInput, parse_source
from seriatim.history.reading import format_by_suffix
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.repair.suggestions import read_program, suggest_repairs
from seriatim.repair.text_changes import has_changes
from seriatim.report.diagnostic_json import diagnostic_json
from seriatim.report.exploration_json import exploration_json
from seriatim.report.html.parts import result_parts
from seriatim.report.limits_text import budget_diagnostic, limit_diagnostic
from seriatim.report.pictures.svg import svg
from seriatim.report.repair_text import repairs_json, repairs_remarks, text_changes_json
from seriatim.report.result_json import result_json
from seriatim.report.service_repair_text import service_repairs_json, service_repairs_remarks
from seriatim.report.verification import bad_input_json, gave_up_json, verification_json
from seriatim.result import Holds, Result, Undecided, Unusable
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import LimitReached, Limits
from seriatim.web.about import about
from seriatim.web.questions import Check, Draw, Explore, Fix, Format, Question, Room, Verify, read_question

Json = dict[str, Any]

SECONDS_TO_EXPLAIN = 3.0
"""Seconds for details beyond a verdict."""

SECONDS_TO_EXPLORE = 10.0


def answer(kind: str, value: object, room: Room, observer: Observer[Progress] | None = None) -> Json:
    """Answers a question given as JSON; raises `InputError` if it is not a question."""
    return answer_question(read_question(kind, value, room), room, observer)


def about_text(seconds: int) -> str:
    """Facts for a page whose Python runs in the browser: no processes, and no way to measure memory."""
    return json.dumps(about(Room(seconds, max_memory=None)))


def answer_text(kind: str, text: str, seconds: int, observer: Callable[[str], None]) -> str:
    """Answers a question from text to text, for a page whose Python runs in the browser."""
    room = Room(seconds, max_memory=None)
    try:
        found = answer(kind, json.loads(text), room, lambda seen: observer(json.dumps(progress_json(seen))))
    except InputError as error:
        found = refuse(*error.diagnostics)
    return json.dumps(found)


def progress_json(progress: Progress) -> Json:
    return {
        "stage": progress.stage,
        "states": progress.states,
        "clean_up_to": progress.clean_up_to,
        "questions": progress.questions,
    }


def refuse(*diagnostics: Diagnostic) -> Json:
    """Answers with the reason why there is no answer: a wrong question, or a mistake in its text."""
    return {"error": [diagnostic_json(each) for each in diagnostics]}


def answer_question(question: Question, room: Room, observer: Observer[Progress] | None = None) -> Json:
    try:
        match question:
            case Check():
                return _check(question, room, observer)
            case Verify():
                return _verify(question, room)
            case Fix():
                return _fix(question, room, observer)
            case Draw():
                return _draw(question, room)
            case Explore():
                return _explore(question, room)
            case Format():
                return {"text": format_source(question.source)}
            case _:
                assert_never(question)
    except BadInput as bad:
        return refuse(*bad.diagnostics)
    except InputError as error:
        return refuse(*error.diagnostics)
    except LimitReached as reached:
        return refuse(limit_diagnostic(reached))
    except OutOfBudget as out:
        return refuse(budget_diagnostic(out))
    except ModuleNotFoundError as missing:
        return refuse(Diagnostic("SER406", answer_without_solver(missing), hint=ELSEWHERE))


MORE_TIME = "allow more seconds, under Question and limits"

ELSEWHERE = "ask on your machine: ser play, or ser check"


def answer_without_solver(missing: ModuleNotFoundError) -> str:
    """The answer if a solver is missing, as in a browser; raises other exceptions again."""
    if missing.name != "z3":
        raise missing
    return "this needs the solver z3, which does not run here"


def _check(question: Check, room: Room, observer: Observer[Progress] | None) -> Json:
    options = Options(
        Limits(question.max_states),
        question.seconds,
        max_memory=room.max_memory,
        question=question.property or SERIALIZABILITY,
    )
    result, explanation = _decide(question, options, observer)
    if isinstance(result.answer, Undecided) and "--timeout" in (result.answer.hint or ""):
        result = replace(result, answer=replace(result.answer, hint=MORE_TIME))
    shown = result_json(result)
    del shown["source"]  # The page already has the text.
    return shown | {"page": result_parts(result, explanation)}


def _decide(
    question: Check, options: Options, observer: Observer[Progress] | None
) -> tuple[Result, Explanation]:
    source, asked, nothing = question.source, options.question, Explanation()
    deadline = Deadline(options.timeout, options.max_memory)
    settings = allow_run(source, question.settings) if question.run else question.settings
    try:
        if LOG.reads(source.name):
            return _decide_log(source, question.settings.get("model", ""), deadline), nothing
        parse_source(source, only_for("play", lambda _: None))
        translation = read_or_run(source, asked, settings, deadline, may_run=question.run)
        if isinstance(translation, ThreadTranslation) and question.property is None:
            options = replace(options, question=SAFETY)
        result, _ = decide_translation(
            translation,
            source,
            options,
            observer,
            deadline,
            replay=question.run,
            is_default=question.property is None,
        )
    except BadInput as bad:
        return Result(bad.source, asked, Unusable(bad.diagnostics)), nothing
    except OutOfBudget as out:
        return Result(source, asked, out_of_budget(out)), nothing
    except ModuleNotFoundError as missing:
        return Result(source, asked, Undecided(answer_without_solver(missing), ELSEWHERE, 0)), nothing
    if not isinstance(translation, Translation):
        return result, nothing
    try:
        hurried = replace(options, timeout=SECONDS_TO_EXPLAIN)
        return result, elaborate(translation.content, result, frozenset({Detail.REASONS}), hurried)
    except (LimitReached, OutOfBudget, ModuleNotFoundError):
        return result, nothing


def _decide_log(source: SourceText, model: str, deadline: Deadline) -> Result:
    """Whether a model explains a log or, without one, which levels its transactions show. Raises `BadInput`
    and `OutOfBudget`."""
    about = Comparison(model, None) if model else AboutLevels()
    lines = io.StringIO(source.text, newline="")
    try:
        return decide_log(source.name, lines, format_by_suffix(source.name), about, deadline)
    except InputError as wrong:
        raise BadInput(source, wrong.diagnostics) from None


VERIFIED_BY_RUNNING = "it is verified by running the service again, which `ser verify` does"


def _verify(question: Verify, room: Room) -> Json:
    names = question.certificate.name, question.source.name
    deadline = Deadline(room.seconds, room.max_memory)
    try:
        with enforce(deadline):
            certificate = parse_source(question.certificate, lambda source: read_certificate(source.text))
            settings = {} if certificate.provenance is None else dict(certificate.provenance.settings)
            if RUN in settings:
                return gave_up_json(VERIFIED_BY_RUNNING, *names)
            content = parse_source(question.source, lambda source: translate_any(source, settings)).content
            report = verify(certificate, content, Context(Allowance(deadline=deadline)))
    except BadInput as bad:
        return bad_input_json(bad.source.name, bad.diagnostics, *names)
    except GaveUp as stopped:
        return gave_up_json(str(stopped), *names)
    except OutOfBudget as out:
        return gave_up_json(out.spent, *names)
    return verification_json(report, certificate, *names)


def _fix(question: Fix, room: Room, observer: Observer[Progress] | None) -> Json:
    if question.run and language_of(question.source).executed is Executed.TO_DECIDE:
        return _fix_service(question, room, observer)
    if has_changes(question.source.name):
        return _fix_text(question, room, observer)
    deadline = Deadline(room.seconds, room.max_memory)
    options = Options(Limits(room.max_states), room.seconds, max_memory=room.max_memory)
    with enforce(deadline):
        program = parse_source(question.source, read_program)
    found = suggest_repairs(program, question.source, options, deadline, observer)
    if isinstance(found, Result):
        return refuse(Diagnostic("SER210", "there is nothing to fix: no violation was found"))
    return repairs_json(found, question.source) | {"remarks": repairs_remarks(found)}


def _fix_service(question: Fix, room: Room, observer: Observer[Progress] | None) -> Json:
    """Changes of a service, each tried by running the changed copy."""
    deadline = Deadline(room.seconds, room.max_memory)
    with enforce(deadline):
        from seriatim.repair.services import MOST_CHANGES, repair_service

        found = repair_service(question.source, "", deadline, MOST_CHANGES, observer)
    if not found.has_race:
        return refuse(Diagnostic("SER210", "there is nothing to fix: no race was seen"))
    return service_repairs_json(found, question.source) | {"remarks": list(service_repairs_remarks(found))}


def _fix_text(question: Fix, room: Room, observer: Observer[Progress] | None) -> Json:
    """Changes of a file in another language, each proved by the model of the changed file."""
    check = Check(question.source, None, question.settings, room.seconds, room.max_states)
    options = Options(
        Limits(room.max_states), room.seconds, max_memory=room.max_memory, question=SERIALIZABILITY
    )
    result, _ = _decide(check, options, observer)
    if isinstance(result.answer, Unusable):
        return refuse(*result.answer.diagnostics)
    if isinstance(result.answer, Holds):
        return refuse(Diagnostic("SER210", "there is nothing to fix: no violation was found"))
    options = replace(options, question=result.property)
    found = repairs_of(result, options, question.settings)
    remark = (
        "Each of these changes makes requests wait, and leaves what one does alone as it is. With it, the"
        " question is answered with yes, by a proof about the model of the changed file."
        if found
        else "No lock around a part of the code, and nothing like it, was proved to be enough."
    )
    return text_changes_json(found, question.source) | {"remarks": [remark]}


def _draw(question: Draw, room: Room) -> Json:
    with enforce(Deadline(room.seconds, room.max_memory)):
        translation = parse_source(question.source, lambda source: translate(source, question.settings))
    if translation.tried is not None:
        raise InputError([Diagnostic("SER970", translation.tried.reason, hint=translation.tried.hint)])
    drawings = [draw(view, translation.content) for view in PICTURED]
    return {
        "pictures": [
            {
                "title": each.title,
                "svg": None if each.picture is None else svg(each.picture, each.title),
                "nodes": 0 if each.picture is None else len(each.picture.nodes),
                "left_out": each.left_out,
            }
            for each in drawings
        ]
    }


def _explore(question: Explore, room: Room) -> Json:
    deadline = Deadline(SECONDS_TO_EXPLORE, room.max_memory)
    with enforce(deadline):
        translation = parse_source(question.source, lambda source: translate(source, question.settings))
        if translation.told_by is not None or translation.tried is not None:
            message = "runs of this kind of file cannot be explored step by step"
            raise InputError([Diagnostic("SER970", message, hint="explore a program (.ser)")])
        origin = unfold(translation.content, Limits(room.max_states), deadline)
        found = explore(origin, question.source, question.moves, deadline, translation.observed)
    return exploration_json(found)
