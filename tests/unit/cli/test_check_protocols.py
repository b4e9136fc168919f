"""`ser check` reads protocols: a verdict, its certificate, folders, and questions about other programs."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from seriatim.cli.main import main

PROVED = """\
x: int

action main():
    async put()

action put():
    x := 1

sequential:
    order put
"""
FAILING = """\
x: int

action main():
    async first()
    async second()

action first():
    x := 1

action second():
    assert x == 1

sequential:
    order first, second
"""


def ser(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_a_proof_is_saved_and_verified(tmp_path: Path) -> None:
    program, proof = tmp_path / "p.actions", tmp_path / "p.cert.json"
    program.write_text(PROVED)
    found = ser("check", str(program), "--json", "--certificate", str(proof))
    assert found.exit_code == 0, found.output
    told = json.loads(found.output)
    assert (told["verdict"], told["property"]) == ("sequential", "sequential")
    assert ser("verify", str(proof), str(program)).exit_code == 0


def test_a_failing_run_is_shown(tmp_path: Path) -> None:
    program = tmp_path / "p.actions"
    program.write_text(FAILING)
    found = ser("check", str(program))
    assert found.exit_code in (1, 3), found.output
    assert "second" in found.output


def test_other_questions_are_refused(tmp_path: Path) -> None:
    program = tmp_path / "p.actions"
    program.write_text(FAILING)
    found = ser("check", str(program), "--property", "safe")
    assert found.exit_code == 2
    assert "`safe` is not a question about protocols" in found.stderr


def test_folders_are_searched_for_protocols(tmp_path: Path) -> None:
    (tmp_path / "p.actions").write_text(PROVED)
    found = ser("check", str(tmp_path), "--quiet")
    assert found.exit_code == 0, found.output
    assert "sequential" in found.output
