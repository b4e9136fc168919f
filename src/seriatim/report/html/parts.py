"""A result as the parts of a page that has its own editor beside them: HTML and texts, by name."""

from typing import Any

from seriatim.explain.explanation import Explanation
from seriatim.explain.timeline import ShownRun, interruptions
from seriatim.report.explanation_text import reason_words
from seriatim.report.families import join_families
from seriatim.report.html.account import account_html
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.prose import UNBROKEN, inline, prose
from seriatim.report.html.run import answers_html, run_html
from seriatim.report.html.verdict import (
    POSSIBLE,
    badge,
    reasons,
    show_fixes,
    show_seen,
    show_suspicion,
    size,
    why,
)
from seriatim.report.translation_text import assumption
from seriatim.report.verdict_text import asked_text, explained_by
from seriatim.report.why_text import why_texts
from seriatim.result import Faulty, Holds, Lost, Recorded, Result, Suspicion, Undecided, Unusable, Violated

Json = dict[str, Any]


def result_parts(result: Result, explanation: Explanation) -> Json:
    """The parts of a result. Readers step through `runs`; everything else is shown as it is."""
    answer = result.answer
    return {
        "badge": badge(result),
        "size": size(result),
        "name": answer.name if isinstance(answer, Violated) else "",
        "asked": "" if isinstance(answer, Unusable | Lost) else together(*inline(asked_text(result))),
        "why": together(*_why(result, explanation)),
        "runs": list(_runs(result)),
        "assumed": _show_assumptions(result),
    }


def _why(result: Result, explanation: Explanation) -> list[Markup]:
    answer = result.answer
    match answer:
        case Violated():
            return [
                show_seen(answer),
                *why(answer, result.property),
                *reasons(result)[1:],
                show_fixes(answer),
            ]
        case Holds():
            told = join_families(explanation.reasons)
            items = [element("li", *inline(reason_words(reason))) for reason in told]
            return [*reasons(result), element("ul", *items) if items else Markup()]
        case Recorded(account=account):
            return [account_html(account)]
        case Unusable():
            return []
        case _:
            return reasons(result)


def _runs(result: Result) -> list[Json]:
    answer = result.answer
    found: list[Json] = []
    match answer:
        case Violated(run=run) | Faulty(run=run):
            found.append(run_part("The run", run))
        case Holds(sample=sample) if sample is not None:
            order = element("p", *inline(f"{explained_by(sample.order)}."))
            found.append(run_part("For example", sample.run, order))
        case Undecided(suspicion=Suspicion(run=run) as suspicion):
            found.append(run_part(POSSIBLE, run, show_suspicion(suspicion, result.property)))
        case _:
            pass
    if result.stuck is not None:
        texts = why_texts(result.stuck.why, result.property, UNBROKEN, "")
        told = together(*(prose(text) for text in texts if text))
        found.append(run_part("Requests that wait for ever", result.stuck.run, told))
    return found


def run_part(title: str, run: ShownRun, below: Markup | None = None) -> Json:
    """A run as a table, with the text below it and the lines where requests are interrupted."""
    shown = run.timeline
    return {
        "title": title,
        "table": run_html(shown),
        "answers": answers_html(shown),
        "below": below or Markup(),
        "interrupted": sorted(interruptions(shown)),
    }


def _show_assumptions(result: Result) -> Markup:
    """The assumptions behind a verdict on a translation, and the outcome of repeating its violation."""
    told = result.confirmation
    confirmed = [] if told is None else [element("p", *inline(told.sentence))]
    if result.compared is not None and result.compared.sentence:
        confirmed.append(element("p", *inline(result.compared.sentence)))
    items = [element("li", *inline(assumption(each))) for each in result.approximations]
    return together(*confirmed, element("ul", *items) if items else Markup())
