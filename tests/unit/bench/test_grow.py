"""How far a family goes: what the script says about a few measured sizes."""

from dataclasses import replace

import pytest

from families import FAMILIES
from grow import main, row
from seriatim.bench.result import Outcome
from testkit.inputs.bench_results import result


def test_a_row_tells_how_much_of_the_time_is_checking_and_why_it_ended() -> None:
    last = replace(result(seconds=2.0), recheck_seconds=1.5, method="commit", peak_bytes=50_000_000)
    failed = result(outcome=Outcome.UNKNOWN, seconds=9.0, reason="the time limit is reached; nothing | found")
    assert row(FAMILIES["locks"], [(2, last)], (3, failed)) == (
        "| locks | 2 | commit | 2.00 | 1.50 | 50 | 3: unknown, 9.0 s (the time limit is reached) |\n"
    )
    assert row(FAMILIES["locks"], [], (2, failed)).startswith("| locks | – |")


def test_a_wrong_verdict_is_loud(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(FAMILIES, "locks", replace(FAMILIES["locks"], is_serializable=False))
    assert main(["--seconds", "5", "locks"]) == 1
    assert "WRONG VERDICT: locks_2.ser: serializable" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["nonsense"], ["--seconds", "0"], ["--seconds", "nan"]])
def test_bad_arguments_are_usage_errors(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "error: argument" in capsys.readouterr().err
