"""`ser verify`: valid, refused, bad, undecided."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from seriatim.arithmetic.solvers import named
from seriatim.budget import OutOfMemory, OutOfTime
from seriatim.checking.verify import GaveUp
from seriatim.cli import verify
from seriatim.cli.main import main
from testkit.inputs.counted_inputs import ALWAYS_ONE_LEFT

RACING = "request flip { x := N; yield; N := 1 - x; x }\n"
OTHER = "request flip { x := N; yield; N := x; x }\n"
SCHEMA = Draft202012Validator(
    json.loads(resources.files("seriatim.report").joinpath("verification.schema.json").read_text("utf-8"))
)


def ser(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a program and its certificate, and another program."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "racing.ser").write_text(RACING)
    (tmp_path / "other.ser").write_text(OTHER)
    assert ser("check", "racing.ser", "--certificate", "racing.cert.json").exit_code == 1
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_right_certificate_is_valid() -> None:
    result = ser("verify", "racing.cert.json", "racing.ser")
    assert result.exit_code == 0
    conclusion, *obligations = result.stdout.splitlines()
    assert len(obligations) >= 2
    assert all(line.startswith("✓ ") for line in obligations)
    assert conclusion == "racing.cert.json: valid: racing.ser is not serializable"


@pytest.mark.usefixtures("folder")
def test_certificate_of_another_program_is_refused() -> None:
    result = ser("verify", "racing.cert.json", "other.ser")
    assert result.exit_code == 1
    assert any(line.startswith("✗ ") for line in result.stdout.splitlines())
    assert "REFUSED" in result.stdout


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.usefixtures("folder")
def test_swapped_arguments_are_recognised(options: list[str]) -> None:
    result = ser("verify", "racing.ser", "racing.cert.json", *options)
    assert result.exit_code == 2
    assert "this is not a certificate, but racing.cert.json is one" in result.output
    assert "ser verify racing.cert.json racing.ser" in result.output


@pytest.mark.usefixtures("folder")
def test_standard_input_is_not_read_to_find_out_whether_it_is_a_certificate() -> None:
    certificate = Path("racing.cert.json").read_text("utf-8")
    result = CliRunner().invoke(main, ["verify", "racing.ser", "-"], input=certificate)
    assert "SER240" in result.stderr


@pytest.mark.usefixtures("folder")
def test_explain_adds_a_detail_to_each_obligation() -> None:
    brief = ser("verify", "racing.cert.json", "racing.ser").stdout.splitlines()
    full = ser("verify", "racing.cert.json", "racing.ser", "--explain").stdout.splitlines()
    assert len(full) >= 2 * len(brief) - 1
    assert set(brief) <= set(full)


COUNTED = "request t { if (X == 0) { X := 1; 0 } else { X := 3 - X; 7 } }\n"
"""Proved by counting, if that is asked for."""


@pytest.fixture
def counted(folder: Path) -> Path:
    """A certificate of the kind `linear-cover`, beside one of the kind `tree`."""
    (folder / "counted.ser").write_text(COUNTED)
    saved = ("--method", "state-equation", "--certificate", "counted.cert.json")
    assert ser("check", "counted.ser", *saved).exit_code == 0
    with_proof = json.loads((folder / "counted.cert.json").read_text())
    (folder / "proved.cert.json").write_text(json.dumps(with_proof))
    without = {
        key: value
        for key, value in with_proof.items()
        if key not in ("globals", "waiting", "completions", "tree")
    }
    (folder / "counted.cert.json").write_text(json.dumps(without | {"kind": "linear-cover"}))
    return folder / "counted.cert.json"


def described(*arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON of `ser verify`, which follows its schema."""
    result = ser("verify", *arguments, "--json")
    found = json.loads(result.stdout)
    SCHEMA.validate(found)
    assert isinstance(found, dict)
    return result.exit_code, found


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(("choice", "names"), [("z3", ["z3"]), ("cvc5", ["cvc5"]), ("both", ["z3", "cvc5"])])
def test_the_solver_is_a_choice(choice: str, names: list[str]) -> None:
    exit_code, found = described("counted.cert.json", "counted.ser", "--solver", choice)
    assert (exit_code, found["result"]) == (0, "valid")
    assert found["obligations"][-1]["confirmed_by"] == names


@pytest.mark.usefixtures("counted")
def test_without_a_solver_counting_proves_nothing() -> None:
    assert ser("verify", "counted.cert.json", "counted.ser").exit_code == 0
    result = ser("verify", "counted.cert.json", "counted.ser", "--no-solver")
    assert result.exit_code == 1
    assert "this needs a solver, and none may be used" in result.stdout
    exit_code, found = described("counted.cert.json", "counted.ser", "--no-solver")
    assert (exit_code, found["result"]) == (1, "refused")


