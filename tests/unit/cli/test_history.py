"""`ser history` from the command line: streams, certificates, bad input."""

import json
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from seriatim.cli.main import main

HISTORIES = Path(__file__).parents[3] / "examples" / "histories"
VERIFICATION = json.loads(
    resources.files("seriatim.report").joinpath("verification.schema.json").read_text("utf-8")
)
SPIN_LOCK = str(HISTORIES.parent / "spin_lock.ser")


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["history", *arguments], input=text, prog_name="ser")


def verify(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["verify", *arguments], prog_name="ser")


def lines(name: str) -> list[str]:
    return (HISTORIES / name).read_text("utf-8").splitlines(keepends=True)


def test_a_stream_tells_the_first_inexplicable_answer_and_ends() -> None:
    after = '{"request": "nonsense that nobody reads any more'
    result = run("register", "-", "--format", "edn", text="".join(lines("jepsen_register.edn")))
    assert result.exit_code == 1
    assert "line 11: read → 3" in result.output
    late = '{"request": "write(9)", "answer": "ok", "start": 100, "end": 101}\n' * 2
    result = run("register", "-", "--longest", "5", text="".join([*lines("stale_read.jsonl"), late, after]))
    assert result.exit_code == 1
    assert "line 5: read → 1" in result.output


def test_a_stream_without_a_longest_time_is_decided_as_a_whole() -> None:
    result = run("register", "-", text="".join(lines("stale_read.jsonl")))
    assert result.exit_code == 1
    assert "The smallest set of entries" in result.output
    assert run("register", "-", text="".join(lines("register.jsonl"))).exit_code == 0


def test_a_stream_of_counts_is_certain_only_where_nothing_later_helps() -> None:
    never = run(SPIN_LOCK, "-", text='{"request": "incr", "answer": 7}\n{"request": "incr", "answer": 0}\n')
    assert never.exit_code == 1
    assert "line 1: incr → 7" in never.output
    result = run(SPIN_LOCK, "-", text='{"request": "incr", "answer": 0}\n' * 2)
    assert result.exit_code == 1
    assert "no order gives these answers" in result.output
    assert run(SPIN_LOCK, "-", text='{"request": "incr", "answer": 0}\n').exit_code == 0


def test_a_request_that_takes_too_long_is_told() -> None:
    slow = '{"request": "read", "answer": 1, "start": 0, "end": 200}\n'
    late = '{"request": "write(9)", "answer": "ok", "start": 100, "end": 101}\n' * 2
    result = run(
        "register", "-", "--longest", "5", text=late + late.replace("100", "107").replace("101", "108") + slow
    )
    assert result.exit_code == 2
    assert "line 5" in result.output


@pytest.mark.parametrize("name", ["register.jsonl", "stale_read.jsonl"])
def test_certificates_are_re_checked_and_forgeries_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    log = str(HISTORIES / name)
    run("register", log, "--certificate", str(path))
    result = verify(str(path), log)
    assert result.exit_code == 0
    assert "valid" in result.output
    other = "stale_read.jsonl" if name == "register.jsonl" else "register.jsonl"
    assert verify(str(path), str(HISTORIES / other)).exit_code == 1
    text = path.read_text("utf-8")
    path.write_text(text.replace('"initial": null', '"initial": "5"'), "utf-8")
    assert verify(str(path), log).exit_code == 1
    path.write_text(text.replace("icable", "icabel"), "utf-8")
    assert verify(str(path), log).exit_code == 2


def test_mixed_logs_are_refused() -> None:
    text = '{"request": "read", "answer": 1}\n{"request": "read", "answer": 1, "start": 0, "end": 1}\n'
    result = run("register", "-", text=text)
    assert result.exit_code == 2
    assert "line 2" in result.output


