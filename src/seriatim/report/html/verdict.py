"""A decision as a fragment of HTML, with its own style: what a notebook shows."""

from typing import assert_never

from seriatim.properties.property import in_words
from seriatim.report.html.markup import Markup, element, shipped, together
from seriatim.report.html.run import run_html
from seriatim.report.look import Look
from seriatim.report.verdict_text import conclusions, outcome_text, sizes, sizes_to_fault
from seriatim.report.why import seen_text, shown_run
from seriatim.source import SourceText
from seriatim.verdict import Decision, Faulty, Holds, Refused, Undecided, Violated


def verdict_fragment(decision: Decision, source: SourceText) -> Markup:
    style = element("style", Markup(shipped("run.css")))
    heading = element("p", element("strong", source.name), " ", badge(decision), " ", size(decision))
    parts = (asked(decision), run(decision, source), *reasons(decision))
    return element("div", style, heading, *parts, class_="seriatim")


def asked(decision: Decision) -> Markup:
    """What was observed, if that has to be said."""
    text = decision.question.asked()
    return element("p", text) if text else Markup()


def badge(decision: Decision) -> Markup:
    verdict = decision.verdict
    match verdict:
        case Holds(certificate=certificate):
            return element("span", in_words(certificate.verdict), class_="badge good")
        case Violated(certificate=certificate):
            return element("span", in_words(certificate.verdict), class_="badge bad")
        case Undecided():
            return element("span", "undecided", class_="badge open")
        case Faulty():
            return element("span", "mistake", class_="badge bad")
        case Refused():
            return element("span", "no verdict", class_="badge bad")
        case _:
            assert_never(verdict)


def size(decision: Decision) -> str:
    """For how many requests a verdict holds, or how many it takes."""
    verdict = decision.verdict
    match verdict:
        case Holds():
            return "for any number of requests"
        case Violated(run=run):
            return sizes(run)
        case Faulty(faulty=faulty):
            return sizes_to_fault(faulty)
        case Undecided() | Refused():
            return ""
        case _:
            assert_never(verdict)


def run(decision: Decision, source: SourceText) -> Markup:
    """The run of a refutation, and its answers; nothing for other verdicts."""
    verdict = decision.verdict
    if not isinstance(verdict, Violated):
        return Markup()
    shown = shown_run(verdict, decision, source)
    answers = element("p", "answers: ", element("strong", outcome_text(shown, Look())))
    return together(element("div", run_html(shown), class_="scroll"), answers, seen(verdict))


def seen(verdict: Violated) -> Markup:
    """What else than answers was observed."""
    text = seen_text(verdict.why, Look())
    return element("p", text) if text else Markup()


def reasons(decision: Decision) -> list[Markup]:
    return [element("p", text) for text in conclusions(decision) if text]
