"""Outcomes as JUnit XML, which continuous-integration servers show as test results: a test case an input."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never
from xml.etree import ElementTree

from seriatim.diagnostic_text import render
from seriatim.properties.property import in_words
from seriatim.report.look import Look
from seriatim.report.outcome import Abandoned, Decided, Outcome, Unusable
from seriatim.report.verdict_text import conclusions, lost_text, verdict_text
from seriatim.text_width import printable
from seriatim.verdict import Faulty, Holds, Refused, Undecided, Violated


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a test case does not pass."""

    element: Literal["failure", "error"]
    kind: str
    message: str
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    seconds: float
    problem: Problem | None


def case_of(outcome: Outcome) -> Case:
    """What holds is a test that passes, what is violated one that fails; what is neither is an error."""
    name = outcome.source.name
    match outcome:
        case Unusable(source=source, diagnostics=diagnostics):
            text = "".join(render(diagnostic, source) for diagnostic in diagnostics)
            first = diagnostics[0]
            return Case(name, 0.0, Problem("error", first.code, first.message, text))
        case Abandoned(lost=lost):
            text = lost_text(lost, name, Look(), is_short=False)
            return Case(name, 0.0, Problem("error", "undecided", lost.reason, text))
        case Decided(decision=decision):
            return Case(name, decision.seconds, _problem(outcome))
        case _:
            assert_never(outcome)


def _problem(outcome: Decided) -> Problem | None:
    verdict = outcome.decision.verdict
    text = verdict_text(outcome.decision, outcome.source, Look())
    reason = conclusions(outcome.decision)[0]
    match verdict:
        case Holds():
            return None
        case Violated(certificate=certificate):
            return Problem("failure", in_words(certificate.verdict), reason, text)
        case Undecided():
            return Problem("error", "undecided", reason, text)
        case Faulty():
            return Problem("error", verdict.diagnostic().code, reason, text)
        case Refused():
            return Problem("error", "no verdict", reason, text)
        case _:
            assert_never(verdict)


def junit(cases: Sequence[Case]) -> str:
    elements = [case.problem.element for case in cases if case.problem is not None]
    counts = {
        "tests": str(len(cases)),
        "failures": str(elements.count("failure")),
        "errors": str(elements.count("error")),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "seriatim"} | counts)
    for case in cases:
        _add(suite, case)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def _add(suite: ElementTree.Element, case: Case) -> None:
    """XML cannot hold all characters that an input can."""
    name = printable(case.name)
    attributes = {"classname": "seriatim", "name": name, "file": name, "time": f"{case.seconds:.3f}"}
    element = ElementTree.SubElement(suite, "testcase", attributes)
    if case.problem is not None:
        problem = case.problem
        details = {"type": problem.kind, "message": printable(problem.message)}
        inner = ElementTree.SubElement(element, problem.element, details)
        inner.text = "\n".join(map(printable, problem.text.split("\n")))
