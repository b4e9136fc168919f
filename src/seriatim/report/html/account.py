"""The account of a log on a page: the findings, and each reason with a time line of its entries."""

from collections.abc import Sequence

from seriatim.explain.account import Account, Bar, Finding, Reason
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.run import HUES

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
    """For each entry, by its start: its name, a bar from its start to its end, and its operations. One that
    never ended goes on to the right. Places are parts of the width, so it fits wherever it is shown."""
    if not bars:
        return Markup()
    last = max(max(bar.start, bar.start if bar.end is None else bar.end) for bar in bars) + 1
    lanes = {lane: at for at, lane in enumerate(sorted({bar.lane or str(bar.line) for bar in bars}))}
    return element("ol", *(_bar(bar, last, lanes) for bar in bars), class_="entries")


def _bar(bar: Bar, last: int, lanes: dict[str, int]) -> Markup:
    end = last if bar.end is None else bar.end
    left, width = 100 * bar.start / last, 100 * (end - bar.start) / last
    place = f"from {bar.start} " + ("on" if bar.end is None else f"to {bar.end}")
    picture = element(
        "svg",
        element("line", x1=0, x2="100%", y1=8, y2=8, class_="track"),
        element(
            "rect",
            x=f"{left:.1f}%",
            y=0,
            width=f"{max(1.0, width):.1f}%",
            height=16,
            rx=3,
            class_=f"entry hue-{lanes[bar.lane or str(bar.line)] % HUES}",
        ),
        width="100%",
        height=16,
        role="img",
        aria_label=place,
    )
    name = f"line {bar.line}" + (f", process {bar.lane}" if bar.lane else "")
    return element("li", element("span", name, class_="name"), picture, element("code", bar.text))
