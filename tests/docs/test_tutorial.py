"""The tutorial is true: its programs and commands, in the order of the page, print what it shows."""

from pathlib import Path

import pytest

from testkit.running.console_pages import CHECKOUT, assert_console_is_true
from testkit.running.markdown_blocks import blocks

PAGE = CHECKOUT / "docs" / "tutorial.md"


def test_every_command_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {block.language for block in blocks(PAGE)} == {"ser", "console"}
    assert_console_is_true(PAGE, tmp_path, monkeypatch)
