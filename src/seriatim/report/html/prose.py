"""Texts for people as HTML: items of lists, nested as in the text, and code between backticks."""

import re
from collections.abc import Mapping

from seriatim.report.html.markup import Markup, element
from seriatim.report.text_look import TextLook

UNBROKEN = TextLook(width=1_000_000)
"""A look without line breaks: browsers break lines."""

Hues = Mapping[str, str]
"""The colour of a request, by the name of its handler: the class of an element."""

NO_HUES: Hues = {}

_CODE = re.compile(r"`([^`\n]+)`")
_ITEM = re.compile(r"( *)- (.*)")


def inline(text: str, hues: Hues = NO_HUES) -> list[Markup | str]:
    """A text with the parts between backticks as code; names of requests have their colours."""
    pieces: list[Markup | str] = []
    for number, piece in enumerate(_CODE.split(text)):
        if number % 2:
            kind = f"actor {hues[piece]}" if piece in hues else None
            pieces.append(element("code", piece, class_=kind))
        elif piece:
            pieces.append(piece)
    return pieces


def prose(text: str, hues: Hues = NO_HUES) -> Markup:
    """Paragraphs and lists: a line that begins with `-` is an item, nested by its indentation."""
    parts: list[Markup] = []
    items: list[tuple[int, str]] = []
    for line in text.rstrip("\n").split("\n"):
        found = _ITEM.fullmatch(line)
        if found is not None:
            items.append((len(found[1]), found[2]))
            continue
        if items:
            parts.append(_make_list(items, hues))
            items = []
        if line.strip():
            parts.append(element("p", *inline(line.strip(), hues)))
    if items:
        parts.append(_make_list(items, hues))
    return element("div", *parts, class_="prose")


def _make_list(items: list[tuple[int, str]], hues: Hues) -> Markup:
    """A list of the least indented items, with the others nested below them."""
    margin = items[0][0]
    entries: list[Markup] = []
    start = 0
    while start < len(items):
        end = start + 1
        while end < len(items) and items[end][0] > margin:
            end += 1
        below = items[start + 1 : end]
        inner = [_make_list(below, hues)] if below else []
        entries.append(element("li", *inline(items[start][1], hues), *inner))
        start = end
    return element("ul", *entries)
