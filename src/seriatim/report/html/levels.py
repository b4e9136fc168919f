"""Levels side by side on a page: a table of verdicts, and which level is enough on each engine."""

from seriatim.frontends.protocol import Ladder
from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.page import Section
from seriatim.report.levels_text import Engines, tell, weakest
from seriatim.report.text_look import Style

CLASSES = {Style.GOOD: "good", Style.BAD: "bad"}


def levels_section(engines: Engines, ladder: Ladder) -> Section:
    """The table; an engine without a name is the only one."""
    name = next(iter(next(iter(engines.values())).values())).source.name
    places = [(engine, level) for engine, results in engines.items() for level in results]
    rows = [_row(engine, level, _badge(engines, engine, level)) for engine, level in places]
    head = element("tr", *(element("th", each) for each in ("engine", ladder.noun, "verdict")))
    words = [element("p", _enough(engine, weakest(results), ladder)) for engine, results in engines.items()]
    badge = element("span", f"{ladder.noun}s", class_="badge open")
    return Section(name, badge, f"all {ladder.noun}s", together(element("table", head, *rows), *words))


def _row(*cells: str) -> Markup:
    return element("tr", *(element("td", each) for each in cells))


def _enough(engine: str, level: str | None, ladder: Ladder) -> str:
    where = f" on {engine}" if engine else ""
    if level is None:
        return f"No {ladder.noun} is known to be enough{where}."
    return f"The weakest {ladder.noun} that is known to be enough{where}: {level}"


def _badge(engines: Engines, engine: str, level: str) -> Markup:
    word, style, note = tell(engines[engine][level])
    shown = element("span", word, class_=f"badge {CLASSES.get(style, 'open')}")
    return together(shown, f" {note}" if note else "")
