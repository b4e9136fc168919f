"""What deciders of logs get wrong easily: each rule of the table in docs/theory/isolation.md has a test."""

import json
import re
from pathlib import Path
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.transactions import Cycle, Cycles, Level, LevelCertificate, Step, weaker
from seriatim.checking.allowance import Allowance
from seriatim.checking.history.isolation import verify_level
from seriatim.checking.history.objects import Textbook
from seriatim.history.built_in import find_model
from seriatim.history.decide import NoOrder, Question, decide
from seriatim.history.log import Entry
from seriatim.history.reading import Format
from seriatim.history.transactions.decide import Decided, decide_levels
from seriatim.history.transactions.reading import read_transactions
from seriatim.source import InputError
from testkit.inputs.transaction_texts import log_of
from testkit.oracles.isolation import random_log
from testkit.oracles.logs import random_log as random_requests

TESTS = Path(__file__).parents[2]
PAGE = TESTS.parent / "docs" / "theory" / "isolation.md"


def test_the_table_names_a_test_for_each_rule() -> None:
    rows = re.findall(
        r"^\| (\d+) \| .* \| `([\w/]+\.py)::(\w+)(?:\[(.+)\])?` \|$", PAGE.read_text("utf-8"), re.M
    )
    assert [int(number) for number, *_ in rows] == list(range(1, 22))
    for number, file, test, case in rows:
        text = (TESTS / file).read_text("utf-8")
        assert f"def {test}(" in text, number
        assert case in text, number


def holds(level: Level, *texts: str, lists: bool = True) -> bool:
    (verdict,) = decide_levels(log_of(*texts, lists=lists), [level], Deadline(60)).values()
    assert isinstance(verdict, Decided)
    return verdict.holds


@pytest.mark.parametrize("empty", ["[]", "()", "nil"])
def test_empty_lists_are_equal_however_they_are_written(empty: str) -> None:
    text = f"{{:type :ok :process 0 :value [[:r 1 {empty}] [:append 1 5]]}}\n"
    text += "{:type :ok :process 1 :value ((:r 1 (5)) (:r 2 []))}\n"
    log = read_transactions([text], Format.EDN, Deadline())
    assert [t.operations[0] for t in log.transactions] == [("r", 1, ()), ("r", 1, (5,))]
    (verdict,) = decide_levels(log, [Level.SESSION_SERIALIZABLE], Deadline()).values()
    assert isinstance(verdict, Decided)
    assert verdict.holds


def test_lists_that_clash_are_searched_for_what_nobody_wrote() -> None:
    assert holds(Level.READ_UNCOMMITTED, "ax1", "ax2", "rx12", "rx2")
    assert not holds(Level.READ_UNCOMMITTED, "ax1", "ax2", "rx12", "rx9")


def test_a_foreign_value_after_an_own_write_is_read_from_its_writer() -> None:
    """The second one read x from the first one, although it had written x itself; so they go round."""
    texts = ("ry2 wx1", "wx9 rx1 wy2")
    assert not holds(Level.READ_COMMITTED, *texts, lists=False)
    log = log_of(*texts, lists=False)
    steps = (Step(0, 1, "wr", "x"), Step(1, 0, "wr", "y"))
    evidence = Cycles((Cycle(steps, ()),), ())
    certificate = LevelCertificate("digest", Level.READ_COMMITTED, evidence)
    assert verify_level(certificate, log, Allowance()).accepted


def test_the_order_of_appends_that_nobody_read_is_open() -> None:
    assert holds(Level.SERIALIZABLE, "ax1 ry2", "ax2 ay2")
    assert holds(Level.SERIALIZABLE, "ax1 ay2", "ax2 ry2")


def test_all_appends_that_nobody_read_come_after_who_read_what_was_before() -> None:
    for reader in (["ax1 ry", "ax2"], ["ax1", "ax2 ry"], ["ax1 ry", "ax2 ry"]):
        assert not holds(Level.SERIALIZABLE, "rx ay1", *reader)
        assert not holds(Level.SERIALIZABLE, "ax9", "rx9 ay1", *reader)


INITIAL = [
    (["rx7", "wx1", "rx1"], "any", Level.SERIALIZABLE, True),
    (["rx7", "wx1", "rx1"], "nil", Level.READ_UNCOMMITTED, False),
    (["rx7", "rx8", "wx1"], "any", Level.READ_UNCOMMITTED, False),
    (["rx7", "rx", "wx1"], "any", Level.READ_UNCOMMITTED, False),
    (["wx1", "rx7"], "any", Level.STRICT_SERIALIZABLE, False),
    (["wx1", "rx7"], "any", Level.SERIALIZABLE, True),
]


