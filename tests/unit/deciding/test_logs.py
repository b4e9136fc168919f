"""Verdicts about logs are results like all others: plain data that survive, with the same reports."""

import json
import pickle
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import seriatim
from seriatim.budget import Deadline
from seriatim.certificate.history import Comparison
from seriatim.certificate.transactions import Level
from seriatim.deciding.logs import About, AboutLevels, decide_log
from seriatim.history.reading import format_by_suffix
from seriatim.report.html.verdict import verdict_fragment
from seriatim.report.result_from_json import result_from_json
from seriatim.report.result_json import result_json
from seriatim.result import Recorded, Result, Undecided, verdict_name
from seriatim.source import SourceText

HISTORIES = Path(__file__).parents[3] / "examples" / "histories"
SCHEMA = json.loads(resources.files("seriatim.report").joinpath("result.schema.json").read_text("utf-8"))

LOGS: list[tuple[str, About, str]] = [
    ("register.jsonl", Comparison("register"), "explicable"),
    ("stale_read.jsonl", Comparison("register"), "inexplicable"),
    ("stale_read.jsonl", Comparison("register", ignores_times=True), "explicable"),
    ("lost_update.csv", Comparison(str(HISTORIES.parent / "lost_update.ser")), "inexplicable"),
    ("jepsen_register.edn", Comparison("register"), "inexplicable"),
    ("write_skew.edn", AboutLevels(), "not_isolated"),
    ("write_skew.edn", AboutLevels(Level.SNAPSHOT), "isolated"),
    ("fractured.jsonl", AboutLevels(lists_all=True), "not_isolated"),
]


def decided(name: str, about: About) -> Result:
    with (HISTORIES / name).open(encoding="utf-8", newline="") as lines:
        return decide_log(name, lines, format_by_suffix(name), about, Deadline(60))


@pytest.mark.parametrize(("name", "about", "verdict"), LOGS)
def test_results_survive_as_pickles_and_as_json(name: str, about: About, verdict: str) -> None:
    result = decided(name, about)
    assert verdict_name(result) == verdict
    assert pickle.loads(pickle.dumps(result)) == result
    text = json.dumps(result_json(result))
    Draft202012Validator(SCHEMA).validate(json.loads(text))
    assert result_from_json(text) == result


def test_a_fragment_for_notebooks_draws_the_entries() -> None:
    fragment = verdict_fragment(decided("write_skew.edn", AboutLevels()))
    assert "Why not serializable (G2-item)" in fragment
    assert fragment.count("<rect") == 2


def test_programs_ask_about_logs() -> None:
    stale = seriatim.check_log(HISTORIES / "stale_read.jsonl", "register")
    assert isinstance(stale, seriatim.Inconsistent)
    assert "read → 1" in str(stale)
    assert len(stale.certificates) == 1
    levels = seriatim.check_log(HISTORIES / "write_skew.edn", level="SI")
    assert isinstance(levels, seriatim.Consistent)
    with pytest.raises(seriatim.BadInput, match="cannot read"):
        seriatim.check_log(HISTORIES / "nowhere.jsonl", "register")
    with pytest.raises(seriatim.BadInput, match="no isolation level"):
        seriatim.check_log(HISTORIES / "write_skew.edn", level="nonsense")


def test_programs_re_check_evidence_about_logs(tmp_path: Path) -> None:
    log = HISTORIES / "write_skew.edn"
    found = seriatim.check_log(log)
    assert isinstance(found, seriatim.Inconsistent)
    report = seriatim.verify_log(found.certificates, log)
    assert report.accepted
    assert len(report.obligations) > 4
    other = tmp_path / "other.edn"
    other.write_text(log.read_text("utf-8") + "\n", "utf-8")
    assert not seriatim.verify_log(found.certificates, other).accepted
    with pytest.raises(seriatim.BadInput, match="cannot read"):
        seriatim.verify_log(found.certificates, HISTORIES / "nowhere.edn")
    with pytest.raises(seriatim.BadInput, match="not a certificate"):
        seriatim.verify_log(["{}"], log)


def test_an_undecided_log_is_undecided_in_json_too() -> None:
    result = Result(SourceText("log", ""), AboutLevels().asked, Undecided("time limit", None, 0))
    again = result_from_json(json.dumps(result_json(result)))
    assert again == result
    assert not isinstance(again.answer, Recorded)
