"""Commands, beside what they print."""

from pathlib import Path

import pytest

from testkit.running.golden_commands import assert_golden

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_commands_print_what_is_expected(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_golden(path, FOLDER / "inputs", monkeypatch)
