"""The examples of services: what `ser check` says of each, word by word, replayed on their own code."""

from pathlib import Path

import pytest

from testkit.running.golden_commands import assert_golden
from testkit.samples import sampled

FOLDER = Path(__file__).parent
EXAMPLES = FOLDER.parents[2] / "examples" / "services"


@pytest.mark.parametrize("path", sampled(sorted(FOLDER.glob("*.txt")), 2), ids=lambda path: path.stem)
def test_the_first_line_prints_the_others(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_golden(path, EXAMPLES, monkeypatch)
