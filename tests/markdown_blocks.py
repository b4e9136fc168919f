"""The fenced blocks of a Markdown page."""

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    language: str
    text: str
    line: int
    """Of its first fence."""
    lead: str
    """The last line of text before it."""


def blocks(page: Path) -> list[Block]:
    """All fenced blocks, in order; each has to say its language."""
    text = page.read_text("utf-8")
    found = [
        Block(match[1], match[2], text.count("\n", 0, match.start()) + 1, _lead(text[: match.start()]))
        for match in _BLOCK.finditer(text)
    ]
    assert text.count("\n```") == 2 * len(found), f"{page.name}: a block without a language, or not closed"
    return found


def _lead(before: str) -> str:
    return before.rstrip().rpartition("\n")[2]
