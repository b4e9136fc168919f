"""The page on the paper's method is true: its commands print what it shows."""

from pathlib import Path

import pytest

from testkit.running.console_pages import CHECKOUT, assert_console_is_true
from testkit.samples import deep


@deep
def test_every_command_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_console_is_true(CHECKOUT / "docs" / "paper.md", tmp_path, monkeypatch)
    assert (tmp_path / "steps" / "spin_lock" / "steps.json").exists()
