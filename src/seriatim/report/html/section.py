"""What the HTML report says of one input: the verdict, its run beside the source, pictures, the evidence."""

import json
from collections.abc import Iterator, Mapping
from typing import assert_never

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.certificate import Certificate, write
from seriatim.diagnostic_text import render
from seriatim.explain.interleaving import Interleaving, sample_of
from seriatim.explain.timeline import Timeline, faulty_timeline, interruptions, timeline
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.repair.blame import blame
from seriatim.repair.search import Repairs
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.page import Section
from seriatim.report.html.run import run_html
from seriatim.report.html.verdict import asked, badge, reasons, seen, size
from seriatim.report.look import Look
from seriatim.report.outcome import Abandoned, Decided, Outcome, Unusable
from seriatim.report.repair_text import blame_remarks
from seriatim.report.sample_text import explained_by
from seriatim.report.show.views import TITLES, Form, View, show
from seriatim.report.verdict_text import outcome_text
from seriatim.report.why import shown_run, why_texts
from seriatim.source import Diagnostic, SourceText
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.verdict import Decision, Faulty, Holds, Violated

SECONDS_TO_DRAW = 5.0
STATES_TO_DRAW = Limits(max_states=5_000)

Notes = Mapping[int, str]
"""What to write beside lines."""

NO_NOTES: Notes = {}
_TO_BLAME = "to blame"

_PICTURES = (View.NS, View.SERIAL, View.NET)

_UNBROKEN = Look(width=1_000_000)
"""Lines are as long as they are: the page breaks them."""


def section(outcome: Outcome) -> Section:
    name = outcome.source.name
    match outcome:
        case Unusable(source=source, diagnostics=diagnostics):
            body = together(_diagnostics(diagnostics, source), _part("Source", _listing(source)))
            return Section(name, element("span", "bad input", class_="badge open"), body)
        case Abandoned(lost=lost):
            text = element("p", f"The process that decided this input was lost: {lost.reason}.")
            return Section(name, element("span", "undecided", class_="badge open"), text)
        case Decided(decision=decision):
            return Section(name, badge(decision), together(*_parts(outcome, decision)))
        case _:
            assert_never(outcome)


def _parts(outcome: Decided, decision: Decision) -> Iterator[Markup]:
    source, verdict = outcome.source, decision.verdict
    if size(decision):
        yield element("p", size(decision), class_="lead")
    yield asked(decision)
    if isinstance(verdict, Violated):
        shown = shown_run(verdict, decision, source)
        yield _refutation(verdict, shown, outcome)
    elif isinstance(verdict, Faulty) and isinstance(decision.unfolding, ProgramUnfolding):
        shown = faulty_timeline(verdict.faulty, decision.unfolding, source)
        yield _diagnostics((verdict.diagnostic(),), source)
        yield _beside_source(shown, source, notes=_notes(shown, None))
    else:
        yield together(*reasons(decision))
        sample = sample_of(decision, source)
        yield _part("Source", _listing(source)) if sample is None else _example(sample, source)
    yield _diagnostics(decision.warnings, source)
    yield _part("Pictures", *(_picture(view, outcome) for view in _PICTURES))
    if isinstance(verdict, Holds | Violated):
        yield _part("Evidence", _evidence(verdict.certificate, decision))


def _refutation(verdict: Violated, shown: Timeline, outcome: Decided) -> Markup:
    why = why_texts(verdict, outcome.decision, _UNBROKEN, "")
    origin = outcome.decision.unfolding
    blamed = None
    if isinstance(origin, ProgramUnfolding) and outcome.decision.question == SERIALIZABILITY:
        blamed = blame(origin.program, outcome.source.text)
    return _beside_source(
        shown,
        outcome.source,
        element("p", "answers: ", element("strong", outcome_text(shown, Look()))),
        seen(verdict),
        _part("Why", *(element("pre", text.rstrip(), class_="prose") for text in why if text)),
        *reasons(outcome.decision)[1:],
        *([] if blamed is None else [_blame(blamed)]),
        notes=_notes(shown, blamed),
    )


