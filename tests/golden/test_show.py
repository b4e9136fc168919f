"""`ser show` prints exactly what the files beside the inputs hold, after a first line with the command."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main

FOLDER = Path(__file__).parent / "show"


@pytest.mark.parametrize("expected", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_the_first_line_prints_the_others(expected: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    command, output = expected.read_text("utf-8").split("\n", maxsplit=1)
    program, *arguments = shlex.split(command)
    assert program == "ser"
    result = CliRunner().invoke(main, arguments)
    assert (result.stdout, result.exit_code) == (output, 0)
