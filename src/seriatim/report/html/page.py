"""A report on all inputs as one HTML file, which needs no network and no other file."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from seriatim.report.html.markup import Markup, element, read_shipped, together

TITLE = "Seriatim report"


@dataclass(frozen=True, slots=True)
class Section:
    """What the page says about one input."""

    name: str
    badge: Markup
    size: str
    """For how many requests the verdict holds, or how many a violation needs; may be empty."""
    body: Markup


def page(sections: Sequence[Section], version: str) -> str:
    """The whole page; the same inputs and version give the same text."""
    script = read_shipped("page.js")
    style = read_shipped("run.css") + read_shipped("page.css")
    # The page loads nothing and runs only our script, whatever the inputs contain.
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{_digest(script)}'"
    head = (
        '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{TITLE}</title>\n<style>{style}</style>\n"
    )
    main = element("main", _index(sections), *map(_article, range(1, len(sections) + 1), sections))
    footer = element("footer", element("p", f"Written by seriatim {version}."))
    header = element("header", element("h1", TITLE), class_="top")
    body = together(header, main, footer, element("script", Markup(script)))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n'
        f"{head}</head>\n{element('body', body, class_='seriatim')}\n</html>\n"
    )


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()


def _index(sections: Sequence[Section]) -> Markup:
    if len(sections) < 2:
        return Markup()
    entries = [
        element(
            "li",
            section.badge,
            " ",
            element("a", section.name, href=f"#input-{number}"),
            " ",
            element("span", section.size, class_="hint"),
        )
        for number, section in enumerate(sections, start=1)
    ]
    return element("nav", element("ol", *entries), aria_label="Inputs")


def _article(number: int, section: Section) -> Markup:
    heading = element("h2", section.name, id=f"title-{number}")
    title = element("header", heading, section.badge, element("span", section.size, class_="lead"))
    return element("article", title, section.body, id=f"input-{number}", aria_labelledby=f"title-{number}")
