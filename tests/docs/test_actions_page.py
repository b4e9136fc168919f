"""The page about asynchronous programs is true: its programs are accepted and formatted."""

from pathlib import Path

import pytest

from markdown_blocks import Block, blocks
from seriatim.frontends.actions.formatting import format_actions
from seriatim.source import SourceText

PAGE = Path(__file__).parents[2] / "docs" / "actions.md"


@pytest.mark.parametrize("block", blocks(PAGE), ids=lambda block: f"line {block.line}")
def test_programs_are_accepted_and_formatted(block: Block) -> None:
    assert format_actions(SourceText("page.actions", block.text)) == block.text
