"""The page on properties is true: its commands and its Python print what it shows."""

from contextlib import redirect_stdout
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest

from seriatim.frontends.ser.specification import read_specification
from seriatim.program.specification import SpecificationAutomaton
from seriatim.source import SourceText
from testkit.running.console_pages import CHECKOUT, assert_console_is_true
from testkit.running.markdown_blocks import blocks

PAGE = CHECKOUT / "docs" / "properties.md"


def test_every_command_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_console_is_true(PAGE, tmp_path, monkeypatch)


def test_python_prints_what_stands_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    for block, below in pairwise(blocks(PAGE)):
        if block.language == "python":
            printed = StringIO()
            with redirect_stdout(printed):
                exec(block.text, {})
            assert (below.language, below.text) == ("text", printed.getvalue())


def test_the_specification_of_the_page_is_one() -> None:
    (text,) = (block.text for block in blocks(PAGE) if block.text.startswith("spec"))
    found = read_specification(SourceText("page", text)).meaning
    assert isinstance(found, SpecificationAutomaton)
    assert len(found.steps) == 6
