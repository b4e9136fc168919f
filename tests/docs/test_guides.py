"""The guides are true: their programs and commands print what the pages show."""

from pathlib import Path

import pytest

from testkit.running.console_pages import CHECKOUT, assert_console_is_true
from testkit.running.markdown_blocks import blocks
from testkit.samples import deep, deep_cases

PAGES = sorted((CHECKOUT / "docs" / "guides").glob("*.md"))
LANGUAGES = {"ser", "conc", "c", "console", "py", "text", "p4", "sql", "xml"}
"""`py` is a service, which is checked, like SQL and P4 that is saved."""

SLOW = {"asyncio", "protocols", "threads"}
"""Pages whose commands take seconds."""


@deep_cases("pthreads")
@pytest.mark.parametrize(
    "page", [pytest.param(page, id=page.stem, marks=[deep] * (page.stem in SLOW)) for page in PAGES]
)
def test_every_command_prints_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {block.language for block in blocks(page)} <= LANGUAGES
    assert_console_is_true(page, tmp_path, monkeypatch)
