"""`ser replay`: keys, and what they show."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli import replay
from seriatim.cli.main import main

RACING = "request flip { x := N; yield; N := 1 - x; x }\n"


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("racing.ser").write_text(RACING)
    CliRunner().invoke(main, ["check", "racing.ser", "--certificate", "racing.cert.json"])
    monkeypatch.setattr(replay, "is_interactive", lambda: True)


def titles(keys: str) -> list[str]:
    """The steps that are shown if these keys are pressed, the last of which ends it."""
    result = CliRunner().invoke(main, ["replay", "racing.cert.json", "racing.ser"], input=keys)
    assert result.exit_code == 0, result.output
    return [line.partition(":")[0] for line in result.stdout.splitlines() if line.startswith("step")]


@pytest.mark.usefixtures("saved")
def test_keys_lead_forwards_and_backwards() -> None:
    assert titles("nnbq") == ["step 0 of 4", "step 1 of 4", "step 2 of 4", "step 1 of 4"]


@pytest.mark.usefixtures("saved")
def test_nothing_is_beyond_the_ends() -> None:
    assert titles("bGngq") == ["step 0 of 4", "step 0 of 4", "step 4 of 4", "step 4 of 4", "step 0 of 4"]


@pytest.mark.usefixtures("saved")
def test_keys_without_a_meaning_change_nothing() -> None:
    assert titles("xq") == ["step 0 of 4", "step 0 of 4"]


@pytest.mark.parametrize(("key", "step"), [("\x1b[C", 3), ("\x1b[D", 1), ("\x1b[H", 0), ("\x1b[F", 5)])
def test_arrows_are_keys(key: str, step: int) -> None:
    assert replay.after_key(key, 2, 5) == step


@pytest.mark.usefixtures("saved")
def test_a_changed_program_is_refused_and_a_changed_layout_is_not() -> None:
    Path("racing.ser").write_text(RACING.replace("; ", ";\n    "))
    assert titles("q") == ["step 0 of 4"]
    Path("racing.ser").write_text(RACING.replace("1 - x", "2 - x"))
    result = CliRunner().invoke(main, ["replay", "racing.cert.json", "racing.ser"])
    assert result.exit_code == 2
    assert "SER412" in result.stderr


@pytest.mark.usefixtures("saved")
def test_limits_can_be_raised() -> None:
    Path("racing.ser").write_text("request flip { x := N; yield; N := x + 900 * 900 * 900; x }\n")
    options = ["--max-value", "9999999999"]
    CliRunner().invoke(main, ["check", "racing.ser", "--certificate", "racing.cert.json", *options])
    result = CliRunner().invoke(main, ["replay", "racing.cert.json", "racing.ser"], input="q")
    assert (result.exit_code, "SER302" in result.stderr) == (3, True)
    result = CliRunner().invoke(main, ["replay", "racing.cert.json", "racing.ser", *options], input="q")
    assert result.exit_code == 0


def test_a_run_that_fails_is_told_to_its_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fails.ser").write_text("N := 0\nrequest add { N := N + 1; yield; assert N < 3; N := N - 1 }\n")
    CliRunner().invoke(main, ["check", "fails.ser", "--property", "safe", "--certificate", "fails.cert.json"])
    result = CliRunner().invoke(main, ["replay", "fails.cert.json", "fails.ser"])
    assert result.exit_code == 0, result.output
    last = result.stdout.rpartition("step ")[2]
    assert last.startswith("4 of 4: request ")
    assert "assert N < 3" in last
    assert "fails" in last
    assert ": failed in line 2" in last