@pytest.mark.usefixtures("counted")
def test_a_tree_needs_no_solver() -> None:
    exit_code, found = described("proved.cert.json", "counted.ser", "--no-solver")
    assert (exit_code, found["result"]) == (0, "valid")
    assert not any(obligation["confirmed_by"] for obligation in found["obligations"])
    result = ser("verify", "proved.cert.json", "counted.ser", "--no-solver", "--explain")
    assert "a proof by cases: " in result.stdout


def test_chains_are_told_step_by_step(folder: Path) -> None:
    (folder / "door.ser").write_text(ALWAYS_ONE_LEFT)
    saved = ("--method", "chains", "--certificate", "door.cert.json")
    assert ser("check", "door.ser", *saved).exit_code == 0
    exit_code, found = described("door.cert.json", "door.ser", "--no-solver")
    assert (exit_code, found["result"]) == (0, "valid")
    *_, moves, proof = found["obligations"]
    assert moves["claim"] == "every move that complete runs can make is listed"
    assert proof["claim"] == "however a complete run goes, its outcome is in a cover"
    assert proof["data"][0].startswith("step 0 (`situated`; 3 nodes, 6 edges): ")
    result = ser("verify", "door.cert.json", "door.ser", "--explain")
    conclusion, *_ = result.stdout.splitlines()
    assert "every outcome is in a cover" in " ".join(result.stdout.split())
    assert conclusion == "door.cert.json: valid: door.ser is serializable"


@pytest.mark.usefixtures("folder")
def test_a_run_needs_no_solver() -> None:
    assert ser("verify", "racing.cert.json", "racing.ser", "--no-solver").exit_code == 0


@pytest.mark.usefixtures("counted")
def test_the_report_says_who_gave_up_and_who_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "CVC5_WORK", 1)
    result = ser("verify", "counted.cert.json", "counted.ser", "--solver", "both")
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert "z3 finds no other" in said
    assert "cvc5 gave up" in said
    alone = ser("verify", "counted.cert.json", "counted.ser", "--solver", "cvc5")
    assert alone.exit_code == 3
    assert "UNDECIDED: cvc5 gave up" in alone.stdout
    exit_code, found = described("counted.cert.json", "counted.ser", "--solver", "cvc5")
    assert (exit_code, found["result"]) == (3, "unknown")


@pytest.mark.usefixtures("folder")
def test_a_solver_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "find_spec", lambda _: None)
    result = ser("verify", "racing.cert.json", "racing.ser", "--solver", "cvc5")
    assert result.exit_code == 2
    assert "SER406" in result.stderr
    assert "seriatim[cvc5]" in result.stderr
    assert described("racing.cert.json", "racing.ser", "--solver", "cvc5")[0] == 2


@pytest.mark.usefixtures("folder")
def test_one_cannot_ask_for_a_solver_and_for_none() -> None:
    result = ser("verify", "racing.cert.json", "racing.ser", "--no-solver", "--solver", "z3")
    assert result.exit_code == 2
    assert "exclude each other" in result.stderr


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA.schema)


@pytest.mark.usefixtures("folder")
def test_json_lists_the_obligations() -> None:
    _, result = described("racing.cert.json", "racing.ser")
    assert (result["result"], result["verdict"]) == ("valid", "not_serializable")
    assert all(obligation["holds"] for obligation in result["obligations"])


@pytest.mark.parametrize(
    ("files", "culprit"),
    [
        (["missing.json", "racing.ser"], "missing.json"),
        (["racing.cert.json", "missing.ser"], "missing.ser"),
        (["racing.ser", "racing.ser"], "racing.ser"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_bad_input_is_named(files: list[str], culprit: str) -> None:
    result = ser("verify", *files)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(culprit)
    _, found = described(*files)
    assert found["result"] == "error"
    assert found["diagnostics"][0]["file"] == culprit


@pytest.mark.parametrize("stop", [GaveUp("too many states"), OutOfTime(), OutOfMemory()])
@pytest.mark.usefixtures("folder")
def test_checker_that_gives_up_says_neither(stop: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr(verify, "verify", give_up)
    result = ser("verify", "racing.cert.json", "racing.ser")
    assert result.exit_code == 3
    assert "UNDECIDED" in result.stdout
    assert described("racing.cert.json", "racing.ser")[1]["result"] == "unknown"
