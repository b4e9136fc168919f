"""`ser verify --kernel`: what is printed and how it ends, whatever the kernel says; it need not be there."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main

CONFLICTS = "conflict-serializable"
"""A question that the kernel does not cover."""

REFUTED = "~ serializable (program_ns p)"
"""What the kernel says of the program below."""

RACING = "request flip { x := X; yield; X := 1 - x; x }\n"


def ser(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def verified(*options: str) -> Result:
    return ser("verify", "racing.cert.json", "racing.ser", "--kernel", "native", *options)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "racing.ser").write_text(RACING)
    assert ser("check", "racing.ser", "--certificate", "racing.cert.json").exit_code == 1
    return tmp_path


def kernel_that(says: str, code: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the place of the kernel."""
    program = folder / "kernel"
    program.write_text(f"#!{sys.executable}\nimport sys\nprint({says!r})\nsys.exit({code})\n")
    program.chmod(0o755)
    monkeypatch.setenv("SER_KERNEL", str(program))


def test_what_is_proved_is_printed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_that(REFUTED, 0, folder, monkeypatch)
    result = verified()
    assert result.exit_code == 0
    assert "kernel (native): proved: ~ serializable (program_ns p)\n" in result.stdout
    assert "p is the syntax tree of racing.ser; proofs/ defines the rest" in result.stdout


def test_final_values_are_a_part_of_the_statement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_that("~ serializable_seen (program_ns p) (values_of [0])", 0, folder, monkeypatch)
    ser("check", "racing.ser", "--observe", "X", "--certificate", "seen.cert.json")
    result = ser("verify", "seen.cert.json", "racing.ser", "--kernel", "native")
    assert result.exit_code == 0
    assert "proved: ~ serializable_seen (program_ns p) (values_of xs)" in result.stdout
    assert "; xs are the globals X; proofs/ defines the rest" in result.stdout
    assert "(Semantics.v, Program.v, Observe.v, Kernel.v)" in result.stdout


def test_all_observed_globals_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_that("~ serializable_seen (program_ns p) (values_of [0; 1; 2])", 0, folder, monkeypatch)
    (folder / "racing.ser").write_text(f"A[2] := 0\n{RACING}")
    ser("check", "racing.ser", "--observe", "all", "--certificate", "seen.cert.json")
    result = ser("verify", "seen.cert.json", "racing.ser", "--kernel", "native")
    assert "; xs are the globals A[0], A[1], X; proofs/ defines the rest" in result.stdout


def test_the_page_about_network_systems_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_that("~ serializable (system_ns s)", 0, folder, monkeypatch)
    ser("export", "racing.ser", "--to", "json", "--output", "racing.json")
    ser("check", "racing.json", "--certificate", "system.cert.json")
    result = ser("verify", "system.cert.json", "racing.json", "--kernel", "native")
    assert "s is the network system in racing.json; proofs/" in result.stdout
    assert "(Semantics.v, System.v)" in result.stdout


def test_barriers_are_a_part_of_the_statement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_that("~ strictly_serializable 2 (program_ns p)", 0, folder, monkeypatch)
    ser("check", "racing.ser", "--property", "strict", "--barriers", "2", "--certificate", "timed.cert.json")
    result = ser("verify", "timed.cert.json", "racing.ser", "--kernel", "native")
    assert result.exit_code == 0
    assert "proved: ~ strictly_serializable 2 (program_ns p)" in result.stdout
    assert "(Semantics.v, Program.v, Time.v)" in result.stdout


def test_the_json_has_the_statement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_that(REFUTED, 0, folder, monkeypatch)
    printed = json.loads(verified("--json").stdout)
    assert printed["result"] == "valid"
    assert printed["kernel"]["result"] == "proved"
    assert printed["kernel"]["statement"] == "~ serializable (program_ns p)"


