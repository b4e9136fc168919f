"""The tasks for worker processes: decide, explain, look for repairs, write a report.

Tasks and answers are plain data. Whatever takes long can be stopped by ending the process, and no input,
however large, stops the server from answering.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.certificate.commit import CommitEvidence
from seriatim.deciding.pipeline import Options, out_of_budget
from seriatim.deciding.sources import decide_translation, read_or_run, read_translation
from seriatim.elaborate import elaborate, repairs_of
from seriatim.explain.commit_steps import commit_steps
from seriatim.explain.explanation import Detail, Explanation, Repair
from seriatim.frontends.all import allow_run
from seriatim.frontends.languages import Content, Executed, content_named, language_of
from seriatim.frontends.protocol import ActionTranslation, Settings, Translation
from seriatim.frontends.reading import BadInput
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import Input
from seriatim.program.syntax import Program
from seriatim.properties.all import WITHOUT_SPECIFICATION
from seriatim.properties.property import Property
from seriatim.repair.blame import blame
from seriatim.repair.service_changes import ServiceChange
from seriatim.repair.services import MOST_CHANGES, repair_service
from seriatim.report.html.page import page
from seriatim.report.html.section import section
from seriatim.report.result_from_json import result_from_json
from seriatim.report.result_json import result_json
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import headline
from seriatim.result import Faulty, Holds, Result, Unusable, Violated
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.systems.closure import closure
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import LimitReached, Limits

LOOK_AROUND = Limits(max_states=20_000)
SECONDS_TO_REPAIR_SERVICES = 60.0

SECONDS_TO_LOOK = 3.0
"""Seconds for values and points, which only add details to a verdict."""

MOST_VALUES = 12
"""How many values of a variable are listed one by one."""

UNSTYLED = TextLook(width=1_000_000)


@dataclass(frozen=True, slots=True)
class DocumentQuestion:
    """A text, and what is asked about it."""

    name: str
    text: str
    property_name: str
    settings: Settings
    timeout: float
    replay: bool
    """Whether the source may be executed."""

    @property
    def is_usual(self) -> bool:
        """Whether it is the usual question about files of its kind."""
        return self.property_name == "serializable" or content_named(self.name) is not Content.REQUESTS

    @property
    def source(self) -> SourceText:
        return SourceText(self.name, self.text)

    def make_property(self) -> Property:
        return WITHOUT_SPECIFICATION[self.property_name]()

    def settings_for_reading(self) -> Settings:
        """The settings of its front end; they allow to run the text if the person does."""
        return allow_run(self.source, self.settings) if self.replay else self.settings

    def options(self) -> Options:
        return Options(timeout=self.timeout, question=self.make_property())


def reading_answer(question: DocumentQuestion) -> str:
    """Tells what reading alone shows: mistakes and warnings, as the result of a text that is not decided."""
    source, asked = question.source, question.make_property()
    told: tuple[Diagnostic, ...]
    try:
        with enforce(Deadline(question.timeout)):
            read = read_translation(source, asked, question.settings)
        told = () if isinstance(read, ActionTranslation) else read.content.warnings
    except BadInput as bad:
        source, told = bad.source, bad.diagnostics
    except OutOfBudget:
        told = ()
    return json.dumps(result_json(Result(source, asked, Unusable(tuple(told)))))


def verdict_answer(question: DocumentQuestion) -> str:
    """The result as JSON, its headline, where requests take effect, and the values of variables."""
    result, content = decide(question)
    told = headline(result, UNSTYLED).strip() if not isinstance(result.answer, Unusable) else ""
    found: dict[str, Any] = {
        "result": result_json(result),
        "headline": told.removeprefix(f"{question.name}: "),
        "points": [],
        "values": {},
    }
    if content is not None:
        deadline = Deadline(SECONDS_TO_LOOK)
        found["values"] = dict(values_of(content, deadline))
        found["points"] = list(points_of(result, content, deadline))
    return json.dumps(found)


def decide(question: DocumentQuestion) -> tuple[Result, Input | None]:
    """The result, and the content if it has requests."""
    source, asked, options = question.source, question.make_property(), question.options()
    deadline = Deadline(options.timeout, options.max_memory)
    settings = question.settings_for_reading()
    try:
        translation = read_or_run(source, asked, settings, deadline, may_run=question.replay)
        result, _ = decide_translation(
            translation, source, options, None, deadline, replay=question.replay, is_default=question.is_usual
        )
    except BadInput as bad:
        return Result(bad.source, asked, Unusable(bad.diagnostics)), None
    except OutOfBudget as out:
        return Result(source, asked, out_of_budget(out)), None
    is_own = isinstance(translation, Translation) and translation.told_by is None
    return result, translation.content if is_own and isinstance(translation, Translation) else None


def values_of(content: Input, deadline: Deadline) -> Iterator[tuple[str, str]]:
    """Each shared variable with its values in any run, as far as they are found."""
    try:
        unfolding = unfold(content, LOOK_AROUND, deadline)
        coverage = closure(unfolding, LOOK_AROUND, deadline)
        states = [unfolding.global_state(each) for each in coverage.globals()]
    except (LimitReached, OutOfBudget):
        return
    taken: dict[str, set[int]] = {}
    for state in states:
        for name, value in () if isinstance(state, str) else state:
            taken.setdefault(name, set()).add(value)
    for name, values in taken.items():
        yield name, value_text(sorted(values))


def value_text(values: list[int]) -> str:
    if len(values) <= MOST_VALUES:
        return ", ".join(map(str, values))
    return f"{values[0]} to {values[-1]} ({len(values)} values)"


def points_of(result: Result, content: Input, deadline: Deadline) -> Iterator[dict[str, Any]]:
    """Where requests take effect, if the proof says so."""
    answer = result.answer
    if not isinstance(answer, Holds) or not isinstance(answer.certificate.evidence, CommitEvidence):
        return
    try:
        origin = unfold(content, LOOK_AROUND, deadline)
        steps = commit_steps(answer.certificate.evidence, origin, LOOK_AROUND, deadline)
    except (LimitReached, OutOfBudget):
        return
    for step in steps:
        if step.lines:
            yield {"handler": step.handler, "line": max(step.lines), "answers": list(step.responses)}


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question about a result, which is given as JSON."""

    question: DocumentQuestion
    result: str


