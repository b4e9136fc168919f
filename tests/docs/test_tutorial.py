"""The tutorial is true: its programs and commands, in the order of the page, print what it shows."""

import re
from pathlib import Path

import pytest

from golden_commands import transcript
from markdown_blocks import blocks, commands, pattern

CHECKOUT = Path(__file__).parents[2]
PAGE = CHECKOUT / "docs" / "tutorial.md"

_FILE_NAME = re.compile(r"`([\w.]+\.ser)`:$")
_TRANSCRIPT = re.compile(r"[^\n]*\n(?P<output>.*)\[exit code (?P<exit_code>\d+)\]\n", re.DOTALL)


def test_every_command_prints_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(CHECKOUT / "examples")
    exit_code = ""
    for block in blocks(PAGE):
        if block.language == "ser":
            name = _FILE_NAME.search(block.lead)
            assert name, f"line {block.line}: the page does not say how to save this program"
            Path(name[1]).write_text(block.text, "utf-8")
            continue
        assert block.language == "console", f"line {block.line}: neither a program nor a command"
        for command, expected in commands(block):
            if command == "echo $?":
                output = f"{exit_code}\n"
            else:
                result = _TRANSCRIPT.fullmatch(transcript(command))
                assert result
                output, exit_code = result["output"], result["exit_code"]
            assert re.fullmatch(pattern(expected), output), f"line {block.line}: {command} prints\n{output}"
