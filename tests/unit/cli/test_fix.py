"""`ser fix`: what it proposes, what it writes, and how it ends."""

import json
from importlib import resources
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from seriatim.budget import Deadline
from seriatim.cli.main import main
from seriatim.deciding.pipeline import Options, decide, work_out
from seriatim.engines.stage import Progress
from seriatim.frontends.ser.parser import parse
from seriatim.program.syntax import Program
from seriatim.repair import suggestions
from seriatim.repair.candidate import Candidate, Change
from seriatim.repair.repairs import Repairs
from seriatim.repair.search import decide_change, exclude_hanging, may_hang, repairs
from seriatim.source import SourceText

RACING = "request flip { x := N; yield; N := 1 - x; x } // two flips\n"


@pytest.fixture
def racing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("racing.ser")
    path.write_text(RACING)
    return path


def ser(*arguments: str, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_nothing_is_written_unless_asked_for(racing: Path) -> None:
    assert ser("fix", "racing.ser").exit_code == 0
    assert racing.read_text() == RACING


def test_write_applies_a_repair_that_check_accepts(racing: Path) -> None:
    result = ser("fix", "racing.ser", "--write")
    assert "Repair 1 is applied to racing.ser." in result.stdout
    assert racing.read_text() == RACING.replace("{ x", "{ lock(LOCK); x").replace(
        "; x }", "; unlock(LOCK); x }"
    )
    assert ser("check", "racing.ser").exit_code == 0
    assert "nothing to fix" in ser("fix", "racing.ser").stdout


def test_pick_chooses_the_repair(racing: Path) -> None:
    proposed = json.loads(ser("fix", "racing.ser", "--json").stdout)["repairs"]
    assert [repair["change"] for repair in proposed] == ["lock", "retry", "drop"]
    ser("fix", "racing.ser", "--write", "--pick", "2")
    assert racing.read_text() == proposed[1]["text"]
    assert ser("check", "racing.ser").exit_code == 0


def test_yields_stay_if_they_have_to(racing: Path) -> None:
    proposed = json.loads(ser("fix", "racing.ser", "--json", "--keep-yields").stdout)["repairs"]
    assert [repair["change"] for repair in proposed] == ["lock", "retry"]
    assert all("yield" in repair["text"] for repair in proposed)
    assert racing.read_text() == RACING


@pytest.mark.usefixtures("racing")
def test_the_time_is_for_the_verdict_and_the_changes_together(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[float | None] = []

    def slow(*arguments: Any, **named: Any) -> Any:
        sleep(0.2)
        return work_out(*arguments, **named)

    def watched(program: Program, text: str, options: Options, *others: Any, **named: Any) -> Repairs:
        left.append(options.timeout)
        return repairs(program, text, options, *others, **named)

    monkeypatch.setattr(suggestions, "work_out", slow)
    monkeypatch.setattr(suggestions, "repairs", watched)
    ser("fix", "racing.ser", "--timeout", "5")
    assert len(left) == 1
    assert left[0] is not None
    assert left[0] <= 4.8


def test_progress_says_which_change_is_decided() -> None:
    told: list[Progress] = []
    source = SourceText("racing.ser", RACING)
    suggestions.suggest_repairs(parse(RACING), source, Options(), Deadline(), told.append, candidates=7)
    changes = [each.stage for each in told if each.stage.startswith("change")]
    assert changes[0] == "change 1 of at most 7: put a lock into `flip`"
    assert len(changes) == 3


HELD = """\
request a { lock(L); x := X; yield; X := 1 - x; if (x == 0) { return 5 }; unlock(L); x }
request b { x := X; yield; X := 1 - x; x }
"""
"""`a` may leave with the lock."""


def test_repairs_let_nobody_wait_for_ever(racing: Path) -> None:
    proposed = json.loads(ser("fix", str(racing), "--json", "--keep-yields").stdout)["repairs"]
    assert [repair["never_hangs"] for repair in proposed] == [True, True]
    for repair in proposed:
        assert ser("check", "-", "--property", "deadlock-free", stdin=repair["text"]).exit_code == 0


def test_where_requests_wait_for_ever_anyway_that_is_told() -> None:
    assert may_hang(decide(parse(HELD), Options()))
    told = ser("fix", "-", stdin=HELD).stdout
    assert "Some requests can wait for ever" in " ".join(told.split())
    assert "It is proved that none waits for ever" not in told


def test_a_candidate_after_which_requests_hang_is_no_repair() -> None:
    """A request that ends while it holds a lock is found, even if the outcomes are serial."""
    bad = "request flip { lock(L); x := N; yield; N := 1 - x; if (x == 0) { return 0 }; unlock(L); x }\n"
    candidate = Candidate(Change.LOCK, "forget to unlock", "", bad, parse(bad))
    result = decide_change(candidate, Options(), Deadline())
    assert result is not None
    assert exclude_hanging(candidate, result, Options(), Deadline(60)) is None


def test_a_repair_that_is_not_there_cannot_be_picked(racing: Path) -> None:
    result = ser("fix", "racing.ser", "--write", "--pick", "9")
    assert result.exit_code == 2
    assert "there is no repair 9" in result.stderr
    assert racing.read_text() == RACING


def test_standard_input_can_be_mended_but_not_changed() -> None:
    assert ser("fix", "-", stdin=RACING).exit_code == 0
    result = ser("fix", "-", "--write", stdin=RACING)
    assert (result.exit_code, "SER209" in result.stderr) == (2, True)


def test_repairs_are_for_programs_in_our_own_language(tmp_path: Path) -> None:
    script = tmp_path / "packets.p4"
    script.write_text("control c() { apply { } }\n")
    result = ser("fix", str(script))
    assert (result.exit_code, "SER240" in result.stderr, "`ser check" in result.stderr) == (2, True, True)


def test_loops_never_lose_the_yield_that_lets_others_in(tmp_path: Path) -> None:
    """Without the yield in its loop, `take` would spin for ever, and there would be no violation."""
    path = tmp_path / "wait.ser"
    path.write_text(
        "request take { while (FULL == 0) { yield }; x := FULL; yield; FULL := 0; x + FULL }\n"
        "request put { FULL := 1; 0 }\n"
    )
    for repair in json.loads(ser("fix", str(path), "--json").stdout)["repairs"]:
        assert "while (FULL == 0) { yield }" in repair["text"]


@pytest.mark.parametrize(("text", "exit_code"), [("request a { 1 }", 0), ("request a {", 2)])
def test_exit_codes(text: str, exit_code: int) -> None:
    assert ser("fix", "-", stdin=text).exit_code == exit_code


def test_the_same_program_always_has_the_same_repairs(racing: Path) -> None:
    assert ser("fix", str(racing), "--json").stdout == ser("fix", str(racing), "--json").stdout


def test_json_is_as_its_schema_says(racing: Path) -> None:
    schema = json.loads(resources.files("seriatim.report").joinpath("repairs.schema.json").read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    printed = json.loads(ser("fix", racing.name, "--json").stdout)
    Draft202012Validator(schema).validate(printed)
    assert printed["blamed"] == [[{"line": 1, "column": 24}]]


def test_a_failing_step_is_a_verdict_and_has_to_be_corrected_first() -> None:
    mistake = "N in 0..1 := 0\nrequest incr { N := N + 1; yield; N }\n"
    result = ser("fix", "-", stdin=mistake)
    assert (result.exit_code, ser("check", "-", stdin=mistake).exit_code) == (1, 1)
    assert "SER801" in result.stdout
    assert "Correct this mistake first" in result.stdout
    assert json.loads(ser("fix", "-", "--json", stdin=mistake).stdout)["verdict"] == "unsafe"


@pytest.mark.usefixtures("racing")
def test_the_budget_is_the_users_and_the_report_says_when_it_ended() -> None:
    few = ser("fix", "racing.ser", "--candidates", "1").stdout
    assert few.startswith("racing.ser: 1 repair")
    assert "--candidates" in few
    assert "--candidates" not in ser("fix", "racing.ser").stdout