def test_many_requests_at_once_are_decided(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    entries = [{"request": f"write({n % 7})", "answer": "ok", "start": 0, "end": 9} for n in range(11)]
    entries.append({"request": "read", "answer": "99", "start": 0, "end": 8})
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    assert run("register", str(log)).exit_code == 1
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries[:-1]), "utf-8")
    assert run("register", str(log)).exit_code == 0


def test_a_search_honours_its_time(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    entries = [{"request": f"enqueue({n})", "answer": "ok", "start": 0, "end": 9} for n in range(40)]
    entries += [{"request": "dequeue", "answer": n, "start": 10, "end": 19} for n in (*range(39), 50)]
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    result = run("queue", str(log), "--timeout", "1")
    assert result.exit_code == 3
    assert "time limit" in result.output


@pytest.mark.parametrize("form", ["jsonl", "csv", "edn"])
@pytest.mark.parametrize("streams", [True, False])
def test_a_log_without_requests_is_refused(form: str, streams: bool, tmp_path: Path) -> None:
    text = "request,answer\n" if form == "csv" else "\n"
    log = tmp_path / f"log.{form}"
    log.write_text(text, "utf-8")
    result = run("register", "-", "--format", form, text=text) if streams else run("register", str(log))
    assert result.exit_code == 2
    assert "the log has no requests" in result.output


def test_a_stale_read_of_a_few_nanoseconds_is_found(tmp_path: Path) -> None:
    base = 1_700_000_000_000_000_000
    rows = [("write(1)", "ok", 1, 2), ("write(2)", "ok", 3, 4), ("read", "1", 5, 6)]
    log = tmp_path / "log.csv"
    text = "".join(
        f"{request},{answer},{base + start},{base + end}\n" for request, answer, start, end in rows
    )
    log.write_text(f"request,answer,start,end\n{text}", "utf-8")
    assert run("register", str(log)).exit_code == 1


@pytest.mark.parametrize(
    ("model", "lines_of_log"),
    [
        ("counter", ['{"request": "inc", "answer": 1}'] * 2),
        ("register", ['{"request": "write(1)", "answer": "error: full"}']),
        ("queue", ['{"request": "enqueue(1)", "answer": false}']),
        ("map", ['{"request": "cas(k,1,2)", "answer": null}']),
    ],
)
def test_answers_that_say_more_than_a_model_knows_are_refused(model: str, lines_of_log: list[str]) -> None:
    result = run(model, "-", text="".join(f"{line}\n" for line in lines_of_log))
    assert result.exit_code == 2
    assert "line 1" in result.output


# --- transactions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "code"), [("snapshot-isolation", 0), ("serializable", 1)])
def test_certificates_about_levels_are_saved_and_checked(level: str, code: int, tmp_path: Path) -> None:
    log, path = str(HISTORIES / "write_skew.edn"), str(tmp_path / "why.json")
    assert run(log, "--level", level, "--certificate", path).exit_code == code
    checked = verify(path, log)
    assert checked.exit_code == 0
    assert "valid" in checked.output
    other = tmp_path / "other.edn"
    other.write_text(lines("write_skew.edn")[0], "utf-8")
    assert verify(path, str(other)).exit_code == 1
    assert verify(path, str(HISTORIES / "register.jsonl")).exit_code == 2
    assert verify(path, "nowhere.edn").exit_code == 2


EXPECTATIONS = [
    ([], 0),
    (["--expect", "not_isolated", "--property", "isolated"], 0),
    (["--level", "serializable", "--expect", "not_isolated"], 0),
    (["--level", "snapshot-isolation", "--expect", "isolated"], 0),
    (["--level", "RC", "--expect", "isolated"], 0),
    (["--level", "strict"], 0),
    (["--level", "SI", "--expect", "not_isolated"], 1),
    (["--expect", "isolated"], 1),
    (["--property", "explained"], 1),
    (["--property", "linearizable", "--barriers", "1"], 1),
    (["--level", "nonsense"], 2),
]


@pytest.mark.parametrize(("options", "code"), EXPECTATIONS)
def test_certificates_about_logs_have_to_show_what_is_expected(
    options: list[str], code: int, tmp_path: Path
) -> None:
    log, path = str(HISTORIES / "write_skew.edn"), str(tmp_path / "why.json")
    assert run(log, "--certificate", path).exit_code == 1
    result = verify(path, log, "--json", *options)
    assert result.exit_code == code, result.output
    told = json.loads(result.output)
    Draft202012Validator(VERIFICATION).validate(told)
    assert told["result"] == ("valid", "refused", "error")[code]


def test_the_program_of_a_certificate_may_have_moved(tmp_path: Path) -> None:
    program, path = tmp_path / "here.ser", str(tmp_path / "why.json")
    program.write_text((HISTORIES.parent / "lost_update.ser").read_text("utf-8"), "utf-8")
    log = str(HISTORIES / "lost_update.csv")
    assert run(str(program), log, "--certificate", path).exit_code == 1
    assert verify(path, log).exit_code == 0
    moved = program.rename(tmp_path / "there.ser")
    assert verify(path, log).exit_code == 2
    assert verify(path, log, "--model", str(moved)).exit_code == 0
    moved.write_text(moved.read_text("utf-8") + "// changed\n", "utf-8")
    assert verify(path, log, "--model", str(moved)).exit_code == 1


@pytest.mark.parametrize("left", ["left", "left()"])
def test_an_order_has_the_answers_of_the_log(left: str, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(f"request,answer\nbuy(1),True\n{left},1\n", "utf-8")
    shop = str(HISTORIES.parent / "services" / "ticket_shop.py")
    done = run(shop, str(log))
    assert done.exit_code == 0, done.output
    assert "buy(1) → True, left() → 1." in done.output
    assert f"ser check {shop}" in done.output


def test_options_about_logs_are_refused_for_programs(tmp_path: Path) -> None:
    path, program = str(tmp_path / "c.cert.json"), str(HISTORIES.parent / "lost_update.ser")
    CliRunner().invoke(main, ["check", program, "--certificate", path, "--no-cache"])
    assert verify(path, program, "--level", "SI").exit_code == 2
    assert verify(path, program, "--property", "isolated").exit_code == 2


# --- the cache ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["register", "register.jsonl"], 0),
        (["register", "stale_read.jsonl"], 1),
        (["write_skew.edn"], 1),
        (["write_skew.edn", "--level", "SI"], 0),
        (["fractured.jsonl", "--levels"], 1),
    ],
)
def test_verdicts_are_recalled_if_their_evidence_still_holds(
    arguments: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [str(HISTORIES / each) if "." in each else each for each in arguments]
    given += ["--cache", str(tmp_path)]
    monkeypatch.delenv("SERIATIM_NO_CACHE")
    first = run(*given)
    assert first.exit_code == code
    (entry,) = tmp_path.glob("*/*/*.result.json")
    with monkeypatch.context() as patch:
        patch.setattr("seriatim.cli.history.decide_requests", None)
        patch.setattr("seriatim.cli.history.decide_levels", None)
        assert run(*given).output == first.output
    text = entry.read_text("utf-8")
    forged = text.replace("not_isolated", "isolated") if "not_isolated" in text else text.replace("in", "im")
    entry.write_text(forged, "utf-8")
    assert run(*given).output == first.output


def test_an_entry_that_leaves_out_what_does_not_hold_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All its certificates are valid, but they do not settle what it says."""
    monkeypatch.delenv("SERIATIM_NO_CACHE")
    given = [str(HISTORIES / "write_skew.edn"), "--cache", str(tmp_path)]
    first = run(*given)
    (entry,) = tmp_path.glob("*/*/*.result.json")
    found = json.loads(entry.read_text("utf-8"))
    found["evidence"] = [each for each in found["evidence"] if each["verdict"] == "holds"]
    found["verdict"] = "isolated"
    facts = found["log"]["facts"]
    facts["levels"] = dict.fromkeys(facts["levels"], "holds")
    entry.write_text(json.dumps(found), "utf-8")
    assert run(*given).output == first.output


@pytest.mark.parametrize("level", ["snapshot-isolation", "serializable"])
def test_a_certificate_is_refused_after_any_change_of_a_line_of_the_log(level: str, tmp_path: Path) -> None:
    text = (HISTORIES / "write_skew.edn").read_text("utf-8")
    log, path = tmp_path / "log.edn", str(tmp_path / "why.json")
    log.write_text(text, "utf-8")
    run(str(log), "--level", level, "--certificate", path)
    every_line = text.splitlines(keepends=True)
    for at in range(len(every_line)):
        changed = (
            every_line[at].replace(":append :alice 1", ":append :alice 2").replace(":process ", ":process 1")
        )
        for line in (every_line[at] * 2, "", changed):
            log.write_text("".join([*every_line[:at], line, *every_line[at + 1 :]]), "utf-8")
            assert verify(path, str(log)).exit_code in (1, 2)


def test_certificates_about_the_strongest_and_the_weakest_level_settle_all(tmp_path: Path) -> None:
    path, log = tmp_path / "why.json", str(HISTORIES / "write_skew.edn")
    assert run(log, "--certificate", str(path)).exit_code == 1
    checked = verify(str(path), log)
    assert checked.exit_code == 0
    assert "valid: strong snapshot isolation: holds" in checked.output
    assert "valid: serializable: violated" in checked.output
    other = tmp_path / "other.edn"
    other.write_text(
        (HISTORIES / "write_skew.edn").read_text("utf-8").replace("[:r :bob []]", "[:r :bob [1]]"), "utf-8"
    )
    refused = verify(str(path), str(other))
    assert refused.exit_code == 1
    assert refused.output.count("REFUSED") == 2


@pytest.mark.parametrize(
    ("arguments", "rule", "lines"),
    [
        (["register", "stale_read.jsonl"], "inexplicable", [5]),
        (["write_skew.edn"], "not-isolated", [3, 4]),
    ],
)
def test_reports_for_machines_name_the_lines(
    arguments: list[str], rule: str, lines: list[int], tmp_path: Path
) -> None:
    *model, log = arguments
    sarif, junit = tmp_path / "found.sarif", tmp_path / "found.xml"
    result = run(*model, str(HISTORIES / log), "--sarif", str(sarif), "--junit", str(junit))
    assert result.exit_code == 1
    (found,) = json.loads(sarif.read_text("utf-8"))["runs"][0]["results"]
    assert found["ruleId"] == rule
    places = [*found["locations"], *found.get("relatedLocations", [])]
    assert [place["physicalLocation"]["region"]["startLine"] for place in places] == lines
    assert 'failures="1"' in junit.read_text("utf-8")


def test_transactions_come_from_standard_input_and_honour_the_time() -> None:
    text = (HISTORIES / "write_skew.edn").read_text("utf-8")
    assert run("-", "--format", "edn", "--level", "SI", text=text).exit_code == 0
    many = "".join(
        json.dumps({"type": "ok", "process": n % 9, "value": [["w", n % 50, n], ["r", (n * 7) % 50, None]]})
        + "\n"
        for n in range(60_000)
    )
    result = run("-", "--timeout", "1", text=many)
    assert result.exit_code == 3
    assert "time limit" in result.output


def test_a_page_shows_why_a_level_does_not_hold(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    result = run(str(HISTORIES / "write_skew.edn"), "--html", str(path))
    assert result.exit_code == 1
    text = path.read_text("utf-8")
    assert "Why not serializable" in text
    assert text.count("<rect") == 2
    assert "[append :alice 1]" in text
    assert run("register", str(HISTORIES / "stale_read.jsonl"), "--html", str(path)).exit_code == 1
    assert "read → 1" in path.read_text("utf-8")