def repairs_answer(asked: FollowUp) -> str:
    """Changes that are proved to be enough or, of a service that may be run, after which its runs show no
    race; each with the whole changed text."""
    question = asked.question
    found: Sequence[Repair | ServiceChange]
    if question.replay and language_of(question.source).executed is Executed.TO_DECIDE:
        seen = repair_service(question.source, "", Deadline(SECONDS_TO_REPAIR_SERVICES), MOST_CHANGES)
        found = [each.change for each in seen.found]
    else:
        found = repairs_of(
            result_from_json(asked.result),
            question.options(),
            question.settings,
            is_default=question.is_usual,
        )
    told = [{"title": each.title, "meaning": each.meaning, "text": each.text} for each in found]
    return json.dumps(told)


def blame_answer(question: DocumentQuestion) -> str:
    """The smallest sets of yields to blame, as lists of lines."""
    try:
        return json.dumps(blame(parse(question.text, question.name), question.text).sets)
    except (InputError, OutOfBudget):
        return "[]"


def report_answer(asked: FollowUp) -> str:
    """The report as one HTML page."""
    result, question = result_from_json(asked.result), asked.question
    explanation = Explanation()
    if isinstance(result.answer, Holds | Violated | Faulty):
        translation = read_translation(question.source, question.make_property(), question.settings)
        if isinstance(translation, Translation) and isinstance(translation.content, Program):
            details = frozenset({Detail.BLAME, Detail.PICTURES, Detail.REPAIRS})
            explanation = elaborate(
                translation.content, result, details, replace(question.options(), timeout=SECONDS_TO_LOOK)
            )
    return page([section(result, explanation)], str(import_module("seriatim").__version__))
