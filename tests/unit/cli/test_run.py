"""`ser run`: reproducible, and about the requests that were asked for."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main

PROGRAM = "request put { X := 1; yield; X }\nrequest get { x := X; yield; x }\n"


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.ser"
    path.write_text(PROGRAM)
    return str(path)


def ser(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def run(*arguments: str) -> dict[str, Any]:
    result = ser("run", *arguments, "--json")
    assert result.exit_code == 0, result.output
    described: dict[str, Any] = json.loads(result.stdout)
    return described


def test_same_seed_same_run_other_seed_other_run(program: str) -> None:
    traces = [json.dumps(run(program, "--requests", "4", "--seed", str(seed))) for seed in range(10)]
    assert traces[3] == json.dumps(run(program, "--requests", "4", "--seed", "3"))
    assert len({trace.partition('"serial"')[2] for trace in traces}) > 1


def test_seed_that_was_drawn_reproduces_the_run(program: str) -> None:
    first = ser("run", program).stdout
    drawn = re.search(r"--seed=(\d+) to reproduce", first)
    assert drawn is not None
    again = ser("run", program, "--seed", drawn.group(1)).stdout
    assert first.startswith(again)


def test_requests_by_name_and_number(program: str) -> None:
    described = run(program, "-r", "put=2", "-r", "get", "--seed", "1")
    names = sorted({(turn["request"], turn["handler"]) for turn in described["trace"]})
    assert sorted(name for _, name in names) == ["get", "put", "put"]


def test_serial_run_has_no_switch(program: str) -> None:
    described = run(program, "--requests", "6", "--serial", "--seed", "5")
    assert described["switches"] == 0
    requests = [turn["request"] for turn in described["trace"]]
    assert requests == sorted(requests)


@pytest.mark.parametrize("wish", ["nobody", "put=", "put=x", "=2", "0", "put=0", "1001", "-1", "9" * 50])
def test_impossible_wishes_are_usage_errors(wish: str, program: str) -> None:
    assert ser("run", program, f"--requests={wish}").exit_code == 2


def test_the_help_shows_the_default_as_it_is_written() -> None:
    assert "[default: 3]" in ser("run", "--help").stdout


def test_bad_input_is_described(tmp_path: Path) -> None:
    assert ser("run", str(tmp_path / "missing.ser")).exit_code == 2
    described = json.loads(ser("run", str(tmp_path / "missing.ser"), "--json").stdout)
    assert described["diagnostics"][0]["code"] == "SER201"
