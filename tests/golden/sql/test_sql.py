"""What `ser check` prints about the examples in SQL."""

from pathlib import Path

import pytest

from testkit.running.golden_commands import assert_golden
from testkit.samples import deep_cases

FOLDER = Path(__file__).parent
EXAMPLES = FOLDER.parents[2] / "examples" / "sql"


@deep_cases("job_queue")
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_commands_print_what_is_expected(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_golden(path, EXAMPLES, monkeypatch)
