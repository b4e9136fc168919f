"""The account of a log on a page: the findings, and each reason with a time line of its entries."""

from collections.abc import Iterator, Sequence

from seriatim.explain.account import Account, Bar, Finding, Reason
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.run import HUES

WIDTH, ROW, LEFT = 720, 30, 130
"""The size of a time line: its width, the height of half a row, and the space for names."""

CLASSES = {True: "good", False: "bad", None: "open"}


def account_html(account: Account) -> Markup:
    items = [element("li", _finding(each)) for each in account.findings]
    findings = element("ul", *items, class_="findings") if len(items) > 1 else Markup()  # One is the verdict.
    return together(findings, *map(_reason, account.reasons))


def _finding(finding: Finding) -> Markup:
    return element("span", finding.text, class_=f"badge {CLASSES[finding.holds]}")


def _reason(reason: Reason) -> Markup:
    lines = element("pre", "\n".join(reason.lines), class_="argument") if reason.lines else Markup()
    return together(element("h3", reason.title, class_="sentence"), _timeline(reason.bars), lines)


def _timeline(bars: Sequence[Bar]) -> Markup:
    """A row for each entry, by its start; a bar from its start to its end, and its operations below. One that
    never ended goes on to the right."""
    if not bars:
        return Markup()
    last = max(max(bar.start, bar.start if bar.end is None else bar.end) for bar in bars) + 1
    lanes = {lane: at for at, lane in enumerate(sorted({bar.lane or str(bar.line) for bar in bars}))}
    parts = [part for row, bar in enumerate(bars) for part in _bar(row, bar, last, lanes)]
    height = 2 * ROW * len(bars)
    picture = element(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH} {height}",
        width=WIDTH,
        height=height,
        role="img",
        aria_label="times",
    )
    return element("div", picture, class_="scroll", tabindex=0, role="region", aria_label="times")


def _bar(row: int, bar: Bar, last: int, lanes: dict[str, int]) -> Iterator[Markup]:
    scale = (WIDTH - LEFT - 10) / last
    left, end = LEFT + bar.start * scale, last if bar.end is None else bar.end
    width = max(4, (end - bar.start) * scale)
    top = 2 * ROW * row
    hue = f"hue-{lanes[bar.lane or str(bar.line)] % HUES}"
    name = f"line {bar.line}" + (f", process {bar.lane}" if bar.lane else "")
    yield element("text", name, x=0, y=top + 20, fill="currentColor", font_size=12)
    yield element(
        "rect", x=round(left), y=top + 8, width=round(width), height=16, rx=3, class_=f"entry {hue}"
    )
    yield element(
        "text", bar.text, x=LEFT, y=top + 42, fill="currentColor", font_size=11, font_family="monospace"
    )
