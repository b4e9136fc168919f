"""What the HTML report says of one input: the verdict, its run beside the source, pictures, the evidence."""

import json
from collections.abc import Iterator, Mapping
from itertools import starmap
from typing import assert_never

from seriatim.certificate.certificate import Certificate, write
from seriatim.diagnostic_text import render
from seriatim.explain.explanation import Blame, Explanation, TooLarge
from seriatim.explain.picture import Picture
from seriatim.explain.timeline import Sample, Timeline, interruptions
from seriatim.method import Method
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.page import Section
from seriatim.report.html.run import run_html
from seriatim.report.html.verdict import asked, badge, reasons, seen, size
from seriatim.report.look import Look
from seriatim.report.pictures.svg import svg
from seriatim.report.repair_text import blame_remarks
from seriatim.report.sample_text import explained_by
from seriatim.report.verdict_text import outcome_text
from seriatim.report.why_text import why_texts
from seriatim.result import Faulty, Holds, Refused, Result, Undecided, Unusable, Violated
from seriatim.source import Diagnostic, SourceText
from seriatim.workers import Lost

Decided = Holds | Violated | Undecided | Refused | Faulty

OPEN_PICTURE = "The network system"
"""The one that is open at first."""

Notes = Mapping[int, str]
"""What to write beside lines."""

NO_NOTES: Notes = {}
_TO_BLAME = "to blame"

_UNBROKEN = Look(width=1_000_000)
"""Lines are as long as they are: the page breaks them."""


def section(result: Result, explanation: Explanation) -> Section:
    """With what explains the result, as far as that is known."""
    return Section(result.source.name, badge(result), together(*_parts(result, explanation)))


def _parts(result: Result, explanation: Explanation) -> Iterator[Markup]:
    answer, source = result.answer, result.source
    match answer:
        case Unusable(diagnostics=diagnostics):
            yield _diagnostics(diagnostics, source)
            yield _part("Source", _listing(source))
            return
        case Lost(reason=reason):
            yield element("p", f"The process that decided this input was lost: {reason}.")
            return
        case _:
            yield from _decided(answer, result, explanation)
    yield _diagnostics(result.warnings, source)
    if explanation.pictures:
        yield _part("Pictures", *starmap(_picture, explanation.pictures))
    if isinstance(answer, Holds | Violated):
        yield _part("Evidence", _evidence(answer.certificate, result.method))


def _decided(answer: Decided, result: Result, explanation: Explanation) -> Iterator[Markup]:
    source = result.source
    if size(result):
        yield element("p", size(result), class_="lead")
    yield asked(result)
    match answer:
        case Violated():
            yield _refutation(answer, result, explanation.blame)
        case Faulty(diagnostic=diagnostic, run=run):
            yield _diagnostics((diagnostic,), source)
            yield _beside_source(run.timeline, source, notes=_notes(run.timeline, None))
        case Holds(sample=Sample() as sample):
            yield together(*reasons(result))
            yield _example(sample, source)
        case Holds() | Undecided() | Refused():
            yield together(*reasons(result))
            yield _part("Source", _listing(source))
        case _:
            assert_never(answer)


def _refutation(violated: Violated, result: Result, blame: Blame | None) -> Markup:
    shown = violated.run.timeline
    why = why_texts(violated.why, result.property, _UNBROKEN, "")
    return _beside_source(
        shown,
        result.source,
        element("p", "answers: ", element("strong", outcome_text(shown, Look()))),
        seen(violated),
        _part("Why", *(element("pre", text.rstrip(), class_="prose") for text in why if text)),
        *reasons(result)[1:],
        *([] if blame is None else [_blame(blame)]),
        notes=_notes(shown, blame),
    )


def _blame(blame: Blame) -> Markup:
    remarks = [element("p", remark) for remark in blame_remarks(blame)]
    return _part("Blame", *remarks) if remarks else Markup()


def _notes(shown: Timeline, blame: Blame | None) -> Notes:
    """What to write beside lines: where requests are interrupted, and which yields are to blame."""
    notes = {line: ["interrupted here"] for line in interruptions(shown)}
    for lines in () if blame is None else blame.sets:
        for line in lines:
            words = notes.setdefault(line, [])
            if _TO_BLAME not in words:
                words.append(_TO_BLAME)
    return {line: ", ".join(words) for line, words in notes.items()}


def _example(sample: Sample, source: SourceText) -> Markup:
    explained = element("p", explained_by(sample.order))
    return _beside_source(sample.run.timeline, source, explained, title="For example")


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


def _picture(title: str, picture: Picture | TooLarge) -> Markup:
    """In a frame that opens: pictures are wide."""
    if isinstance(picture, TooLarge):
        reason = "" if picture.reason is None else f": {picture.reason}"
        inner = element("p", f"Too large to draw{reason}.", class_="hint")
    else:
        drawn = Markup(svg(picture, title))
        inner = element("div", drawn, class_="scroll", tabindex=0, role="group", aria_label=title)
    return element("details", element("summary", title), inner, open=title == OPEN_PICTURE)


def _evidence(certificate: Certificate, method: Method | None) -> Markup:
    text = write(certificate)
    facts = {
        "Kind": json.loads(text)["kind"],
        "Found by": "" if method is None else method.value,
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