def _blame(blamed: Repairs) -> Markup:
    remarks = [element("p", remark) for remark in blame_remarks(blamed)]
    return _part("Blame", *remarks) if remarks else Markup()


def _notes(shown: Timeline, blamed: Repairs | None) -> Notes:
    """What to write beside lines: where requests are interrupted, and which yields are to blame."""
    notes = {line: ["interrupted here"] for line in interruptions(shown)}
    for places in () if blamed is None else blamed.blamed():
        for place in places:
            line = notes.setdefault(place.span.line, [])
            if _TO_BLAME not in line:
                line.append(_TO_BLAME)
    return {line: ", ".join(words) for line, words in notes.items()}


def _example(sample: Interleaving, source: SourceText) -> Markup:
    shown = timeline(sample.run, sample.origin, source)
    explained = element("p", explained_by(sample.order))
    return _beside_source(shown, source, explained, title="For example")


def _beside_source(
    shown: Timeline,
    source: SourceText,
    *conclusions: Markup,
    title: str = "The run",
    notes: Notes = NO_NOTES,
) -> Markup:
    """A run and what follows from it, beside the source."""
    run = _part(
        title,
        element("p", "Arrow keys step through it; its lines are marked in the source.", class_="hint"),
        element("div", run_html(shown), class_="scroll"),
        *conclusions,
    )
    return element("div", run, _part("Source", _listing(source, notes)), class_="beside")


def _part(title: str, *children: Markup) -> Markup:
    return element("section", element("h3", title), *children)


def _listing(source: SourceText, notes: Notes = NO_NOTES) -> Markup:
    """The lines of the source; those with a note are marked."""
    rows = [
        element(
            "li",
            element("code", line.rstrip("\r") or " "),
            *([element("span", notes[number], class_="note")] if number in notes else []),
            class_="blamed" if number in notes else None,
            data_line=number,
        )
        for number, line in enumerate(source.text.rstrip("\n").split("\n"), start=1)
    ]
    return element("ol", *rows, class_="source", tabindex=0, aria_label=f"Source of {source.name}")


def _diagnostics(diagnostics: tuple[Diagnostic, ...], source: SourceText) -> Markup:
    texts = (render(diagnostic, source).rstrip() for diagnostic in diagnostics)
    return together(*(element("pre", text, class_="diagnostic") for text in texts))


def _picture(view: View, outcome: Decided) -> Markup:
    """In a frame that opens: pictures are wide."""
    title = TITLES[view]
    try:
        drawn = show(
            view, Form.SVG, outcome.content, outcome.source, STATES_TO_DRAW, Deadline(SECONDS_TO_DRAW)
        )
        inner = element("div", Markup(drawn), class_="scroll", tabindex=0, role="group", aria_label=title)
    except LimitReached as reached:
        inner = element("p", f"Too large to draw: {reached.message}.", class_="hint")
    except OutOfBudget:
        inner = element("p", "Too large to draw.", class_="hint")
    return element("details", element("summary", title), inner, open=view is View.NS)


def _evidence(certificate: Certificate, decision: Decision) -> Markup:
    text = write(certificate)
    facts = {
        "Kind": json.loads(text)["kind"],
        "Found by": decision.method.value,
        "Input, SHA-256": certificate.digest,
        "Size": f"{len(text.encode()):,} bytes",
    }
    rows = [
        together(element("dt", name), element("dd", element("code", value))) for name, value in facts.items()
    ]
    remark = element(
        "p",
        "A checker that shares no code with what found it has accepted it. ",
        element("code", "ser check --certificate"),
        " saves it, ",
        element("code", "ser verify"),
        " re-checks it.",
    )
    return together(element("dl", *rows), remark)
