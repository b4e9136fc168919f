"""The section of the HTML report about one input: verdict, run beside the source, pictures, evidence."""

from collections.abc import Iterator
from typing import assert_never

from seriatim.certificate.certificate import Certificate, write
from seriatim.explain.explanation import Blame, Drawing, Explanation, Repair
from seriatim.explain.picture import MAX_NODES
from seriatim.explain.timeline import Sample, Timeline, interruptions
from seriatim.method import Method
from seriatim.properties.property import in_words
from seriatim.report.explanation_text import reason_words
from seriatim.report.families import join_families
from seriatim.report.html.account import account_html
from seriatim.report.html.diagnostics import diagnostics_html
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.page import Section
from seriatim.report.html.prose import UNBROKEN, inline, prose
from seriatim.report.html.run import answers_html
from seriatim.report.html.timeline import Notes, code, story
from seriatim.report.html.verdict import (
    POSSIBLE,
    badge,
    lead,
    reasons,
    show_fixes,
    show_question,
    show_seen,
    show_suspicion,
    why,
)
from seriatim.report.pictures.svg import svg
from seriatim.report.repair_text import blame_remarks, difference
from seriatim.report.text_look import Style, TextLook
from seriatim.report.translation_text import assumption
from seriatim.report.verdict_text import count_text, explained_by
from seriatim.report.why_text import why_texts
from seriatim.result import (
    Faulty,
    Holds,
    Lost,
    Recorded,
    Refused,
    Result,
    StuckWarning,
    Suspicion,
    Undecided,
    Unusable,
    Violated,
)

Decided = Holds | Violated | Undecided | Refused | Faulty

_TO_BLAME = "to blame"
_CHANGED = {Style.BAD: "gone", Style.GOOD: "new", Style.FAINT: "cut"}


def section(result: Result, explanation: Explanation) -> Section:
    """The section about a result, with its explanation if there is one."""
    body = together(*_parts(result, explanation))
    return Section(result.source.name, badge(result), lead(result), body)


def _parts(result: Result, explanation: Explanation) -> Iterator[Markup]:
    answer, source = result.answer, result.source
    match answer:
        case Recorded(account=account, certificates=certificates):
            yield account_html(account)
            yield element("section", element("h3", "More"), _certificates(certificates), class_="more")
            return
        case Unusable(diagnostics=diagnostics):
            yield diagnostics_html(diagnostics, source)
            yield code(source)
            return
        case Lost(reason=reason):
            yield element("p", f"The process that decided this input ended: {reason}.")
            return
        case _:
            yield show_question(result)
            has_run = isinstance(answer, Violated | Faulty)  # Then it comes first.
            yield Markup() if has_run else diagnostics_html(result.warnings, source)
            yield from _show_answer(answer, result, explanation)
            yield diagnostics_html(result.warnings, source) if has_run else Markup()
            yield Markup() if result.stuck is None else _stuck(result.stuck, result)
            yield _show_assumptions(result)
    folded = [_picture(drawing, source.name) for drawing in explanation.pictures]
    if isinstance(answer, Holds | Violated):
        folded.append(_evidence(answer.certificate, result.method))
    yield element("section", element("h3", "More"), *folded, class_="more") if folded else Markup()


def _show_answer(answer: Decided, result: Result, explanation: Explanation) -> Iterator[Markup]:
    source = result.source
    match answer:
        case Violated():
            yield _refutation(answer, result, explanation.blame)
            yield _show_repairs(explanation.repairs, result)
        case Faulty(diagnostic=diagnostic, run=run):
            yield diagnostics_html((diagnostic,), source)
            yield story(run.timeline, source, Markup(), notes=_notes(run.timeline, None))
        case Holds(sample=Sample() as sample):
            yield together(*reasons(result), _because(explanation))
            order = element("p", *inline(f"{explained_by(sample.order)}."))
            answers = _answers(sample.run.timeline)
            yield story(sample.run.timeline, source, together(answers, order), title="For example")
        case Undecided(suspicion=Suspicion(run=run) as suspicion):
            yield together(*reasons(result))
            told = together(_answers(run.timeline), show_suspicion(suspicion, result.property))
            notes = _notes(run.timeline, None)
            yield story(run.timeline, source, told, title=POSSIBLE, notes=notes)
            yield _show_repairs(explanation.repairs, result)
        case Holds() | Undecided() | Refused():
            yield together(*reasons(result), _because(explanation))
            yield code(source)
        case _:
            assert_never(answer)


def _stuck(stuck: StuckWarning, result: Result) -> Markup:
    """The run after which requests wait for ever, and why no other request can free them."""
    texts = why_texts(stuck.why, result.property, UNBROKEN, "")
    told = together(*(prose(text) for text in texts if text))
    return story(stuck.run.timeline, result.source, told, title="Stuck: requests that wait for ever")


def _show_assumptions(result: Result) -> Markup:
    """The assumptions behind a verdict on a translation, and the outcome of repeating its violation."""
    told = result.confirmation
    confirmed = [] if told is None else [element("p", *inline(told.sentence))]
    if result.compared is not None and result.compared.sentence:
        confirmed.append(element("p", *inline(result.compared.sentence)))
    items = [element("li", *inline(assumption(each))) for each in result.approximations]
    assumed = [element("h3", "Assumed"), element("ul", *items)] if items else []
    return element("section", *confirmed, *assumed) if confirmed or assumed else Markup()


