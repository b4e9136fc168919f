"""Golden files of commands: the first line is the command, then follows what it prints and its exit code.

`UPDATE_GOLDEN=1 pytest tests/golden` writes what is printed now; look at the difference before you commit it.
"""

import os
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main

_SECONDS = re.compile(r'"seconds": [0-9.e-]+')
_STAGES = re.compile(r'"stages": \{[^}]*\}')


def transcript(command: str) -> str:
    """The command, its output in the current folder, and its exit code; times are left out."""
    program, *arguments = shlex.split(command)
    assert program == "ser"
    result = CliRunner().invoke(main, arguments, prog_name="ser")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    output = _SECONDS.sub('"seconds": 0', _STAGES.sub('"stages": {…}', result.output))
    return f"{command}\n{output}[exit code {result.exit_code}]\n"


def assert_golden(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the command of a golden file in a folder and compares."""
    monkeypatch.chdir(folder)
    expected = path.read_text("utf-8")
    actual = transcript(expected.partition("\n")[0])
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(actual, "utf-8")
    else:
        assert actual == expected
