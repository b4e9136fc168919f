"""Explains an error code, from the page of all codes that the package ships."""

import re
from importlib import resources

_HEADING = re.compile(r"^## (SER\d{3}): .*$", re.MULTILINE)


def explain(code: str) -> str | None:
    """The section of a code, as Markdown; None if there is no such code."""
    return _sections().get(code.upper())


def explained_codes() -> tuple[str, ...]:
    """All codes that have a section, in the order of the page."""
    return tuple(_sections())


def _sections() -> dict[str, str]:
    page = resources.files("seriatim.report").joinpath("errors.md").read_text(encoding="utf-8")
    headings = list(_HEADING.finditer(page))
    ends = [following.start() for following in headings[1:]] + [len(page)]
    return {
        heading.group(1): page[heading.start() : end].rstrip() + "\n"
        for heading, end in zip(headings, ends, strict=True)
    }
