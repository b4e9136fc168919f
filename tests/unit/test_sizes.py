"""Code comes in pieces that fit on a screen, and tests lie where the code lies."""

import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "seriatim"
MOST_LINES = 60

_FUNCTION = re.compile(r"^( *)(?:async )?def (\w+).*\n(?:\1[ )].*\n|\n)*", re.MULTILINE)
"""With all lines that are indented more deeply, and the end of its parameters."""


def lengths(text: str) -> Iterator[tuple[str, int]]:
    """The lines of each function, those of functions inside it included; quicker than a syntax tree."""
    place = 0
    while found := _FUNCTION.search(text, place):
        yield found[2], found[0].rstrip().count("\n") + 1
        place = text.index("\n", found.start())


def test_functions_are_measured_with_what_is_inside() -> None:
    text = (
        "def a(\n    x: int,\n) -> int:\n    def b() -> int:\n        return x\n\n    return b()\n\n\nc = 1\n"
    )
    assert list(lengths(text)) == [("a", 7), ("b", 2)]


def test_no_function_has_more_than_sixty_lines() -> None:
    too_long = [
        f"{path.relative_to(PACKAGE)}: {name}, {lines} lines"
        for path in PACKAGE.rglob("*.py")
        for name, lines in lengths(path.read_text("utf-8"))
        if lines > MOST_LINES
    ]
    assert too_long == []


def test_folders_of_unit_tests_are_folders_of_the_package() -> None:
    here = Path(__file__).parent
    folders = {path.parent.relative_to(here) for path in here.rglob("test_*.py")}
    assert [folder for folder in folders if not (PACKAGE / folder).is_dir()] == []
