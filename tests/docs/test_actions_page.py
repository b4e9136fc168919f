"""The page about asynchronous programs is true: its programs are accepted and formatted."""

import re
from pathlib import Path

import pytest

from seriatim.actions.words import KEYWORDS
from seriatim.frontends.actions.formatting import format_actions
from seriatim.source import SourceText
from testkit.running.markdown_blocks import Block, blocks

PAGE = Path(__file__).parents[2] / "docs" / "actions.md"


@pytest.mark.parametrize("block", blocks(PAGE), ids=lambda block: f"line {block.line}")
def test_programs_are_accepted_and_formatted(block: Block) -> None:
    assert format_actions(SourceText("page.actions", block.text)) == block.text


def test_the_page_lists_all_reserved_words() -> None:
    text = PAGE.read_text("utf-8")
    _, _, after = text.partition("reserved and cannot be names: ")
    listed, _, _ = after.partition(".\n\n")
    assert set(re.findall(r"`(\w+)`", listed)) == KEYWORDS
