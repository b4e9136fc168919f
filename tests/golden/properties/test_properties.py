"""The examples for properties, beside what `ser check` says; and what cannot be asked."""

from pathlib import Path

import pytest

from testkit.running.golden_commands import assert_golden
from testkit.samples import sampled

EXAMPLES = Path(__file__).parents[3] / "examples" / "properties"
FOLDER = Path(__file__).parent


@pytest.mark.parametrize("path", sampled(sorted(FOLDER.glob("*.txt")), 3), ids=lambda path: path.stem)
def test_examples_are_decided_as_expected(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_golden(path, EXAMPLES, monkeypatch)


def test_every_example_is_in_a_golden_file() -> None:
    commands = [path.read_text("utf-8").partition("\n")[0] for path in FOLDER.glob("*.txt")]
    for path in EXAMPLES.iterdir():
        assert any(path.name in command.split() for command in commands), path.name
