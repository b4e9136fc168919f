"""`ser history` from the command line: streams, certificates, bad input."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main
from seriatim.history import frontier

HISTORIES = Path(__file__).parents[3] / "examples" / "histories"
SPIN_LOCK = str(HISTORIES.parent / "spin_lock.ser")


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["history", *arguments], input=text, prog_name="ser")


def lines(name: str) -> list[str]:
    return (HISTORIES / name).read_text("utf-8").splitlines(keepends=True)


def test_a_stream_tells_the_first_inexplicable_answer_and_ends() -> None:
    after = '{"request": "nonsense that nobody reads any more'
    result = run("register", "-", "--format", "edn", text="".join(lines("jepsen_register.edn")))
    assert result.exit_code == 1
    assert "line 11: read → 3" in result.output
    late = '{"request": "write(9)", "answer": "ok", "start": 100, "end": 101}\n' * 2
    result = run("register", "-", "--longest", "5", text="".join([*lines("stale_read.jsonl"), late, after]))
    assert result.exit_code == 1
    assert "line 5: read → 1" in result.output


def test_a_stream_without_a_longest_time_is_decided_as_a_whole() -> None:
    result = run("register", "-", text="".join(lines("stale_read.jsonl")))
    assert result.exit_code == 1
    assert "The smallest set of entries" in result.output
    assert run("register", "-", text="".join(lines("register.jsonl"))).exit_code == 0
    assert run("register", "-", text="").exit_code == 0


def test_a_stream_of_counts_is_certain_only_where_nothing_later_helps() -> None:
    never = run(SPIN_LOCK, "-", text='{"request": "incr", "answer": 7}\n{"request": "incr", "answer": 0}\n')
    assert never.exit_code == 1
    assert "line 1: incr → 7" in never.output
    result = run(SPIN_LOCK, "-", text='{"request": "incr", "answer": 0}\n' * 2)
    assert result.exit_code == 1
    assert "no order gives these answers" in result.output
    assert run(SPIN_LOCK, "-", text='{"request": "incr", "answer": 0}\n').exit_code == 0


def test_a_request_that_takes_too_long_is_told() -> None:
    slow = '{"request": "read", "answer": 1, "start": 0, "end": 200}\n'
    late = '{"request": "write(9)", "answer": "ok", "start": 100, "end": 101}\n' * 2
    result = run(
        "register", "-", "--longest", "5", text=late + late.replace("100", "107").replace("101", "108") + slow
    )
    assert result.exit_code == 2
    assert "line 5" in result.output


@pytest.mark.parametrize("name", ["register.jsonl", "stale_read.jsonl"])
def test_certificates_are_re_checked_and_forgeries_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    log = str(HISTORIES / name)
    run("register", log, "--certificate", str(path))
    result = run("register", log, "--check", str(path))
    assert result.exit_code == 0
    assert "valid" in result.output
    other = "stale_read.jsonl" if name == "register.jsonl" else "register.jsonl"
    assert run("register", str(HISTORIES / other), "--check", str(path)).exit_code == 1
    assert run("register", log, "--initial", "5", "--check", str(path)).exit_code == 1
    text = path.read_text("utf-8")
    path.write_text(text.replace("icable", "icabel"), "utf-8")
    assert run("register", log, "--check", str(path)).exit_code == 2


def test_mixed_logs_are_refused() -> None:
    text = '{"request": "read", "answer": 1}\n{"request": "read", "answer": 1, "start": 0, "end": 1}\n'
    result = run("register", "-", text=text)
    assert result.exit_code == 2
    assert "line 2" in result.output


def test_too_many_requests_at_once_are_undecided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontier, "MAX_WAYS", 50)
    log = tmp_path / "log.jsonl"
    entries = [{"request": f"write({n})", "answer": "ok", "start": 0, "end": 9} for n in range(8)]
    entries.append({"request": "read", "answer": "99", "start": 0, "end": 8})
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    result = run("register", str(log))
    assert result.exit_code == 3
    assert "undecided" in result.output
