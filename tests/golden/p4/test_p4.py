"""What `ser check` prints about the packet programs of the examples, word by word."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from testkit.running.golden_commands import assert_golden
from testkit.samples import deep, deep_cases, sampled

FOLDER = Path(__file__).parent
EXAMPLES = FOLDER.parents[2] / "examples" / "p4"


@deep_cases("cache", "cache_run", "rate_limiter")
@pytest.mark.parametrize("path", sampled(sorted(FOLDER.glob("*.txt")), 3), ids=lambda path: path.stem)
def test_commands_print_what_is_expected(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_golden(path, EXAMPLES, monkeypatch)


@deep
def test_a_firewall_with_two_cells_in_both_rows_is_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last question is one that z3 answers only afresh. The limit is for busy machines."""
    text = (EXAMPLES / "firewall.p4").read_text("utf-8")
    (tmp_path / "firewall.p4").write_text(text.replace("row_2 cells 1", "row_2 cells 2"), "utf-8")
    command = ["check", "--json", "--no-cache", "--timeout", "600", "--p4-model", "spec", "firewall.p4"]
    monkeypatch.chdir(tmp_path)
    found = json.loads(CliRunner().invoke(main, command).stdout)
    assert (found["verdict"], found["method"]) == ("serializable", "state-equation")
