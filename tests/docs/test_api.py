"""The page on the Python API is true: its examples, in order, give what it shows."""

import doctest
from pathlib import Path

import seriatim

DOCS = Path(__file__).parents[2] / "docs"


def test_every_example_gives_what_the_page_shows() -> None:
    results = doctest.testfile(str(DOCS / "api.md"), module_relative=False)
    assert results.attempted > 10
    assert results.failed == 0


def test_the_page_mentions_every_public_name() -> None:
    text = (DOCS / "api.md").read_text("utf-8")
    assert {name for name in seriatim.__all__ if name not in text} == {"__version__"}
