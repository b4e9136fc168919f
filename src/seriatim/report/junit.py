"""Results as JUnit XML, which continuous-integration servers show as test results: a test case an input."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never
from xml.etree import ElementTree

from seriatim.diagnostic_text import render
from seriatim.properties.property import in_words
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import conclusions, verdict_text
from seriatim.result import Faulty, Holds, Lost, Recorded, Refused, Result, Undecided, Unusable, Violated
from seriatim.text_width import printable


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a test case does not pass."""

    element: Literal["failure", "error"]
    kind: str
    message: str
    text: str


@dataclass(frozen=True, slots=True)
class ReportedCase:
    name: str
    seconds: float
    problem: Problem | None
    warned: str = ""
    """Additional output, even if the test case passes: warnings, and the run that a warning refers to."""


def case_of(result: Result) -> ReportedCase:
    """A test case: it passes if the property holds, fails if it is violated, and is an error otherwise."""
    return ReportedCase(result.source.name, result.seconds, _problem(result), _warning_text(result))


def _warning_text(result: Result) -> str:
    warnings = "".join(render(warning, result.source) for warning in result.warnings)
    has_run = result.stuck is not None and isinstance(result.answer, Holds)
    return warnings + (verdict_text(result, TextLook()) if has_run else "")


def _problem(result: Result) -> Problem | None:
    answer = result.answer
    if isinstance(answer, Holds) or (isinstance(answer, Recorded) and answer.holds):
        return None
    text = verdict_text(result, TextLook())
    reason = conclusions(result)[0]
    match answer:
        case Violated(certificate=certificate):
            return Problem("failure", in_words(certificate.verdict), reason, text)
        case Recorded():
            return Problem("failure", in_words(result.property.verdicts[1]), reason, text)
        case Undecided():
            return Problem("error", "undecided", reason, text)
        case Lost(reason=why):
            return Problem("error", "undecided", why, text)
        case Faulty(diagnostic=diagnostic):
            return Problem("failure", diagnostic.code, reason, text)
        case Unusable(diagnostics=diagnostics):
            return Problem("error", diagnostics[0].code, diagnostics[0].message, text)
        case Refused():
            return Problem("error", "no verdict", reason, text)
        case _:
            assert_never(answer)


def junit(results: Sequence[Result]) -> str:
    cases = [case_of(result) for result in results]
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


def _add(suite: ElementTree.Element, case: ReportedCase) -> None:
    """Adds a test case, without characters that XML cannot hold."""
    name = printable(case.name)
    attributes = {"classname": "seriatim", "name": name, "file": name, "time": f"{case.seconds:.3f}"}
    element = ElementTree.SubElement(suite, "testcase", attributes)
    if case.problem is not None:
        problem = case.problem
        details = {"type": problem.kind, "message": printable(problem.message)}
        inner = ElementTree.SubElement(element, problem.element, details)
        inner.text = _lines(problem.text)
    if case.warned:
        ElementTree.SubElement(element, "system-out").text = _lines(case.warned)


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))