def _because(explanation: Explanation) -> Markup:
    """Why a proof holds, if that is known."""
    items = [element("li", *inline(reason_words(reason))) for reason in join_families(explanation.reasons)]
    return element("ul", *items) if items else Markup()


def _refutation(violated: Violated, result: Result, blame: Blame | None) -> Markup:
    shown = violated.run.timeline
    conclusions = together(
        _answers(shown),
        show_seen(violated),
        element(
            "section",
            element("h3", "Why"),
            *why(violated, result.property),
            *reasons(result)[1:],
            *([] if blame is None else _blame(blame)),
            show_fixes(violated),
            class_="why",
        ),
    )
    return story(shown, result.source, conclusions, notes=_notes(shown, blame))


def _show_repairs(repairs: tuple[Repair, ...], result: Result) -> Markup:
    """Changes of the text that are proved, each with the lines that change."""
    if not repairs:
        return Markup()
    shown = [
        _fold(
            repair.title[0].upper() + repair.title[1:],
            "",
            element("p", *inline(repair.meaning)),
            _show_difference(result.source.text, repair.text),
        )
        for repair in repairs
    ]
    word = in_words(result.property.verdicts[0])
    remark = f"After each of these changes, the program is proved {word} for any number of {result.actor}s."
    return element("section", element("h3", "Proved fixes"), element("p", remark), *shown)


def _show_difference(before: str, after: str) -> Markup:
    lines = [
        element("span", line + "\n", class_=_CHANGED.get(style))
        for line, style in difference(before, after, TextLook())
    ]
    return element("pre", *lines, class_="difference", tabindex=0, role="group", aria_label="What changes")


def _answers(shown: Timeline) -> Markup:
    answers = answers_html(shown)
    if not answers:
        return Markup()  # Threads give no answers.
    return element("p", "answers: ", element("strong", answers), class_="answers")


def _blame(blame: Blame) -> list[Markup]:
    return [element("p", *inline(remark)) for remark in blame_remarks(blame)]


def _notes(shown: Timeline, blame: Blame | None) -> Notes:
    """Notes beside lines: where requests are interrupted, and which yields are to blame."""
    notes = {line: ["interrupted here"] for line in interruptions(shown)}
    for lines in () if blame is None else blame.sets:
        for line in lines:
            words = notes.setdefault(line, [])
            if _TO_BLAME not in words:
                words.append(_TO_BLAME)
    return {line: ", ".join(words) for line, words in notes.items()}


def _certificates(certificates: tuple[str, ...]) -> Markup:
    sizes_ = ", ".join(f"{len(each.encode()):,} bytes" for each in certificates)
    remark = "The checker has accepted it. `ser history --certificate` saves it, `ser verify` re-checks it."
    return _fold("Evidence", sizes_, element("p", *inline(remark)))


# What is folded


def _fold(title: str, remark: str, *children: Markup) -> Markup:
    summary = element("summary", *inline(title), " ", element("span", remark, class_="hint"))
    return element("details", summary, *children)


def _picture(drawing: Drawing, name: str) -> Markup:
    """A picture in a frame that opens. It first fits the width of the frame, and can be magnified."""
    title, picture = drawing.title, drawing.picture
    if picture is None:
        return _fold(title, "not drawn", element("p", "It takes too long to draw.", class_="hint"))
    nodes = count_text(len(picture.nodes), "node")
    shown = nodes if len(picture.nodes) <= MAX_NODES else f"the first {MAX_NODES} of {nodes}"
    buttons = [
        element("button", sign, type="button", data_zoom=zoom, aria_label=words, title=words)
        for zoom, sign, words in (
            ("out", "−", "Smaller"),
            ("in", "+", "Larger"),
            ("fit", "fit", "Fit the width"),
        )
    ]
    if drawing.left_out is not None:
        shown = f"a part, {shown}"
    return _fold(
        title,
        shown,
        _left_out(drawing),
        element(
            "div", *buttons, class_="bar", role="group", aria_label=f"Size of {title}: {name}", hidden=True
        ),
        element(
            "div",
            Markup(svg(picture, title)),
            class_="frame",
            tabindex=0,
            role="region",
            aria_label=f"{title}: {name}",
        ),
    )


def _left_out(drawing: Drawing) -> Markup:
    if drawing.left_out is None:
        return Markup()
    told = f"Only a part is drawn: {drawing.left_out}. The states named … stand for the rest."
    return element("p", *inline(told), class_="hint")


def _evidence(certificate: Certificate, method: Method | None) -> Markup:
    size_ = f"{len(write(certificate).encode()):,} bytes"
    facts = {
        "Kind": certificate.evidence.kind,
        "Found by": "" if method is None else method.value,
        "Input, SHA-256": certificate.digest,
        "Size": size_,
    }
    rows = [
        together(element("dt", name), element("dd", element("code", value))) for name, value in facts.items()
    ]
    remark = "The checker has accepted it. `ser check --certificate` saves it, `ser verify` re-checks it."
    return _fold(
        "Evidence",
        f"{certificate.evidence.kind}, {size_}",
        element("dl", *rows),
        element("p", *inline(remark)),
    )
