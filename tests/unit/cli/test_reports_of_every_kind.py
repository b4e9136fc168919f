"""Every kind of file in every report: the verdict is there by its name, and its rule has its own help."""

import json
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.frontends.languages import KINDS
from seriatim.report.rules import UNDECIDED, VIOLATIONS, rule_help

EXAMPLES = Path(__file__).parents[3] / "examples"


@dataclass(frozen=True)
class Case:
    words: tuple[str, ...]
    code: int
    verdict: str
    told: tuple[str, ...]
    """What the page says, besides the verdict."""

    @property
    def name(self) -> str:
        return next(word for word in self.words if "/" in word).rpartition("/")[2]


def check(name: str, *options: str) -> tuple[str, ...]:
    return ("check", name, "--no-cache", "--timeout", "60", "-q", *options)


CASES = (
    Case(check("./lost_update.ser"), 1, "not serializable", ("A contradiction", "Proved fixes", "t-word")),
    Case(check("./spin_lock.ser"), 0, "serializable", ("for any number of requests",)),
    Case(check("paper/b1_landing_pad.json"), 0, "serializable", ("SHA-256",)),
    Case(
        check("services/visit_counter.py", "--no-replay"),
        3,
        "undecided",
        ("not allowed here",),
    ),
    Case(
        check("sql/on_call.sql", "--no-run", "--isolation", "repeatable-read"),
        1,
        "not serializable",
        ("write skew", "Each of these changes is enough", '<span class="t-word">SELECT</span>'),
    ),
    Case(
        check("p4/sequence_numbers.p4"), 1, "not serializable", ('<span class="t-word">apply</span>', "Why")
    ),
    Case(check("threads/lost_update.conc"), 1, "unsafe", ("The run", '<span class="t-word">thread</span>')),
    Case(
        check("threads/account_race.c", "--no-run"),
        1,
        "unsafe",
        ('<span class="t-word">void</span>', "does not hold"),
    ),
    Case(check("protocols/broken_pair.actions"), 1, "broken", ("The run", "3 actions")),
    Case(check("protocols/ping_pong.actions"), 0, "sequential", ('<span class="t-word">action</span>',)),
    Case(
        ("history", "register", "histories/stale_read.jsonl", "--no-cache"),
        1,
        "inexplicable",
        ("a contradiction!", "<svg", "entry hue-0"),
    ),
    Case(
        ("history", "histories/write_skew.edn", "--no-cache"),
        1,
        "not isolated",
        ("G2-item", "process 1", "NOT serializable"),
    ),
)


def test_every_kind_that_has_verdicts_is_here() -> None:
    with_verdicts = {kind.noun for kind in KINDS if {"check", "history"} & set(kind.commands)}
    names = [case.name for case in CASES]
    assert with_verdicts == {
        kind.noun for kind in KINDS if any(map(str.endswith, names, [kind.suffixes] * 99))
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_verdict_is_in_all_three_reports(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    paths = {form: tmp_path / f"report.{form}" for form in ("html", "sarif", "junit")}
    options = [word for form, path in paths.items() for word in (f"--{form}", str(path))]
    found = CliRunner().invoke(main, [*case.words, *options])
    assert found.exit_code == case.code, found.output
    page = paths["html"].read_text("utf-8")
    assert f">{case.verdict}</span>" in page
    assert not [words for words in case.told if words not in page]
    (run,) = json.loads(paths["sarif"].read_text("utf-8"))["runs"]
    (test,) = ElementTree.fromstring(paths["junit"].read_text("utf-8")).iter("testcase")
    problems = [child for child in test if child.tag in ("failure", "error")]
    findings = [each for each in run["results"] if each.get("level") == "error" or each.get("kind") == "open"]
    if case.code == 0:
        assert (findings, problems) == ([], [])
        return
    assert [each["ruleId"] for each in findings] == [case.verdict.replace(" ", "-")]
    assert [problem.get("type") for problem in problems] == [case.verdict]
    assert problems[0].text is not None
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    title, text = rule_help(findings[0]["ruleId"])
    assert rules[findings[0]["ruleId"]]["shortDescription"]["text"] == title
    assert rules[findings[0]["ruleId"]]["help"]["text"] == text
    if case.code == 1:
        assert "region" in findings[0]["locations"][0]["physicalLocation"]


def test_each_rule_has_a_help_of_its_own() -> None:
    told = [rule_help(rule) for rule in (*VIOLATIONS, UNDECIDED)]
    assert len({title for title, _ in told}) == len(told)
    assert len({text for _, text in told}) == len(told)
    assert all(len(text) > 100 for _, text in told)
    assert all(all(rule_help(code)) for code in ("SER005", "SER709", "SER240"))
