"""`ser sequentialize` and `ser movers` on the protocols among the examples, beside what they print."""

from pathlib import Path

import pytest

from testkit.running.golden_commands import assert_golden
from testkit.samples import deep_cases, sampled

FOLDER = Path(__file__).parent
PROTOCOLS = FOLDER.parents[2] / "examples" / "protocols"


@deep_cases("broadcast")
@pytest.mark.parametrize("path", sampled(sorted(FOLDER.glob("*.txt")), 3), ids=lambda path: path.stem)
def test_commands_print_what_is_expected(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_golden(path, PROTOCOLS, monkeypatch)


def test_every_protocol_has_a_golden_file() -> None:
    commands = [path.read_text("utf-8").partition("\n")[0] for path in FOLDER.glob("*.txt")]
    for path in PROTOCOLS.glob("*.actions"):
        assert any(path.name in command for command in commands), path.name
