"""`ser certificate export`: written, refused, nothing to write, undecided."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.checking.verify import GaveUp
from seriatim.cli import certificate
from seriatim.cli.main import main
from seriatim.export.smt_lib import export

LOCKED = "request flip { while (L == 1) { yield }; L := 1; x := X; yield; X := 1 - x; L := 0; x }\n"
RACING = "request flip { x := X; yield; X := 1 - x; x }\n"


def ser(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def exported(*options: str, name: str = "locked", program: str | None = None) -> Result:
    program = program or f"{name}.ser"
    return ser("certificate", "export", f"{name}.cert.json", program, "--to", "smt2", *options)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with two programs and their certificates."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("locked", LOCKED), ("racing", RACING)):
        (tmp_path / f"{name}.ser").write_text(text)
        assert ser("check", f"{name}.ser", "--certificate", f"{name}.cert.json").exit_code in (0, 1)
    return tmp_path


def test_the_script_goes_to_standard_output_or_to_a_file(folder: Path) -> None:
    result = exported()
    assert result.exit_code == 0
    assert "(check-sat)" in result.stdout
    quiet = exported("-o", "locked.smt2")
    assert (quiet.exit_code, quiet.output) == (0, "")
    assert (folder / "locked.smt2").read_text() == result.stdout


def test_the_same_certificate_gives_the_same_script() -> None:
    assert exported().stdout == exported().stdout


def test_a_run_contains_no_invariant() -> None:
    result = exported(name="racing")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "SER407" in result.stderr


def test_a_certificate_of_another_program_is_refused() -> None:
    result = exported(program="racing.ser")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "REFUSED" in result.stderr


def test_bad_files_are_named() -> None:
    assert "SER201" in exported(program="missing.ser").stderr
    assert "SER207" in exported("-o", "missing/x.smt2").stderr
    assert exported("-o", "missing/x.smt2").exit_code == 2
    assert exported(program="missing.ser").exit_code == 2


def test_too_many_states_are_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "MAX_STATES", 2)
    result = exported()
    assert (result.exit_code, result.stdout) == (3, "")
    assert "UNDECIDED: more than 2 states" in result.stderr


def test_what_our_solver_does_not_find_out_others_may_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise GaveUp("z3 gave up")

    monkeypatch.setattr(certificate, "verify", give_up)
    assert exported().exit_code == 0
