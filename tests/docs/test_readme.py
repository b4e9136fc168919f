"""The commands on the first pages print what they show."""

import re
from pathlib import Path

import grimp
import pytest

from testkit.running.golden_commands import transcript
from testkit.running.markdown_blocks import blocks, commands, pattern

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


def lines_of(modules: set[str]) -> int:
    paths = [CHECKOUT / "src" / Path(*module.split(".")) for module in modules]
    files = [path / "__init__.py" if path.is_dir() else path.with_suffix(".py") for path in paths]
    return sum(len(file.read_text("utf-8").splitlines()) for file in files)


def test_what_one_trusts_is_as_large_as_the_page_says() -> None:
    """The checker, and what it imports from other rooms, within a tenth."""
    graph = grimp.build_graph("seriatim")
    checker = {"seriatim.checking"} | graph.find_descendants("seriatim.checking")
    shared = set().union(*map(graph.find_upstream_modules, checker)) - checker
    text = (CHECKOUT / "README.md").read_text("utf-8")
    found = re.findall(r"([0-9]+),([0-9]{3}) lines\)", text)
    said = [int(thousands + rest) for thousands, rest in found]
    assert said == [
        pytest.approx(lines_of(checker), rel=0.1),
        pytest.approx(lines_of(shared), rel=0.1),
    ]
