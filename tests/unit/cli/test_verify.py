"""`ser verify`: valid, refused, bad, undecided."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.budget import OutOfMemory, OutOfTime
from seriatim.checking.verify import GaveUp
from seriatim.cli import verify
from seriatim.cli.main import main

RACING = "request flip { x := N; yield; N := 1 - x; x }\n"
OTHER = "request flip { x := N; yield; N := x; x }\n"


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
    *obligations, conclusion = result.stdout.splitlines()
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
    assert "this is no certificate, but racing.cert.json is one" in result.output
    assert "ser verify racing.cert.json racing.ser" in result.output


@pytest.mark.usefixtures("folder")
def test_standard_input_is_not_read_to_find_out_whether_it_is_a_certificate() -> None:
    certificate = Path("racing.cert.json").read_text("utf-8")
    result = CliRunner().invoke(main, ["verify", "racing.ser", "-"], input=certificate)
    assert "SER401" in result.stderr


@pytest.mark.usefixtures("folder")
def test_explain_adds_a_detail_to_each_obligation() -> None:
    brief = ser("verify", "racing.cert.json", "racing.ser").stdout.splitlines()
    full = ser("verify", "racing.cert.json", "racing.ser", "--explain").stdout.splitlines()
    assert len(full) >= 2 * len(brief) - 1
    assert set(brief) <= set(full)


@pytest.mark.usefixtures("folder")
def test_json_lists_the_obligations() -> None:
    result = json.loads(ser("verify", "racing.cert.json", "racing.ser", "--json").stdout)
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
    described = json.loads(ser("verify", *files, "--json").stdout)
    assert described["result"] == "error"
    assert described["diagnostics"][0]["file"] == culprit


@pytest.mark.parametrize("stop", [GaveUp("too many states"), OutOfTime(), OutOfMemory()])
@pytest.mark.usefixtures("folder")
def test_checker_that_gives_up_says_neither(stop: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr(verify, "verify", give_up)
    result = ser("verify", "racing.cert.json", "racing.ser")
    assert result.exit_code == 3
    assert "UNDECIDED" in result.stdout
    described = json.loads(ser("verify", "racing.cert.json", "racing.ser", "--json").stdout)
    assert described["result"] == "unknown"
