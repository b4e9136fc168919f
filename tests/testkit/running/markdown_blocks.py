"""The fenced blocks of a Markdown page, and the commands in them."""

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LEFT_OUT = "…"


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


def commands(block: Block) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that follow it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def pattern(lines: list[str]) -> str:
    """A regular expression for an output of which some lines are left out."""
    return "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == _LEFT_OUT else re.escape(line) + r"\n" for line in lines
    )
