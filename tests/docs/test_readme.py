"""The commands on the first pages print what they show."""

import re
from pathlib import Path

import pytest

from golden_commands import transcript
from markdown_blocks import blocks, commands, pattern

CHECKOUT = Path(__file__).parents[2]

first_pages = pytest.mark.parametrize("page", ["README.md", "docs/index.md"])


@first_pages
def test_every_command_prints_what_the_page_shows(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)
    shown = [block for block in blocks(CHECKOUT / page) if block.language == "console"]
    assert shown
    for block in shown:
        for command, expected in commands(block):
            output = transcript(command).partition("\n")[2]
            assert re.fullmatch(pattern(expected) + r"\[exit code \d\]\n", output), output


@first_pages
def test_the_program_on_the_page_is_the_example(page: str) -> None:
    (program,) = [block for block in blocks(CHECKOUT / page) if block.language == "ser"]
    assert program.text in (CHECKOUT / "examples" / "lost_update.ser").read_text("utf-8")
