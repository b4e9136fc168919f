"""The examples, beside what `ser check` says about them."""

import re
from pathlib import Path

import pytest

from testkit.running.golden_commands import assert_golden
from testkit.samples import deep_cases, sampled

EXAMPLES = Path(__file__).parents[3] / "examples"
FOLDER = Path(__file__).parent
GOLDEN = sorted(FOLDER.glob("*.txt"))


@deep_cases("fix_lost_update", "fix_ticket_lock")
@pytest.mark.parametrize("path", sampled(GOLDEN, 2), ids=lambda path: path.stem)
def test_examples_are_decided_as_expected(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_golden(path, EXAMPLES, monkeypatch)


def test_every_example_has_a_golden_file() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.ser")} <= {path.stem for path in GOLDEN}


def test_the_page_of_examples_lists_all_of_them_with_their_verdicts() -> None:
    page = (EXAMPLES / "README.md").read_text("utf-8")
    listed = {name: mark == "✓" for mark, name in re.findall(r"([✓✗]) \[\w+\]\((\w+)\.ser\)", page)}
    decided = {
        path.stem: (FOLDER / f"{path.stem}.txt").read_text("utf-8").endswith("[exit code 0]\n")
        for path in EXAMPLES.glob("*.ser")
    }
    assert listed == decided
