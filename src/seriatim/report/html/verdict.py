"""A result as a fragment of HTML, with its own style: what a notebook shows."""

from typing import assert_never

from seriatim.frontends.protocol import FOR_CHOSEN, is_for_chosen
from seriatim.properties.property import Property, in_words
from seriatim.report.html.account import account_html
from seriatim.report.html.markup import Markup, element, read_shipped, together
from seriatim.report.html.prose import UNBROKEN, inline, prose
from seriatim.report.html.run import answers_html, hues_by_name, run_html
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import asked_text, conclusions, sizes
from seriatim.report.why_text import seen_text, suspicion_texts, why_texts
from seriatim.result import (
    Answer,
    Faulty,
    Holds,
    Lost,
    Recorded,
    Refused,
    Result,
    Suspicion,
    Undecided,
    Unusable,
    Violated,
)

POSSIBLE = "A possible violation"
"""The title of a run of the model that the source may have, too."""


def verdict_fragment(result: Result) -> Markup:
    style = element("style", Markup(read_shipped("run.css")))
    heading = element("p", element("strong", result.source.name), " ", badge(result), " ", lead(result))
    if isinstance(result.answer, Recorded):
        return element("div", style, heading, account_html(result.answer.account), class_="seriatim")
    told = reasons(result)[1:] if isinstance(result.answer, Violated) else reasons(result)
    fixes = show_fixes(result.answer) if isinstance(result.answer, Violated) else Markup()
    parts = (show_question(result), run(result.answer, result.property), *told, fixes)
    return element("div", style, heading, *parts, class_="seriatim")


def show_question(result: Result) -> Markup:
    """Returns what was observed, unless it is the default."""
    text = asked_text(result)
    return element("p", *inline(text)) if text else Markup()


def badge(result: Result) -> Markup:
    answer = result.answer
    match answer:
        case Holds(certificate=certificate):
            return element("span", in_words(certificate.verdict), class_="badge good")
        case Violated(certificate=certificate):
            return element("span", in_words(certificate.verdict), class_="badge bad")
        case Recorded(holds=holds):
            word = in_words(result.property.verdicts[0 if holds else 1])
            return element("span", word, class_=f"badge {'good' if holds else 'bad'}")
        case Undecided() | Lost():
            return element("span", "undecided", class_="badge open")
        case Unusable():
            return element("span", "bad input", class_="badge open")
        case Faulty():
            return element("span", "mistake", class_="badge bad")
        case Refused():
            return element("span", "no verdict", class_="badge bad")
        case _:
            assert_never(answer)


def size(result: Result) -> str:
    """For how many requests a verdict holds, or how many a violation needs."""
    match result.answer:
        case Holds():
            about = f", {FOR_CHOSEN}" if is_for_chosen(result.approximations) else ""
            return f"for any number of {result.actor}s{about}"
        case Recorded(account=account):
            return account.size
        case Violated(run=run) | Faulty(run=run):
            return sizes(run)
        case Undecided(suspicion=Suspicion(run=run)):
            return f"a violation is possible ({sizes(run)})"
        case _:
            return ""


def lead(result: Result) -> str:
    """The common name of a violation if it has one, and its size."""
    name = result.answer.name if isinstance(result.answer, Violated) else ""
    return ": ".join(filter(None, (name, size(result))))


def run(answer: Answer, question: Property) -> Markup:
    """The run of a violation, its answers, and why nothing explains them; empty for other verdicts."""
    if not isinstance(answer, Violated):
        return Markup()
    shown = answer.run.timeline
    if shown.actor == "thread":
        return element("div", run_html(shown), class_="scroll")
    answers = element("p", "answers: ", element("strong", answers_html(shown)))
    table = element("div", run_html(shown), class_="scroll")
    return together(table, answers, show_seen(answer), *why(answer, question))


def why(violated: Violated, question: Property) -> list[Markup]:
    """The argument up to its contradiction, and the nearest outcomes, each a paragraph or a list."""
    texts = why_texts(violated.why, question, UNBROKEN, "")
    hues = hues_by_name(violated.run.timeline)
    return [prose(text, hues) for text in texts if text]


def show_fixes(violated: Violated) -> Markup:
    """Changes that are known to be enough, in words."""
    if not violated.fixes:
        return Markup()
    items = [element("li", *inline(fix)) for fix in violated.fixes]
    return together(element("p", "Each of these changes is enough:"), element("ul", *items))


def show_suspicion(suspicion: Suspicion, question: Property) -> Markup:
    """The argument about a run of the model."""
    texts = suspicion_texts(suspicion, question, UNBROKEN, "")
    hues = hues_by_name(suspicion.run.timeline)
    return together(*(prose(text, hues) for text in texts if text))


def show_seen(violated: Violated) -> Markup:
    """Returns what was observed besides answers."""
    text = seen_text(violated.why, TextLook())
    return element("p", *inline(text)) if text else Markup()


def reasons(result: Result) -> list[Markup]:
    return [element("p", *inline(text)) for text in conclusions(result) if text]