@pytest.mark.parametrize(("texts", "initial", "level", "expected"), INITIAL)
def test_one_value_that_nobody_wrote_may_be_initial(
    texts: list[str], initial: str, level: Level, expected: bool
) -> None:
    events = []
    for number, text in enumerate(texts):
        shown = int(text[2:]) if text[2:] else None
        asked = None if text[0] == "r" else shown
        for kind, value in (("invoke", asked), ("ok", shown)):
            events.append({"type": kind, "process": number, "value": [[text[0], text[1], value]]})
    lines = [json.dumps(event) + "\n" for event in events]
    log = read_transactions(lines, Format.JSON_LINES, Deadline(), initial == "any")
    (verdict,) = decide_levels(log, [level], Deadline(60)).values()
    assert isinstance(verdict, Decided)
    assert verdict.holds == expected
    assert read_transactions(lines, Format.JSON_LINES, Deadline(), initial != "any").digest != log.digest


def test_initial_values_are_for_registers() -> None:
    line = '{"type": "ok", "process": 0, "value": [["append", "x", 1]]}\n'
    with pytest.raises(InputError, match="begin empty"):
        read_transactions([line], Format.JSON_LINES, Deadline(), any_initial=True)


def test_a_key_without_an_order_answers_for_all() -> None:
    """For key a, 40 writes in flight have 2**40 ways, and none leads to what is read; b is wrong at once."""
    entries = [Entry(line, f"put(a,{line % 20})", "ok", 0, 1_000) for line in range(40)]
    entries.append(Entry(50, "get(a)", "99", 2_000, 2_001))
    entries += [Entry(51, f"put(b,{line % 5})", "ok", 0, 9) for line in range(10)]
    entries.append(Entry(52, "get(b)", "99", 10, 11))
    question = Question(find_model("map", None), Textbook("map", None, is_split=False), "map", entries)
    outcome = decide(question, Deadline(30))
    assert isinstance(outcome, NoOrder)
    assert outcome.part == "b"


def test_strict_levels_imply_the_session_levels() -> None:
    assert Level.SESSION_SERIALIZABLE in weaker(Level.STRICT_SERIALIZABLE)
    assert Level.SESSION_SNAPSHOT in weaker(Level.STRONG_SNAPSHOT)
    assert holds(Level.STRICT_SERIALIZABLE, "?p:ax1", "p:rx", "q:rx1")
    assert not holds(Level.SESSION_SERIALIZABLE, "p:ax1", "p:rx", "q:rx1")


@pytest.mark.parametrize("why", ["rw", "ww"])
def test_prefix_counts_no_step_that_ends_at_a_commit_before_one_from_a_snapshot(why: str) -> None:
    """Write skew, and a lost update: both are allowed at prefix."""
    texts = ("ry ax1", "rx ay1") if why == "rw" else ("rx ax1", "rx ax2", "rx12")
    first = Step(0, 1, why, "y" if why == "rw" else "x")
    evidence = Cycles((Cycle((first, Step(1, 0, "rw", "x")), ()),), ())
    log = log_of(*texts, timed=False)
    expected = {Level.PREFIX: False, Level.SERIALIZABLE: True, Level.SNAPSHOT: why == "ww"}
    for level, accepted in expected.items():
        certificate = LevelCertificate("digest", level, evidence)
        assert verify_level(certificate, log, Allowance()).accepted is accepted, level
    assert holds(Level.PREFIX, *texts)


def test_generators_make_what_deciders_get_wrong() -> None:
    logs = [random_log(Random(seed)) for seed in range(1_000)]
    own = partial = untimed = again = unsure = 0
    for log in logs:
        untimed += not log.is_timed
        processes = [t.process for t in log.transactions if t.status == "info"]
        unsure += bool(processes)
        last = {t.process: t.start or 0 for t in log.transactions}
        again += any(t.status == "info" and last[t.process] > (t.start or 0) for t in log.transactions)
        blocks = {
            (each.line, key): tuple(v for f, k, v in each.operations if f == "append" and k == key)
            for each in log.transactions
            for _, key, _ in each.operations
        }
        for each in log.transactions:
            mine: tuple[object, ...] = ()
            for f, key, value in each.operations:
                if f == "append":
                    mine = blocks[each.line, key][:1]
                elif isinstance(value, tuple):
                    own += bool(mine) and not set(mine) <= set(value)
                    for block in blocks.values():
                        partial += 0 < len(set(block) & set(value)) < len(block)
    assert min(own, partial, untimed, again, unsure) >= 10, (own, partial, untimed, again, unsure)


def test_generators_make_long_gets_over_appends() -> None:
    found = 0
    for seed in range(1_000):
        entries = random_requests("kv", Random(seed), timed=True)
        times = [(e.request, e.start, e.end) for e in entries]
        gets = [(start, end) for text, start, end in times if text == "get(a)"]
        appends = [(start, end) for text, start, end in times if text.startswith("append(a")]
        for start, end in gets:
            for first, last in appends:
                if start is not None and end is not None and first is not None and last is not None:
                    found += start < first and last < end
    assert found >= 10
