"""After any change of a certificate about a log, or of a line of the log, the checker refuses it."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.history import Comparison
from seriatim.certificate.transactions import Level
from seriatim.checking.allowance import GaveUp
from seriatim.deciding.log_evidence import verify_log
from seriatim.deciding.logs import About, AboutLevels, decide_log
from seriatim.frontends.reading import BadInput
from seriatim.history.reading import Format, format_by_suffix
from seriatim.result import Recorded
from seriatim.source import InputError
from testkit.inputs.transaction_texts import text_of_transactions
from testkit.oracles.isolation import random_log

HISTORIES = Path(__file__).parents[3] / "examples" / "histories"

CASES: list[tuple[str, About, str]] = [
    ("register.jsonl", Comparison("register"), "history-order"),
    ("stale_read.jsonl", Comparison("register"), "history-contradiction"),
    ("stale_read.jsonl", Comparison("register", ignores_times=True), "history-walk"),
    ("lost_update.csv", Comparison(str(HISTORIES.parent / "lost_update.ser")), "history-counts"),
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


def accepts(certificate: str, log: str) -> bool:
    try:
        claims = verify_log(certificate, log.splitlines(keepends=True), None, Deadline(60))
    except (BadInput, InputError, GaveUp):
        return False
    return all(claim.report.accepted for claim in claims)


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
        case bool() | None:
            yield not value
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
    assert accepts(certificate, log)
    changed = list(changed_values(found))
    assert len(changed) > 5
    for each in changed:
        assert not accepts(json.dumps(each), log), each


def changed_lines(log: str) -> Iterator[str]:
    """The log with one line left out or doubled, or with one digit changed."""
    lines = [line for line in log.splitlines(keepends=True) if line.strip()]
    for at, line in enumerate(lines):
        if "request,answer" in line or not any(character.isdigit() for character in line):
            continue
        before, behind = "".join(lines[:at]), "".join(lines[at + 1 :])
        yield before + behind
        yield before + line + line + behind
        for place, character in enumerate(line):
            if character.isdigit():
                other = line[:place] + str((int(character) + 1) % 10) + line[place + 1 :]
                yield before + other + behind


@pytest.mark.parametrize(("name", "about", "kind"), CASES)
def test_evidence_is_about_every_line_of_its_log(name: str, about: About, kind: str) -> None:
    log = text_of_log(name)
    certificate = evidence(log, format_by_suffix(name), about)
    changed = [each for each in changed_lines(log) if each != log]
    assert len(changed) > 3, kind
    for each in changed:
        assert not accepts(certificate, each), each


def log_that(level: Level, holds: bool, seed: int) -> tuple[str, str]:
    """A random log of which a level holds or not, and the evidence."""
    for number in range(1_000 * seed, 1_000 * (seed + 1)):
        text = text_of_transactions(random_log(Random(number), (3, 5)))
        answer = decide_log(
            "log", text.splitlines(keepends=True), Format.JSON_LINES, AboutLevels(level), Deadline(60)
        ).answer
        if isinstance(answer, Recorded) and answer.holds == holds:
            (certificate,) = answer.certificates
            return text, certificate
    raise AssertionError(f"no such log: {level}, {holds}")


@pytest.mark.parametrize("holds", [True, False])
@pytest.mark.parametrize("level", Level)
def test_both_answers_at_every_level_have_evidence_about_every_line(level: Level, holds: bool) -> None:
    for seed in range(3):
        log, certificate = log_that(level, holds, seed)
        assert accepts(certificate, log)
        for each in changed_lines(log):
            assert not accepts(certificate, each), each
        for other in changed_values(json.loads(certificate)):
            assert not accepts(json.dumps(other), log), other
