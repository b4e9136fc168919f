"""The examples for the rows of the paper's Table 4: each has the verdict and the features of its row."""

import re
from pathlib import Path

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.program.inputs import Input
from seriatim.reproduction.measure import FEATURES, features
from seriatim.result import Holds, Violated
from seriatim.source import SourceText

CHECKOUT = Path(__file__).parents[2]
FOLDER = CHECKOUT / "examples" / "paper"
ROWS = [line.split("\t") for line in (FOLDER / "expected.tsv").read_text("utf-8").splitlines()[1:]]
NAMES = [name for name, _ in ROWS]

_TABLE_4 = re.compile(r"^\| ([a-g]\d) \| (?:✓|✗|open) \|(.*)$", re.MULTILINE)
"""A row: its name, its verdict, then a cell for each feature, then times."""


def content_of(name: str) -> Input:
    return read_input(SourceText(name, (FOLDER / name).read_text("utf-8")))


def features_in_the_paper() -> dict[str, list[str]]:
    """Of each row, by its name, as the page on the paper shows them."""
    page = (CHECKOUT / "docs" / "paper.md").read_text("utf-8")
    return {
        row: [feature for feature, mark in zip(FEATURES, cells.split("|"), strict=False) if "✓" in mark]
        for row, cells in _TABLE_4.findall(page)
    }


@pytest.mark.parametrize(("name", "serializable"), ROWS, ids=NAMES)
def test_the_verdict_is_the_expected_one(name: str, serializable: str) -> None:
    expected = {"yes": Holds, "no": Violated}[serializable]
    assert isinstance(decide(content_of(name), Options()).answer, expected)


def test_there_is_one_input_for_each_row_with_the_features_of_the_row() -> None:
    ours = {name.partition("_")[0]: features(content_of(name)) for name in NAMES}
    assert len(NAMES) == len(ours) == 47
    assert ours == features_in_the_paper()


def test_every_input_has_an_expected_verdict() -> None:
    inputs = {path.name for path in FOLDER.iterdir() if path.suffix in (".ser", ".json")}
    assert inputs == set(NAMES)


def test_the_page_of_examples_lists_all_of_them_with_their_verdicts() -> None:
    page = (CHECKOUT / "examples" / "README.md").read_text("utf-8")
    listed = re.findall(r"([✓✗]) \[(\w+)\]\(paper/(\w+)(\.\w+)\)", page)
    assert [(shown, name + suffix) for _, shown, name, suffix in listed] == [
        (name.partition(".")[0], name) for name in NAMES
    ]
    assert [mark for mark, *_ in listed] == [{"yes": "✓", "no": "✗"}[verdict] for _, verdict in ROWS]


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".ser")])
def test_the_header_of_a_program_states_its_verdict(name: str) -> None:
    header = (FOLDER / name).read_text("utf-8").partition("\n\n")[0].splitlines()
    paragraphs = "\n".join(line.removeprefix("//").strip() for line in header).split("\n\n")
    expected = {"yes": "Serializable", "no": "Not serializable"}[dict(ROWS)[name]]
    assert paragraphs[-1].startswith(expected)
