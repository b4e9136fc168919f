"""Pages of documentation whose commands are run: in the order of the page, they print what it shows."""

import re
from pathlib import Path

import pytest

from testkit.running.golden_commands import transcript
from testkit.running.markdown_blocks import blocks, commands, pattern

CHECKOUT = Path(__file__).parents[3]

_FILE_NAME = re.compile(r"`([\w.]+\.(?:ser|py|sql|p4|spec|net|xml))`:$")
_TRANSCRIPT = re.compile(r"[^\n]*\n(?P<output>.*)\[exit code (?P<exit_code>\d+)\]\n", re.DOTALL)


def assert_console_is_true(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the commands of a page in a folder with the programs of the page, and the examples."""
    monkeypatch.chdir(folder)
    Path("examples").symlink_to(CHECKOUT / "examples")
    exit_code = ""
    for block in blocks(page):
        if block.language in ("ser", "py"):
            name = _FILE_NAME.search(block.lead)
            assert name, f"line {block.line}: the page does not say how to save this program"
            Path(name[1]).write_text(block.text, "utf-8")
        elif block.language in ("sql", "p4", "text", "xml") and (name := _FILE_NAME.search(block.lead)):
            Path(name[1]).write_text(block.text, "utf-8")  # Others are only talked about.
        elif block.language == "console":
            for command, expected in commands(block):
                if command == "echo $?":
                    output = f"{exit_code}\n"
                else:
                    result = _TRANSCRIPT.fullmatch(transcript(command))
                    assert result
                    output, exit_code = result["output"], result["exit_code"]
                assert re.fullmatch(pattern(expected), output), (
                    f"line {block.line}: {command} prints\n{output}"
                )
