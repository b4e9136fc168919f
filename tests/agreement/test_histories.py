"""Logs: what is decided agrees with trying all orders; the checker accepts it, and refuses forgeries."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.history import (
    Comparison,
    Contradiction,
    CountedContradiction,
    CountedOrder,
    HistoryCertificate,
    HistoryEvidence,
    TimedOrder,
    read,
    write,
)
from seriatim.checking.allowance import Allowance
from seriatim.checking.history.objects import Running, Textbook, Thing
from seriatim.folding import Repeated
from seriatim.frontends.ser.parser import parse
from seriatim.history.decide import NoOrder, Order, Question, about_of, check, decide
from seriatim.history.handlers import Handlers
from seriatim.history.log import Entry, Invoked, Returned
from seriatim.history.model import Model
from seriatim.history.search import Op, Search
from seriatim.history.smallest import Smallest
from seriatim.history.stream import CountedStream, EntryStream, EventStream
from seriatim.history.timed import events, operations
from seriatim.history.zones import Clash, decide_by_values
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.oracles.logs import COIN, REQUESTS, is_explicable, model_named, random_log
from testkit.samples import sample

SAME = Comparison("register", "0", None, ignores_times=True, is_keyed=False)
BANK = '{"a": 1, "b": 0}'


def thing_named(name: str) -> Thing:
    if name == "coin":
        return Running(parse(COIN), Allowance())
    return Textbook(name, BANK if name == "bank" else None, is_split=False)


def random_question(seed: int, timed: bool | None = None) -> Question:
    random = Random(seed)
    name = random.choice(sorted(REQUESTS))
    is_timed = random.random() < 0.6 if timed is None else timed
    model = model_named(name)
    return Question(model, thing_named(name), name, random_log(name, random, is_timed))


@pytest.mark.parametrize("seed", sample(500, 50))
def test_decisions_agree_with_all_orders_and_are_checked(seed: int) -> None:
    for part in range(20):
        question = random_question(20 * seed + part)
        outcome = decide(question, Deadline(60))
        assert isinstance(outcome, Order | NoOrder)
        assert isinstance(outcome, Order) == is_explicable(question.model, question.entries)
        assert read(write(outcome.certificate, SAME, "csv")) == (SAME, "csv", outcome.certificate)


@pytest.mark.parametrize("seed", sample(40, 8))
def test_queues_without_times_are_decided_by_trials(seed: int) -> None:
    """Few requests have many states: no solver is asked."""
    random = Random(seed)
    for _ in range(5):
        requests = [random.choice(("dequeue", "enqueue(1)", "enqueue(2)", "enqueue(3)")) for _ in range(6)]
        answers = [random.choice(("1", "2", "null")) if each == "dequeue" else "ok" for each in requests]
        entries = [
            Entry(line, request, None if random.random() < 0.2 else answer)
            for line, (request, answer) in enumerate(zip(requests, answers, strict=True), 1)
        ]
        question = Question(model_named("queue"), thing_named("queue"), "queue", entries)
        outcome = decide(question, Deadline(60))
        assert isinstance(outcome, Order | NoOrder)
        assert isinstance(outcome, Order) == is_explicable(question.model, entries)


@pytest.mark.parametrize("seed", sample(50))
def test_smallest_sets_contradict_themselves_and_lose_that_with_each_entry(seed: int) -> None:
    for part in range(20):
        question = random_question(20 * seed + part, timed=True)
        outcome = decide(question, Deadline(60))
        if isinstance(outcome, NoOrder) and isinstance(outcome.contradiction, Smallest):
            numbers = set(outcome.contradiction.numbers)
            assert not is_explicable(question.model, relaxed(question, numbers))
            for number in numbers if len(numbers) > 1 else ():  # One may wait for ever, whatever it answers.
                assert is_explicable(question.model, relaxed(question, numbers - {number}))


def relaxed(question: Question, kept: set[int]) -> list[Entry]:
    return [
        entry if number in kept else replace(entry, answer=None)
        for number, entry in enumerate(question.entries)
    ]


@pytest.mark.parametrize("seed", sample(200, 20))
def test_searches_agree_with_all_orders(seed: int) -> None:
    for part in range(20):
        question = random_question(20 * seed + part, timed=True)
        parts: dict[object, list[Op]] = {}
        for op in operations(question.model, question.entries):
            parts.setdefault(question.model.part(op.request), []).append(op)
        found = [searched(question.model, mine) for mine in parts.values()]
        assert (None not in found) == is_explicable(question.model, question.entries)


def searched(model: Model, ops: list[Op]) -> tuple[int, ...] | None:
    search = Search(model, ops)
    while not search.is_over:
        search.advance(1, Deadline(60))
    return search.order


def distinct_writes(random: Random, count: int) -> list[Entry]:
    """A register whose written values differ, except that the initial one may be written."""
    found: list[Entry] = []
    written = 0
    for line in range(1, count + 1):
        start = random.randint(0, 8)
        end = start + random.randint(0, 4)
        lost = random.random() < 0.15
        if random.random() < 0.5:
            request, answer = f"write({written or 'null'})", "ok"
            written += 1 if written or random.random() < 0.1 else 2
        else:
            request, answer = "read", random.choice(("null", "1", "2", "3", "4"))
        found.append(Entry(line, request, None if lost else answer, start, None if lost else end))
    return found


@pytest.mark.parametrize("seed", sample(200, 20))
def test_registers_with_different_values_are_decided_by_sorting(seed: int) -> None:
    model, thing = model_named("register"), thing_named("register")
    for part in range(20):
        random = Random(20 * seed + part)
        entries = distinct_writes(random, random.randint(2, 6))
        found = decide_by_values(model, list(operations(model, entries)))
        if found is None:
            continue
        assert isinstance(found, Clash) != is_explicable(model, entries)
        evidence = Contradiction(found.numbers) if isinstance(found, Clash) else TimedOrder((found,))
        assert is_accepted(Question(model, thing, "register", entries), evidence)


def test_values_that_are_written_twice_or_are_initial_are_not_sorted() -> None:
    model = model_named("register")
    twice = [Entry(1, "write(1)", "ok", 0, 1), Entry(2, "write(1)", "ok", 2, 3)]
    initial = [Entry(1, "read", "null", 0, 1), Entry(2, "write(null)", "ok", 2, 3)]
    for entries in (twice, initial):
        assert decide_by_values(model, list(operations(model, entries))) is None
        assert isinstance(decide(question_of(entries), Deadline(60)), Order)


def test_a_read_that_took_effect_says_nothing_about_later_states() -> None:
    """The read of `a` may take effect before `b` and `c`, although it ends with them in flight."""
    entries = [
        Entry(1, "append(k,a)", "ok", 0, 1),
        Entry(2, "get(k)", "a", 2, 10),
        Entry(3, "append(k,b)", "ok", 3, 4),
        Entry(4, "append(k,c)", "ok", 5, 6),
    ]
    model = model_named("kv")
    assert searched(model, list(operations(model, entries))) == (0, 1, 2, 3)
    assert isinstance(decide(question_of(entries, "kv"), Deadline(60)), Order)


def test_twenty_clients_with_different_values_are_decided() -> None:
    entries: list[Entry] = []
    for line in range(2_000):
        start = line // 20 * 10 + line % 5
        answer = None if line < 20 else f"{line - 20 - line % 20 + 7}"
        request = f"write({line})" if line % 20 < 10 else "read"
        entries.append(Entry(line, request, "ok" if line % 20 < 10 else answer or "null", start, start + 7))
    assert isinstance(decide(question_of(entries), Deadline(60)), Order)
    stale = [*entries, Entry(9_999, "read", "1", 5_000, 5_001)]
    assert isinstance(decide(question_of(stale), Deadline(60)), NoOrder)


# --- streams ------------------------------------------------------------------------------------------------


def prefixes(question: Question) -> Iterator[tuple[Invoked | Returned, list[Entry]]]:
    """The events of a log, each with what is known after it."""
    known: dict[int, Entry] = {}
    ops = sorted(operations(question.model, question.entries), key=lambda op: op.start)
    for line, (op, is_end) in enumerate(events(ops), 1):
        entry = question.entries[op.number]
        if not is_end:
            known[op.number] = replace(entry, answer=None, end=None)
            yield Invoked(line, str(op.number), entry.request), list(known.values())
        else:
            known[op.number] = entry
            yield Returned(line, str(op.number), entry.answer, happened=True), list(known.values())


@pytest.mark.parametrize("seed", sample(60))
def test_streams_of_events_raise_the_alarm_as_soon_as_it_is_certain(seed: int) -> None:
    for part in range(10):
        question = random_question(10 * seed + part, timed=True)
        stream = EventStream(question.model)
        for record, known in prefixes(question):
            alarm = stream.feed(record)
            assert (alarm is None) == is_explicable(question.model, known), (seed, part)
            if alarm is not None:
                break


@pytest.mark.parametrize("seed", sample(60))
def test_streams_of_entries_find_what_whole_logs_show(seed: int) -> None:
    for part in range(10):
        question = random_question(10 * seed + part, timed=True)
        stream = EntryStream(question.model, longest=10)
        entries = sorted(question.entries, key=lambda e: e.end if e.end is not None else 99)
        alarm = next((found for entry in entries if (found := stream.feed(entry)) is not None), None)
        alarm = alarm or stream.finish()
        assert (alarm is None) == is_explicable(question.model, question.entries)


CYCLE = """
X := 0
request next { if (X == 2) { X := 0 } else { X := X + 1 }; X }
request once { if (X == 0) { X := 1; 5 } else { 6 } }
"""


@pytest.mark.parametrize("seed", sample(30))
def test_a_stream_of_counts_raises_no_alarm_where_an_extension_fits(seed: int) -> None:
    """An extension may have requests that were not seen before."""
    program = parse(CYCLE)
    unfolding = ProgramUnfolding(program, Limits(), Deadline())
    model = Handlers("cycle", unfolding, program.answer_names, 1_000)
    random = Random(seed)
    answers = {"next": ("1", "2", "0", "3"), "once": ("5", "6", "6")}
    for _ in range(2):
        requests = [random.choice(("next", "once")) for _ in range(4)]
        log = [Entry(line, each, random.choice(answers[each])) for line, each in enumerate(requests, 1)]
        stream = CountedStream(model, Deadline(60))
        alarm = next((found for entry in log if (found := stream.feed(entry)) is not None), None)
        for length in range(1, 5):
            extra = [Entry(99, request, None) for request in ("next", "next", "once")]
            if is_explicable(model, [*log[:length], *extra]):
                assert alarm is None or alarm.line > length
        assert (alarm is None) == all(entry.answer != "3" for entry in log)


def test_a_value_that_may_still_be_written_is_no_alarm() -> None:
    stream = CountedStream(model_named("register"), Deadline(60))
    assert stream.feed(Entry(1, "read", "7")) is None


# --- forgeries ----------------------------------------------------------------------------------------------

STALE = [
    Entry(1, "write(1)", "ok", 0, 2),
    Entry(2, "read", "1", 1, 3),
    Entry(3, "write(2)", "ok", 4, 6),
    Entry(4, "read", "1", 8, 9),
]


def question_of(entries: list[Entry], name: str = "register") -> Question:
    return Question(model_named(name), thing_named(name), name, entries)


def is_accepted(question: Question, evidence: HistoryEvidence, **changes: str) -> bool:
    about = about_of(question)
    certificate = HistoryCertificate(
        changes.get("model", about.model), changes.get("log", about.log), evidence
    )
    return check(certificate, question, about, Deadline(60)).accepted


@pytest.mark.parametrize(
    "evidence",
    [
        TimedOrder(((0, 1, 3, 2),)),  # line 4 began after line 3 had ended
        TimedOrder(((0, 1, 2, 3),)),  # line 4 would answer 2
        TimedOrder(((0, 1, 2),)),  # line 4 is left out
        TimedOrder(((0, 1, 1, 2),)),
        TimedOrder(((0, 1, 2, 7),)),
        TimedOrder(((0, 1), (2, 3))),  # one part, two orders
        Contradiction((0,)),
        Contradiction((1, 2)),
        Contradiction(()),
        Contradiction((9,)),
    ],
)
def test_forged_evidence_about_times_is_refused(evidence: HistoryEvidence) -> None:
    question = question_of(STALE)
    assert not is_accepted(question, evidence)


def test_evidence_about_another_log_or_model_is_refused() -> None:
    question = question_of(STALE)
    assert is_accepted(question, Contradiction((3,)))
    assert not is_accepted(question, Contradiction((3,)), log="0" * 64)
    assert not is_accepted(question, Contradiction((3,)), model="0" * 64)


COUNTED = [Entry(line, "write(1)", "ok") for line in range(3)] + [Entry(4, "read", "1")]


@pytest.mark.parametrize(
    ("evidence", "accepted"),
    [
        (CountedOrder(((("write(1)", "ok"), ("write(1)", "ok"), ("write(1)", "ok"), ("read", "1")),)), True),
        (CountedOrder(((Repeated((("write(1)", "ok"),), 3), ("read", "1")),)), True),
        (CountedOrder(((Repeated((("write(1)", "ok"),), 2), ("read", "1")),)), False),
        (CountedOrder(((("read", "1"), Repeated((("write(1)", "ok"),), 3)),)), False),
        (CountedContradiction(((("read", "1"), 1),)), False),
        (CountedContradiction(((("read", "1"), 2),)), False),
        (CountedContradiction(((("read", "2"), 1),)), False),
        (CountedContradiction(()), False),
    ],
)
def test_evidence_about_counts_is_accepted_iff_it_is_true(evidence: HistoryEvidence, accepted: bool) -> None:
    assert is_accepted(question_of(COUNTED), evidence) is accepted


def test_a_hundred_million_entries_are_few_kinds_of_answers() -> None:
    """Counts, not entries, are what it takes."""
    from seriatim.history.automaton import explore
    from seriatim.history.counted import Flow, NoWalk, Tally, Walk

    model = model_named("register")
    label = [(model.request(text), answer) for text, answer in (("write(1)", "ok"), ("write(2)", "ok"))]
    reads = [(model.request("read"), answer) for answer in ("1", "2")]
    tally = Tally({**dict.fromkeys(label, 10**7), **dict.fromkeys(reads, 4 * 10**7)}, {})
    flow = Flow(explore(model, tally.requests(), Deadline(60)), Deadline(60))
    found = flow.walk(tally.answered, tally.totals(), {})
    assert isinstance(found, Walk)
    assert found.taken == dict(tally.answered)
    wrong = {**tally.answered, (model.request("read"), "null"): 1}
    totals = {**tally.totals(), model.request("read"): 8 * 10**7 + 1}
    assert isinstance(flow.walk(wrong, totals, {}), Walk)
    assert isinstance(flow.walk({(model.request("read"), "3"): 1}, tally.totals(), {}), NoWalk)
