"""Isolation levels on a page: why a level does not hold, with a time line of the transactions in it."""

from collections.abc import Iterator, Sequence

from seriatim.certificate.transactions import Anomaly, Cycles, Level, LevelEvidence
from seriatim.checking.history.transactions import Operation, TransactionLog
from seriatim.history.transactions.decide import Decided, LevelVerdict
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.page import Section
from seriatim.report.transactions import Verdicts, overall, reason_lines, weakest

WIDTH, ROW, LEFT = 720, 30, 90
"""The size of a time line: its width, the height of a row, and the space for names."""
MOST = 30
"""How many transactions are drawn."""

CLASSES = {"holds": "good", "violated": "bad"}


def levels_section(name: str, log: TransactionLog, verdicts: Verdicts) -> Section:
    word = overall(verdicts)
    badge = element("span", word.replace("_", " "), class_=f"badge {CLASSES.get(word, 'open')}")
    rows = [
        element("tr", element("td", level.words), element("td", _word(verdict)))
        for level, verdict in verdicts.items()
    ]
    reasons = [_reason(level, verdicts[level], log) for level in weakest(verdicts)]
    body = together(element("table", *rows), *reasons)
    return Section(name, badge, f"{len(log.transactions):,} transactions", body)


def _word(verdict: LevelVerdict) -> str:
    if not isinstance(verdict, Decided):
        return "not decided, or not applicable"
    return "holds" if verdict.holds else "does not hold"


def _reason(level: Level, verdict: LevelVerdict, log: TransactionLog) -> Markup:
    if not isinstance(verdict, Decided):
        return Markup()
    evidence = verdict.certificate.evidence
    lines = "\n".join(reason_lines(evidence, log))
    picture = _timeline(_involved(evidence)[:MOST], log)
    return together(element("h3", f"Why not {level.words}"), picture, element("pre", lines))


def _involved(evidence: LevelEvidence) -> list[int]:
    """The transactions that a reason is about."""
    match evidence:
        case Anomaly(transactions=transactions):
            return sorted(set(transactions))
        case Cycles(cycles=cycles):
            steps = [step for cycle in cycles for step in cycle.steps]
            inner = [each for step in steps for each in (step, *step.path)]
            return sorted({number for each in inner for number in (each.source, each.target)})
        case _:
            return []


def _timeline(numbers: Sequence[int], log: TransactionLog) -> Markup:
    """A row for each transaction, by its start; a bar from its start to its end, and its operations below.
    One without an end goes on to the right; without times, all bars have one place after the other."""
    spans = [_span(number, log, at) for at, number in enumerate(numbers)]
    if not spans:
        return Markup()
    low = min(start for start, _ in spans)
    high = max(end for _, end in spans)
    scale = (WIDTH - LEFT - 10) / max(1, high - low)
    parts: list[Markup] = []
    rows = sorted(zip(spans, numbers, strict=True))
    for row, ((start, end), number) in enumerate(rows):
        parts += _bar(row, LEFT + (start - low) * scale, max(4, (end - start) * scale), number, log)
    height = 2 * ROW * len(rows)
    picture = element(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH} {height}",
        width=WIDTH,
        height=height,
        role="img",
        aria_label="times",
    )
    return element("div", picture)


def _span(number: int, log: TransactionLog, place: int) -> tuple[int, int]:
    each = log.transactions[number]
    if each.start is None:
        return 2 * place, 2 * place + 1
    ends = [end for t in log.transactions if (end := t.end) is not None] if each.end is None else []
    return each.start, max([each.start + 1, *ends]) if each.end is None else each.end


def _bar(row: int, left: float, width: float, number: int, log: TransactionLog) -> Iterator[Markup]:
    each = log.transactions[number]
    top = 2 * ROW * row
    hue = f"hsl({number * 67 % 360} 60% 60%)"
    process = "" if each.process is None else f", {each.process}"
    yield element("text", f"line {each.line}{process}", x=0, y=top + 20, fill="currentColor", font_size=12)
    yield element("rect", x=round(left), y=top + 8, width=round(width), height=16, rx=3, fill=hue)
    words = " ".join(map(_operation, each.operations))
    yield element(
        "text", words, x=LEFT, y=top + 42, fill="currentColor", font_size=11, font_family="monospace"
    )


def _operation(operation: Operation) -> str:
    kind, key, value = operation
    shown = (
        f"[{' '.join(map(str, value))}]" if isinstance(value, tuple) else "nil" if value is None else value
    )
    return f"[{kind} {key} {shown}]"
