"""`ser verify` as a gate: a certificate that shows anything else than expected is refused, however valid."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main

EXAMPLES = Path(__file__).parents[3] / "examples"
RACING = "request flip { x := N; yield; N := 1 - x; x }\n"
ATOMIC = "request flip { x := N; N := 1 - x; x }\n"
ANY = "spec { init s; s -> s: flip/0; s -> s: flip/1; }\n"


def ser(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("racing.ser").write_text(RACING)
    Path("atomic.ser").write_text(ATOMIC)
    ser("check", "racing.ser", "--certificate", "refuted.json")
    ser("check", "atomic.ser", "--certificate", "proved.json")
    ser("check", "atomic.ser", "--property", "strict", "--barriers", "2", "--certificate", "strict.json")
    ser("check", "atomic.ser", "--observe", "all", "--certificate", "observed.json")
    return tmp_path


GATES = (
    ("proved.json", "atomic.ser", (), 0),
    ("proved.json", "atomic.ser", ("--expect", "serializable"), 0),
    ("proved.json", "atomic.ser", ("--property", "serializable"), 0),
    ("proved.json", "atomic.ser", ("--property", "serializable", "--expect", "serializable"), 0),
    ("refuted.json", "racing.ser", (), 0),
    ("refuted.json", "racing.ser", ("--expect", "serializable"), 1),
    ("refuted.json", "racing.ser", ("--expect", "not serializable"), 0),
    ("refuted.json", "racing.ser", ("--expect", "not_serializable"), 0),
    ("proved.json", "atomic.ser", ("--expect", "safe"), 1),
    ("proved.json", "atomic.ser", ("--property", "strict"), 1),
    ("proved.json", "atomic.ser", ("--property", "serializable", "--observe", "all"), 1),
    ("observed.json", "atomic.ser", ("--property", "serializable", "--observe", "all"), 0),
    ("observed.json", "atomic.ser", ("--property", "serializable"), 1),
    ("strict.json", "atomic.ser", ("--expect", "serializable"), 1),
    ("strict.json", "atomic.ser", ("--property", "strict"), 1),
    ("strict.json", "atomic.ser", ("--property", "strict", "--barriers", "2"), 0),
    ("proved.json", "racing.ser", ("--expect", "serializable"), 1),
    ("proved.json", "atomic.ser", ("--expect", "fine"), 2),
    ("proved.json", "atomic.ser", ("--property", "serializable", "--expect", "safe"), 2),
    ("proved.json", "atomic.ser", ("--barriers", "2"), 2),
    ("proved.json", "atomic.ser", ("--property", "linearizable"), 2),
)


@pytest.mark.usefixtures("folder")
def test_only_what_is_expected_passes() -> None:
    for certificate, program, options, code in GATES:
        result = ser("verify", certificate, program, *options)
        assert result.exit_code == code, (certificate, options, result.output)


@pytest.mark.usefixtures("folder")
def test_the_first_line_says_what_was_proved_about_what() -> None:
    first = ser("verify", "proved.json", "atomic.ser").output.splitlines()[0]
    assert first == "proved.json: valid: atomic.ser is serializable"
    first = ser("verify", "refuted.json", "racing.ser", "--expect", "serializable").output.splitlines()[0]
    assert (
        first == "refuted.json: REFUSED: it says that racing.ser is not serializable, which was not expected"
    )
    first, second, *_ = ser("verify", "observed.json", "atomic.ser").output.splitlines()
    assert first == "observed.json: valid: atomic.ser is serializable"
    assert "final values" in second


@pytest.mark.usefixtures("folder")
def test_machines_are_told_which_expectation_failed() -> None:
    result = ser("verify", "refuted.json", "racing.ser", "--expect", "serializable", "--json")
    found = json.loads(result.output)
    assert found["result"] == "refused"
    assert found["obligations"][-1]["claim"] == 'the verdict is the expected one: "serializable"'


@pytest.mark.usefixtures("folder")
def test_a_specification_that_allows_everything_is_no_way_through() -> None:
    Path("any.spec").write_text(ANY)
    checked = ser(
        "check", "atomic.ser", "--property", "linearizable", "--spec", "any.spec", "--certificate", "c.json"
    )
    assert checked.exit_code == 0, checked.output
    assert ser("verify", "c.json", "atomic.ser").exit_code == 0
    for options in (("--expect", "serializable"), ("--property", "serializable")):
        assert ser("verify", "c.json", "atomic.ser", *options).exit_code == 1
    gate = ("--property", "linearizable", "--expect", "linearizable")
    assert ser("verify", "c.json", "atomic.ser", *gate, "--spec", "any.spec").exit_code == 0
    assert ser("verify", "c.json", "atomic.ser", *gate, "--spec", "atomic.ser").exit_code == 1


def test_settings_of_the_certificate_are_shown(folder: Path) -> None:
    """A service that is right if nobody cancels may be wrong otherwise; so who cancels has to be said."""
    service = (EXAMPLES / "services" / "payment_once.py").read_text("utf-8")
    (folder / "payment.py").write_text(service, "utf-8")
    for options, shown in ((("--cancel",), "payment.py was read with cancel = yes: "), ((), "")):
        ser("check", "payment.py", *options, "--certificate", "payment.json")
        said = ser("verify", "payment.json", "payment.py").stdout
        assert shown in said
        assert ("was read with" in said) is bool(shown)
        settings = json.loads(ser("verify", "payment.json", "payment.py", "--json").stdout)["settings"]
        assert ("cancel" in settings) is bool(shown)
