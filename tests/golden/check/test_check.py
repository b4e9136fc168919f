"""The examples, beside what `ser check` says about them."""

from pathlib import Path

import pytest

from golden_commands import assert_golden

EXAMPLES = Path(__file__).parents[3] / "examples"
GOLDEN = sorted(Path(__file__).parent.glob("*.txt"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_examples_are_decided_as_expected(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_golden(path, EXAMPLES, monkeypatch)


def test_every_example_has_a_golden_file() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.ser")} <= {path.stem for path in GOLDEN}
