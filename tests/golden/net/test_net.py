"""`ser net`, `ser export` and the steps of the paper's method print exactly what the files here hold."""

from pathlib import Path

import pytest

from testkit.running.golden_commands import assert_golden

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("expected", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_the_first_line_prints_the_others(expected: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_golden(expected, FOLDER / "inputs", monkeypatch)