@pytest.mark.parametrize(
    ("says", "code"),
    [
        ("refused", 1),
        ("no claim", 2),
        ("serializable (program_ns p)", 0),
        ("~ strictly_serializable 1 (program_ns p)", 0),
    ],
)
def test_a_kernel_that_disagrees_is_an_error(
    says: str, code: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel_that(says, code, folder, monkeypatch)
    result = verified()
    assert result.exit_code == 3
    assert "SER602" in result.stderr


def test_a_kernel_that_crashes_has_no_answer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_that("", 7, folder, monkeypatch)
    result = verified()
    assert result.exit_code == 3
    assert "UNDECIDED: the kernel ended with 7" in result.stdout


def test_a_kernel_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SER_KERNEL", "nowhere/ser-kernel")
    result = verified()
    assert result.exit_code == 2
    assert "SER408" in result.stderr
    assert "make proofs" in result.stderr


@pytest.mark.parametrize(("mode", "why"), [(0o644, "Permission denied"), (0o755, "Exec format error")])
def test_a_kernel_that_cannot_be_run_is_named(
    mode: int, why: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = folder / "kernel"
    program.write_bytes(b"\x7fELF of another machine")
    program.chmod(mode)
    monkeypatch.setenv("SER_KERNEL", str(program))
    result = verified()
    assert result.exit_code == 2
    assert "SER408" in result.stderr
    assert f"kernel` cannot be run: {why}" in result.stderr


def test_what_is_not_covered_says_so() -> None:
    ser("check", "racing.ser", "--property", CONFLICTS, "--certificate", "conflicts.cert.json")
    result = ser("verify", "conflicts.cert.json", "racing.ser", "--kernel", "native")
    assert result.exit_code == 3
    assert f"not covered by the kernel: the question `{CONFLICTS}`" in result.stdout


def test_a_certificate_that_the_checker_refuses_is_not_given_to_the_kernel(folder: Path) -> None:
    (folder / "other.ser").write_text("request other { 1 }\n")
    result = ser("verify", "racing.cert.json", "other.ser", "--kernel", "native")
    assert result.exit_code == 1
    assert "kernel" not in result.stdout


def test_claims_are_exported_for_both_kernels() -> None:
    numbers = ser("certificate", "export", "racing.cert.json", "racing.ser", "--to", "kernel")
    assert numbers.exit_code == 0
    assert numbers.stdout.split()[:2] == ["2", "1"]
    file = ser("certificate", "export", "racing.cert.json", "racing.ser", "--to", "rocq")
    assert "Theorem verdict : ~ serializable (program_ns p)." in file.stdout


def test_what_is_not_covered_is_not_exported() -> None:
    ser("check", "racing.ser", "--property", CONFLICTS, "--certificate", "conflicts.cert.json")
    result = ser("certificate", "export", "conflicts.cert.json", "racing.ser", "--to", "kernel")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "not covered by the kernel" in result.stderr


def test_it_says_which_form_of_a_program_was_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_that(REFUTED, 0, folder, monkeypatch)
    (folder / "racing.ser").write_text("request flip(v: int) { x := X; yield; X := 1 - x; x }\n")
    assert ser("check", "racing.ser", "--certificate", "racing.cert.json").exit_code == 1
    assert (
        "p is the syntax tree of racing.ser in the core language, with a few of the integers that arguments"
        " and indices may be; proofs/" in verified().stdout
    )


def test_a_proof_about_a_few_integers_is_none_about_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The core of such a program has handlers for a few arguments."""
    kernel_that("serializable (program_ns p)", 0, folder, monkeypatch)
    (folder / "set.ser").write_text("request set(v: int) { X := v }\n")
    assert ser("check", "set.ser", "--certificate", "set.cert.json").exit_code == 0
    result = ser("verify", "set.cert.json", "set.ser", "--kernel", "native")
    assert result.exit_code == 3
    assert (
        "not covered by the kernel: evidence of the kind `atomic` about arguments that are any integers"
        in (result.stdout)
    )
