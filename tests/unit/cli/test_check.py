"""`ser check`: which inputs, which exit code, what is saved."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import validate

from seriatim import result as results
from seriatim.budget import Deadline, Observer
from seriatim.cli import check, worker_checks
from seriatim.cli.main import main
from seriatim.cli.speakers import Checked
from seriatim.deciding import sources
from seriatim.deciding.pipeline import Options, Work, work_out
from seriatim.engines.stage import Progress
from seriatim.method import Method
from seriatim.program.inputs import Input
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.result import Lost, Undecided
from seriatim.source import SourceText
from testkit.samples import deep

ATOMIC = "request flip { x := N; N := 1 - x; x }\n"
RACING = "request flip { x := N; yield; N := 1 - x; x }\n"
SCHEMA = Path(check.__file__).parents[1] / "report" / "result.schema.json"
BROKEN = "request flip { x := \n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with an input for each verdict but "unknown"."""
    for name, text in [("atomic.ser", ATOMIC), ("racing.ser", RACING), ("broken.ser", BROKEN)]:
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes every racing program undecided."""

    def decide_less(
        content: Input,
        options: Options,
        observer: Observer[Progress] | None,
        source: SourceText,
        deadline: Deadline,
    ) -> tuple[results.Result, Work]:
        result, work = work_out(content, options, observer, source, deadline)
        if result.method == "atomic":
            return result, work
        return replace(result, answer=Undecided("no method applies", "bound `X`", 7)), work

    monkeypatch.setattr(sources, "work_out", decide_less)


def ser(*arguments: str, stdin: str | bytes | None = None) -> Result:
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def objects(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("files", "exit_code"),
    [
        (["atomic.ser"], 0),
        (["racing.ser"], 1),
        (["broken.ser"], 2),
        (["missing.ser"], 2),
        (["atomic.ser", "racing.ser"], 1),
        (["racing.ser", "atomic.ser", "broken.ser"], 2),
        (["."], 2),
        ([], 2),
    ],
)
@pytest.mark.usefixtures("folder")
def test_exit_code_is_the_most_severe(files: list[str], exit_code: int) -> None:
    assert ser("check", *files).exit_code == exit_code


@pytest.mark.parametrize(("files", "exit_code"), [(["racing.ser"], 3), (["racing.ser", "atomic.ser"], 3)])
@pytest.mark.usefixtures("folder", "undecided")
def test_undecided_is_neither_yes_nor_no(files: list[str], exit_code: int) -> None:
    assert ser("check", *files).exit_code == exit_code


@pytest.mark.usefixtures("folder", "undecided")
def test_undecided_says_why_how_far_and_what_to_do() -> None:
    assert ser("check", "racing.ser").stdout == (
        "racing.ser: UNDECIDED\n"
        "  No method applies.\n"
        "  There is no violation with up to 7 requests.\n"
        "  hint: bound `X`\n"
    )
    (result,) = objects(ser("check", "racing.ser", "--json"))
    assert result["verdict"] == "unknown"
    assert (result["reason"], result["clean_up_to"]) == ("no method applies", 7)
    assert result["hint"] == "bound `X`"


@pytest.mark.usefixtures("folder")
def test_inputs_after_a_bad_one_are_still_decided() -> None:
    result = ser("check", "missing.ser", "broken.ser", "atomic.ser", "racing.ser", "--json")
    assert [found["verdict"] for found in objects(result)] == [
        "error",
        "error",
        "serializable",
        "not_serializable",
    ]


@pytest.mark.usefixtures("folder")
def test_errors_go_to_standard_error() -> None:
    result = ser("check", "broken.ser")
    assert "broken.ser:1:" in result.stderr
    assert result.stdout == ""


@pytest.mark.usefixtures("folder")
def test_a_blank_line_goes_where_the_paragraph_after_it_goes() -> None:
    """So a bad input leaves nothing on standard output."""
    result = ser("check", "atomic.ser", "broken.ser", "missing.ser", "atomic.ser")
    verdict = ser("check", "atomic.ser").stdout
    summary = "4 inputs: 2 serializable, 2 bad input\n"
    assert result.stdout == f"{verdict}\n{verdict}\n{summary}"
    errors = [ser("check", name).stderr for name in ("broken.ser", "missing.ser")]
    assert result.stderr == f"\n{errors[0]}\n{errors[1]}"


def test_directory_means_its_programs_and_systems_sorted(folder: Path) -> None:
    (folder / "a.json").write_text('{"initial_global": "g"}')
    (folder / "package.json").write_text("{}")
    (folder / "old.cert.json").write_text("{}")
    (folder / "notes.txt").write_text("nothing to check")
    (folder / "deeper").mkdir()
    (folder / "deeper" / "down.ser").write_text(ATOMIC)
    names = [found["file"] for found in objects(ser("check", ".", "--json"))]
    assert names == ["a.json", "atomic.ser", "broken.ser", "deeper/down.ser", "racing.ser"]


def test_directory_without_inputs_is_an_error(tmp_path: Path) -> None:
    (result,) = objects(ser("check", str(tmp_path), "--json"))
    assert result["diagnostics"][0]["code"] == "SER203"


@pytest.mark.parametrize(("text", "exit_code"), [(ATOMIC, 0), (RACING, 1), (BROKEN, 2), ("", 2)])
def test_dash_is_standard_input(text: str, exit_code: int) -> None:
    result = ser("check", "-", "--json", stdin=text)
    assert result.exit_code == exit_code
    assert objects(result)[0]["file"] == "<stdin>"


def test_json_on_standard_input_is_recognised() -> None:
    system = {"initial_global": "g", "requests": [["r", "a"]], "responses": [["a", "1"]], "transitions": []}
    assert ser("check", "-", stdin=json.dumps(system)).exit_code in {0, 3}


@pytest.mark.usefixtures("folder")
def test_quiet_prints_one_line_an_input() -> None:
    result = ser("check", "atomic.ser", "racing.ser", "--quiet")
    assert result.stdout.splitlines() == [
        "atomic.ser: serializable for any number of requests",
        "racing.ser: NOT SERIALIZABLE (2 requests, 4 steps)",
        "2 inputs: 1 serializable, 1 not serializable",
    ]


@pytest.mark.parametrize("timeout", ["0", "-1", "soon"])
@pytest.mark.usefixtures("folder")
def test_a_timeout_is_a_positive_number(timeout: str) -> None:
    assert ser("check", "atomic.ser", "--timeout", timeout).exit_code == 2


@pytest.mark.parametrize("option", ["--max-states", "--max-value"])
@pytest.mark.usefixtures("folder")
def test_limits_are_positive_numbers(option: str) -> None:
    assert ser("check", "atomic.ser", option, "0").exit_code == 2


# Certificates


def test_certificate_of_one_input_is_a_file(folder: Path) -> None:
    result = ser("check", "racing.ser", "--certificate", "evidence.json")
    assert json.loads((folder / "evidence.json").read_text())["verdict"] == "not_serializable"
    assert "ser verify evidence.json racing.ser" in result.stdout


def test_certificates_of_several_inputs_are_in_a_folder(folder: Path) -> None:
    result = ser("check", ".", "--certificate", "new/evidence", "--json")
    assert sorted(path.name for path in (folder / "new" / "evidence").iterdir()) == [
        "atomic.cert.json",
        "racing.cert.json",
    ]
    assert [found.get("certificate") for found in objects(result)] == [
        "new/evidence/atomic.cert.json",
        None,
        "new/evidence/racing.cert.json",
    ]


@pytest.mark.usefixtures("undecided")
def test_undecided_leaves_no_certificate(folder: Path) -> None:
    ser("check", "racing.ser", "--certificate", "evidence.json")
    assert not (folder / "evidence.json").exists()


def test_old_certificate_survives_a_failure(folder: Path) -> None:
    (folder / "evidence.json").write_text("old")
    assert ser("check", "broken.ser", "--certificate", "evidence.json").exit_code == 2
    assert (folder / "evidence.json").read_text() == "old"


@pytest.mark.usefixtures("folder")
def test_certificate_that_cannot_be_written_is_an_error() -> None:
    result = ser("check", "atomic.ser", "--certificate", "atomic.ser/evidence.json", "--json")
    assert result.exit_code == 2
    assert objects(result)[0]["diagnostics"][0]["code"] == "SER207"


def test_two_inputs_never_share_a_certificate(folder: Path) -> None:
    (folder / "deeper").mkdir()
    (folder / "deeper" / "atomic.ser").write_text(RACING)
    result = ser("check", "atomic.ser", "deeper/atomic.ser", "--certificate", "evidence")
    assert result.exit_code == 1
    saved = sorted(path.name for path in (folder / "evidence").iterdir())
    assert saved == ["atomic.ser.cert.json", "deeper-atomic.ser.cert.json"]


# Several at a time


@deep
@pytest.mark.parametrize("style", [[], ["--quiet"], ["--json"]])
def test_the_number_of_jobs_changes_no_byte(folder: Path, style: list[str]) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "racing.ser").write_text(RACING)
    arguments = ["check", ".", "missing.ser", "-", "more", *style]
    alone, beside = (ser(*arguments, f"--jobs={jobs}", stdin=ATOMIC) for jobs in (1, 3))
    assert beside.exit_code == alone.exit_code == 2
    assert without_times(beside.stdout) == without_times(alone.stdout)
    assert beside.stderr == alone.stderr
    assert beside.output.count("racing.ser") >= 2


def without_times(text: str) -> str:
    return re.sub(r'"(re-check|[a-z-]+)": [0-9.e-]+', r'"\1": 0', text)


def test_evidence_is_saved_by_workers_too(folder: Path) -> None:
    assert ser("check", "atomic.ser", "racing.ser", "--jobs=2", "--certificate=kept").exit_code == 1
    assert sorted(path.name for path in (folder / "kept").iterdir()) == [
        "atomic.cert.json",
        "racing.cert.json",
    ]


@pytest.mark.usefixtures("folder")
def test_a_lost_worker_costs_the_verdict_of_its_input_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose_the_first(*_: object) -> Iterator[tuple[int, object]]:
        fine = Undecided("there is nothing to decide", None, 0)
        yield 1, Checked(results.Result(SourceText("atomic.ser", ATOMIC), SERIALIZABILITY, fine, Method.AUTO))
        yield 0, Lost("the worker ended without a result, with exit code -9")

    monkeypatch.setattr(worker_checks, "in_workers", lose_the_first)
    result = ser("check", "racing.ser", "atomic.ser", "--jobs=2")
    assert result.exit_code == 3
    assert result.stdout == (
        "racing.ser: UNDECIDED\n"
        "  The worker ended without a result, with exit code -9.\n"
        "  hint: check this input alone; perhaps it needs more memory than there is: see\n"
        "  --max-memory\n"
        "\n"
        "atomic.ser: UNDECIDED\n"
        "  There is nothing to decide.\n"
        "\n"
        "2 inputs: 2 undecided\n"
    )
    assert ser("check", "racing.ser", "atomic.ser", "--jobs=2", "--quiet").stdout.startswith(
        "racing.ser: UNDECIDED\natomic.ser: UNDECIDED\n"
    )
    first = json.loads(ser("check", "racing.ser", "atomic.ser", "--jobs=2", "--json").stdout.splitlines()[0])
    assert (first["verdict"], first["clean_up_to"]) == ("unknown", 0)
    validate(first, json.loads(SCHEMA.read_text("utf-8")))


# Other files


def test_traces_of_several_inputs_are_in_a_folder_and_are_no_inputs(folder: Path) -> None:
    """Only what is not serializable has one."""
    ser("check", ".", "--itf", ".")
    assert [path.name for path in folder.glob("*.itf.json")] == ["racing.itf.json"]
    assert len(objects(ser("check", ".", "--json"))) == 3


def test_diagrams_are_svg_or_mermaid_by_their_name(folder: Path) -> None:
    ser("check", ".", "--diagram", "pictures")
    assert [path.name for path in (folder / "pictures").iterdir()] == ["racing.svg"]
    assert (folder / "pictures" / "racing.svg").read_text().startswith("<svg")
    ser("check", "racing.ser", "--diagram", "racing.mmd")
    assert (folder / "racing.mmd").read_text().startswith("sequenceDiagram\n")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_reports_are_about_all_inputs(folder: Path, jobs: str) -> None:
    result = ser("check", ".", "--sarif=all.sarif", "--junit=all.xml", "--html=all.html", "--jobs", jobs)
    assert result.exit_code == 2
    (run,) = json.loads((folder / "all.sarif").read_text())["runs"]
    assert len(run["artifacts"]) == 3
    assert (folder / "all.xml").read_text().count("<testcase") == 3
    assert (folder / "all.html").read_text().count("<article") == 3


@pytest.mark.usefixtures("folder")
def test_report_that_cannot_be_written_is_an_error() -> None:
    result = ser("check", "atomic.ser", "--sarif", "atomic.ser/report")
    assert result.exit_code == 2
    assert "SER207" in result.stderr
    assert "atomic.ser: serializable" in result.stdout


def test_several_questions_about_one_input_warn_once(tmp_path: Path) -> None:
    for name in ("first.ser", "second.ser"):
        (tmp_path / name).write_text("UNUSED := 1\nrequest get { X }\n")
    result = CliRunner().invoke(
        main, ["check", str(tmp_path), "--property", "serializable,safe,deadlock-free"]
    )
    assert result.output.count("no handler uses `UNUSED`") == 2, "once for each file"


def test_several_questions_tell_an_error_once(folder: Path) -> None:
    (folder / "broken.ser").write_text("request a { x := ; }")
    result = ser("check", "broken.ser", "--property=serializable,safe,strict")
    assert (result.exit_code, result.stderr.count("error[SER005]")) == (2, 1)


def test_a_step_that_fails_is_a_violation_whatever_is_asked(folder: Path) -> None:
    text = "request inc { x := X; yield; X := x + 1; assert(X < 2); X }"
    (folder / "failing.ser").write_text(text)
    for asked in ("serializable", "strict", "safe"):
        kept = folder / f"{asked}.json"
        assert ser("check", "failing.ser", f"--property={asked}", f"--certificate={kept}").exit_code == 1
        assert json.loads(kept.read_text())["verdict"] == "unsafe"
    counted = ser("check", "failing.ser", "racing.ser", "--quiet")
    assert (counted.exit_code, "1 unsafe" in counted.stdout) == (1, True)


CHARGING = """class Till:
    def __init__(self, bank):
        self.bank, self.paid = bank, {}
    async def pay(self, order: str):
        if order not in self.paid:
            await self.bank.charge(order)
            self.paid[order] = True
        return "paid"
