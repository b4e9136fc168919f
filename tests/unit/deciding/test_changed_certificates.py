"""After any change of a certificate about a log, or of a line of the log, the checker refuses it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seriatim.budget import Deadline
from seriatim.certificate import history as about_requests
from seriatim.certificate import transactions as about_levels
from seriatim.certificate.transactions import Level
from seriatim.checking.allowance import GaveUp
from seriatim.deciding.logs import (
    About,
    AboutLevels,
    AboutRequests,
    decide_log,
    load_model,
    question_about,
    read_entries,
    read_log,
    recheck_level,
    recheck_requests,
)
from seriatim.history.reading import Format, format_by_suffix
from seriatim.result import Recorded
from seriatim.source import InputError

HISTORIES = Path(__file__).parents[3] / "examples" / "histories"

CASES: list[tuple[str, About, str]] = [
    ("register.jsonl", AboutRequests("register"), "history-order"),
    ("stale_read.jsonl", AboutRequests("register"), "history-contradiction"),
    ("stale_read.jsonl", AboutRequests("register", ignores_times=True), "history-walk"),
    ("lost_update.csv", AboutRequests(str(HISTORIES.parent / "lost_update.ser")), "history-counts"),
    ("write_skew.edn", AboutLevels(Level.STRONG_SNAPSHOT), "transaction-order"),
    ("write_skew.edn", AboutLevels(Level.SERIALIZABLE), "transaction-cycles"),
    ("fractured.jsonl", AboutLevels(Level.SERIALIZABLE), "transaction-cycles"),
    ("fractured.jsonl", AboutLevels(Level.READ_ATOMIC), "transaction-cycles"),
    ("garbage.jsonl", AboutLevels(Level.READ_UNCOMMITTED), "transaction-anomaly"),
]

GARBAGE = """{"type": "ok", "process": 0, "value": [["w", 1, 1]]}
{"type": "ok", "process": 1, "value": [["r", 1, 2]]}
"""


def text_of_log(name: str) -> str:
    return GARBAGE if name == "garbage.jsonl" else (HISTORIES / name).read_text("utf-8")


def evidence(text: str, form: Format, about: About) -> str:
    answer = decide_log("log", text.splitlines(keepends=True), form, about, Deadline(60)).answer
    assert isinstance(answer, Recorded)
    (certificate,) = answer.certificates
    return certificate


def accepts(certificate: str, log: str, form: Format, about: About) -> bool:
    lines = log.splitlines(keepends=True)
    deadline = Deadline(60)
    try:
        if isinstance(about, AboutLevels):
            return recheck_level(
                about_levels.read(certificate), read_log(lines, form, deadline), deadline
            ).accepted
        entries = read_entries(lines, form, about.ignores_times)
        question = question_about(load_model(about, deadline), entries)
        return recheck_requests(about_requests.read(certificate), question, deadline).accepted
    except (InputError, GaveUp):
        return False


def changed_values(value: Any) -> Iterator[Any]:
    """The value with one number or text changed, or one element of a list left out or doubled."""
    match value:
        case dict():
            for key, each in value.items():
                yield from ({**value, key: other} for other in changed_values(each))
        case list():
            for at, each in enumerate(value):
                yield [*value[:at], *value[at + 1 :]]
                yield [*value[: at + 1], *value[at:]]
                yield from ([*value[:at], other, *value[at + 1 :]] for other in changed_values(each))
        case int():
            yield value + 1
        case str():
            yield value + "x"
        case _:
            return


@pytest.mark.parametrize(("name", "about", "kind"), CASES)
def test_changed_certificates_are_refused(name: str, about: About, kind: str) -> None:
    log, form = text_of_log(name), format_by_suffix(name)
    certificate = evidence(log, form, about)
    found = json.loads(certificate)
    assert found["kind"] == kind
    assert accepts(certificate, log, form, about)
    changed = list(changed_values(found))
    assert len(changed) > 5
    for each in changed:
        assert not accepts(json.dumps(each), log, form, about), each


@pytest.mark.parametrize(("name", "about", "kind"), CASES)
def test_evidence_is_about_every_line_of_its_log(name: str, about: About, kind: str) -> None:
    log, form = text_of_log(name), format_by_suffix(name)
    certificate = evidence(log, form, about)
    lines = [line for line in log.splitlines(keepends=True) if line.strip() and "request,answer" not in line]
    assert len(lines) > 1, kind
    for at, line in enumerate(lines):
        if not any(character.isdigit() for character in line):
            continue
        without = log.replace(line, "", 1)
        twice = "".join([*lines[: at + 1], *lines[at:]])
        assert not accepts(certificate, without, form, about), line
        assert not accepts(certificate, twice if form is not Format.CSV else log + line, form, about), line