"""


def test_one_bad_python_file_does_not_end_the_others(folder: Path) -> None:
    (folder / "a_bad.py").write_text(
        "import nowhere.at.all\nasync def a(): await nowhere.go()\nx = (1).nothing\n"
    )
    (folder / "b_worse.py").write_text("async def a(: pass\n")
    (folder / "c_good.py").write_text("N = [0]\nasync def a():\n    N[0] = 1\n    return 1\n")
    result = ser("check", "a_bad.py", "b_worse.py", "c_good.py", "--quiet")
    assert result.exit_code == 2
    assert "c_good.py: " in result.output
    assert "Traceback" not in result.output


def test_calls_of_python_files_are_observed(folder: Path) -> None:
    (folder / "till.py").write_text(CHARGING)
    plain, calls = ser("check", "till.py", "--json"), ser("check", "till.py", "--json", "--observe", "calls")
    assert json.loads(plain.stdout)["verdict"] != "not_serializable"
    assert json.loads(calls.stdout)["verdict"] == "not_serializable"
    assert "bank.charge('a') ×2" in json.dumps(json.loads(calls.stdout)["trace"], ensure_ascii=False)


def test_observing_calls_of_other_files_names_a_global(folder: Path) -> None:
    del folder
    result = ser("check", "atomic.ser", "--observe", "calls")
    assert result.exit_code == 2
    assert "no global `calls`" in result.output


@pytest.mark.parametrize("option", ["--timeouts", "--failures"])
def test_what_only_runs_can_try_needs_runs(option: str, folder: Path) -> None:
    (folder / "till.py").write_text(CHARGING)
    result = ser("check", "till.py", option, "--no-run")
    assert result.exit_code == 3
    assert "decided by running it, which is not allowed" in " ".join(result.output.split())
    assert ser("check", "atomic.ser", option).exit_code == 2
