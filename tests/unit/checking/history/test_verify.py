"""The checker on evidence about logs: what is true is accepted, and no forgery is."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations
from random import Random
from typing import Any

import pytest

from seriatim.certificate.history import (
    Contradiction,
    CountedContradiction,
    CountedOrder,
    HistoryCertificate,
    HistoryEvidence,
    TimedOrder,
)
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.history import verify
from seriatim.checking.history.objects import Running, Textbook
from seriatim.checking.history.verify import NEVER, About, Logged, Time, _along, verify_history
from seriatim.checking.obligation import Report
from seriatim.folding import Repeated
from seriatim.frontends.ser.parser import parse
from seriatim.history.decide import Question, about_of
from seriatim.history.log import Entry
from testkit.oracles.logs import explains, is_explicable, model_named, orders, random_log
from testkit.samples import sample


def at(request: str, answer: str | None, start: float, end: Time = NEVER) -> Logged:
    return Logged(request, answer, start, end)


def untimed(*pairs: tuple[str, str | None]) -> list[Logged]:
    return [Logged(request, answer, -NEVER, NEVER) for request, answer in pairs]


def report(name: str, log: list[Logged], evidence: HistoryEvidence) -> Report:
    certificate = HistoryCertificate("a model", "a log", evidence)
    about = About("a model", "a log", tuple(log))
    return verify_history(certificate, about, Textbook(name, None, is_split=False), Allowance(10_000))


WRITE, READ = ("write(1)", "ok"), ("read", "null")
FORGOTTEN = [at("write(1)", "ok", 0, 1), at("read", "null", 2, 3)]
"""A register forgets what was written."""
NEVER_EMPTY = untimed(("enqueue(1)", "ok"), ("dequeue", "1"), ("dequeue", "1"))
"""A queue gives away twice what came once."""


@pytest.mark.parametrize(
    ("name", "log", "evidence"),
    [
        ("register", FORGOTTEN, TimedOrder(((0,), (1,)))),
        ("register", FORGOTTEN, TimedOrder(((1,), (0,)))),
        (
            "queue",
            NEVER_EMPTY,
            CountedOrder(
                (
                    (("enqueue(1)", "ok"), ("dequeue", "1")),
                    (("enqueue(1)", "ok"), ("dequeue", "1")),
                )
            ),
        ),
        (
            "counter",
            untimed(("add_and_get(1)", "1"), ("add_and_get(1)", "1")),
            CountedOrder(((("add_and_get(1)", "1"),), (("add_and_get(1)", "1"),))),
        ),
    ],
    ids=["times", "times, other order", "counts, and one too many", "counts"],
)
def test_two_orders_about_the_same_part_are_refused(
    name: str, log: list[Logged], evidence: HistoryEvidence
) -> None:
    """Each would begin with the initial state, as if nothing had happened in the other."""
    assert not report(name, log, evidence).accepted


def test_an_order_about_several_parts_is_refused() -> None:
    """Otherwise what is put at one key would be found at another one."""
    pairs = (("put(a,1)", "ok"), ("get(b)", "1"))
    timed = [at(*pair, place, place) for place, pair in enumerate(pairs)]
    assert not report("map", timed, TimedOrder(((0, 1),))).accepted
    assert not report("map", untimed(*pairs), CountedOrder((pairs,))).accepted


def test_an_order_that_ignores_times_is_refused_if_the_log_has_some() -> None:
    assert not report("register", FORGOTTEN, CountedOrder(((READ, WRITE),))).accepted
    assert report("register", untimed(READ, WRITE), CountedOrder(((READ, WRITE),))).accepted
    assert not report("register", [FORGOTTEN[0], *untimed(READ)], CountedOrder(((READ, WRITE),))).accepted


def test_no_more_answers_are_counted_than_the_log_has() -> None:
    log = untimed(("enqueue(1)", "ok"), ("dequeue", "1"))
    once, twice = (("enqueue(1)", "ok"), 1), (("dequeue", "1"), 2)
    assert not report("queue", log, CountedContradiction((twice,))).accepted
    assert not report("queue", log, CountedContradiction((once, twice))).accepted
    assert report("queue", [*log, *log[1:]], CountedContradiction((once, twice))).accepted


def test_counts_of_other_parts_do_not_matter() -> None:
    log = untimed(("put(a,1)", "ok"), ("get(a)", "2"), ("get(b)", "null"), ("put(b,2)", None))
    a, b = (("get(a)", "2"), 1), (("get(b)", "null"), 1)
    assert report("map", log, CountedContradiction((a,))).accepted
    assert not report("map", log, CountedContradiction((b,))).accepted
    assert not report("map", log, CountedContradiction((a, b))).accepted


@pytest.mark.parametrize("numbers", [(), (2,), (0, 2), (0, 1, 9)])
def test_a_contradiction_is_between_entries_of_the_log(numbers: tuple[int, ...]) -> None:
    assert report("register", FORGOTTEN, Contradiction((0, 1))).accepted
    found = report("register", FORGOTTEN, Contradiction(numbers)).obligations[-1]
    assert (found.holds, found.detail) == (False, "there are no such entries")


def test_a_contradiction_is_between_entries_about_one_part() -> None:
    log = [at("put(a,1)", "ok", 0, 1), at("get(b)", "2", 2, 3), at("get(c)", "null", 2, 3)]
    assert report("map", log, Contradiction((1,))).accepted
    for numbers in ((0, 1), (0, 1, 2)):
        assert not report("map", log, Contradiction(numbers)).accepted


def test_an_answer_at_the_very_end_of_another_request_may_come_from_it() -> None:
    log = [at("read", "1", 0, 2), at("write(1)", "ok", 2, 3)]
    assert not report("register", log, Contradiction((0, 1))).accepted
    assert report("register", log, TimedOrder(((1, 0),))).accepted


def test_a_request_without_an_answer_happens_at_most_once() -> None:
    log = untimed(("inc", None), ("read", "2"))
    assert not report("counter", log, CountedOrder(((A, A, ("read", "2")),))).accepted
    twice = [*untimed(("inc", None)), *log]
    assert report("counter", twice, CountedOrder(((A, A, ("read", "2")),))).accepted


def test_counts_that_are_listed_twice_are_refused() -> None:
    """Otherwise there would be fewer requests than the log has."""
    log = untimed(("inc", "ok"), ("inc", "ok"), ("read", "2"))
    one, answered = (("inc", "ok"), 1), (("read", "2"), 1)
    assert not report("counter", log, CountedContradiction((one, one, answered))).accepted
    assert not report("counter", log, CountedContradiction((one, answered))).accepted


def test_keys_that_end_with_a_bracket_are_keys_of_their_own() -> None:
    log = [at("put(a,1)", "ok", 0, 1), at("get(a))", "null", 2, 3), at("put(a),2)", "ok", 4, 5)]
    assert not report("map", log, Contradiction((0, 1))).accepted
    assert report("map", log, TimedOrder(((0,), (1, 2)))).accepted


# --- against all orders -------------------------------------------------------------------------------------

MODELS = ("counter", "map", "queue", "register", "set")


def question(seed: int, is_timed: bool) -> tuple[str, list[Entry], list[Logged]]:
    random = Random(seed)
    name = random.choice(MODELS)
    entries = random_log(name, random, is_timed)
    asked = Question(model_named(name), Textbook(name, None, is_split=False), name, entries)
    return name, entries, list(about_of(asked).entries)


def subsets(size: int) -> Iterator[tuple[int, ...]]:
    for length in range(1, size + 1):
        yield from combinations(range(size), length)


@pytest.mark.parametrize("short", [0, 5_000], ids=["long", "short"])
@pytest.mark.parametrize("seed", sample(60))
def test_a_contradiction_is_accepted_iff_no_order_explains_it(
    seed: int, short: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the log counts as a long one, of which only the first part is looked at."""
    monkeypatch.setattr(verify, "SHORT", short)
    name, entries, log = question(seed, is_timed=True)
    thing = Textbook(name, None, is_split=False)
    for chosen in subsets(len(log)):
        if len({thing.part(log[number].request) for number in chosen}) == 1:
            kept = [e if number in chosen else replace(e, answer=None) for number, e in enumerate(entries)]
            accepted = report(name, log, Contradiction(chosen)).accepted
            assert accepted is not is_explicable(model_named(name), kept)


@pytest.mark.parametrize("seed", sample(60))
def test_an_order_is_accepted_iff_it_explains_the_log(seed: int) -> None:
    """All orders of all entries, answered or not, that put them in one row."""
    name, entries, log = question(seed, is_timed=True)
    if name == "map":
        return
    allowed = {tuple(e.line - 1 for e in order) for order in orders(entries)}
    for length in range(len(log) + 1):
        for order in permutations(range(len(log)), length):
            is_right = order in allowed and explains(model_named(name), [entries[n] for n in order])
            assert report(name, log, TimedOrder((order,))).accepted is is_right


@pytest.mark.parametrize("seed", sample(60))
def test_counts_are_accepted_iff_no_order_has_them(seed: int) -> None:
    name, entries, log = question(seed, is_timed=False)
    if name == "map":
        return
    for chosen in subsets(len(log)):
        if all(log[number].answer is not None for number in chosen):
            kept = [e if n in chosen else replace(e, answer=None, end=9) for n, e in enumerate(entries)]
            lost = [n for n in range(len(log)) if log[n].answer is None]
            kept = [replace(e, end=None) if n in lost or n in chosen else e for n, e in enumerate(kept)]
            counts = Counter((each.request, each.answer or "") for each in (log[n] for n in chosen))
            accepted = report(name, log, CountedContradiction(tuple(counts.items()))).accepted
            assert accepted is not is_explicable(model_named(name), kept)


@pytest.mark.parametrize("seed", sample(60))
def test_walks_are_accepted_iff_they_explain_the_log(seed: int) -> None:
    name, entries, log = question(seed, is_timed=False)
    if name == "map":
        return
    entries = [e if e.answer else replace(e, answer="[]" if e.request == "read" else "ok") for e in entries]
    sure = Counter((each.request, each.answer) for each in log if each.answer is not None)
    pairs = [
        (each.request, each.answer or said.answer or "") for each, said in zip(log, entries, strict=True)
    ]
    for length in range(len(log) + 1):
        for order in permutations(range(len(log)), length):
            walk = tuple(pairs[n] for n in order)
            is_right = sure <= Counter(walk) and explains(model_named(name), [entries[n] for n in order])
            assert report(name, log, CountedOrder((walk,))).accepted is is_right


A, B = ("inc", "ok"), ("dec", "ok")


@pytest.mark.parametrize(
    ("walk", "log", "accepted"),
    [
        ((Repeated((A,), 5), ("read", "5")), [A] * 5 + [("read", "5")], True),
        ((Repeated((A,), 5), ("read", "4")), [A] * 5 + [("read", "4")], False),
        ((Repeated((Repeated((A,), 2), B), 3), ("read", "3")), [A] * 6 + [B] * 3 + [("read", "3")], True),
        ((Repeated((Repeated((A,), 2), B), 3), ("read", "3")), [A] * 6 + [B] * 2 + [("read", "3")], False),
        ((Repeated((A, B), 9), ("read", "0")), [A, B] * 9 + [("read", "0")], True),
        ((Repeated((A, B), 9), ("read", "1")), [A, B] * 9 + [("read", "1")], False),
        ((Repeated((A, ("read", "1")), 2),), [A, ("read", "1")] * 2, False),
    ],
)
def test_repeated_stretches(walk: tuple[Any, ...], log: list[tuple[str, str]], accepted: bool) -> None:
    assert report("counter", untimed(*log), CountedOrder((walk,))).accepted is accepted


LASSO = """
X := 0
request next { if (X == 3) { X := 1 } else { X := X + 1 }; 7 }
request look { X }
"""


@pytest.mark.parametrize("times", [1, 2, 3, 4, 5, 7, 10**9, 10**9 + 1, 10**9 + 2])
def test_long_repetitions_cost_little(times: int) -> None:
    """States repeat themselves, so that only what is left of whole rounds matters."""
    allowance = Allowance(200)
    thing = Running(parse(LASSO), allowance)
    for answer in range(4):
        walk = (Repeated((("next", "7"),), times), ("look", str(answer)))
        found = _along(walk, frozenset({thing.initial}), thing, allowance)
        assert bool(found) == (answer == 1 + (times - 1) % 3)


def test_an_order_needs_each_answered_entry_once() -> None:
    log = [at("read", "null", 0, 9), at("read", None, 0), at("read", "null", 0, 9)]
    for order, accepted in {(0, 2): True, (2, 1, 0): True, (0, 1): False, (0, 2, 2): False}.items():
        assert report("register", log, TimedOrder((order,))).accepted is accepted
    assert not report("register", log, TimedOrder(((0, 2, 3),))).accepted


@pytest.mark.parametrize(
    ("log", "evidence"),
    [
        (FORGOTTEN[:1], TimedOrder(((0,),))),
        (untimed(WRITE), CountedOrder(((WRITE,),))),
        (FORGOTTEN, Contradiction((1,))),
    ],
)
def test_work_is_bounded(log: list[Logged], evidence: HistoryEvidence) -> None:
    certificate, about = HistoryCertificate("m", "l", evidence), About("m", "l", tuple(log))
    thing, allowance = Textbook("register", None, is_split=False), Allowance()
    assert verify_history(certificate, about, thing, allowance).accepted
    with pytest.raises(GaveUp):
        verify_history(certificate, about, thing, Allowance(allowance.spent - 1))


def test_complaints_say_what_is_wrong() -> None:
    certificate = HistoryCertificate("m", "l", Contradiction((1,)))
    for about, complaint in {
        About("m", "k", tuple(FORGOTTEN)): "the certificate is about this log: the digests differ",
        About("k", "l", tuple(FORGOTTEN)): "the certificate is about this model: the digests differ",
        About("m", "l", tuple(FORGOTTEN)): "",
    }.items():
        thing = Textbook("register", None, is_split=False)
        assert verify_history(certificate, about, thing, Allowance()).complaint == complaint
    for log, evidence, detail in (
        (FORGOTTEN, CountedOrder(((READ, WRITE),)), "the order does not say which entries it is about"),
        (untimed(READ, WRITE), CountedOrder(((WRITE, READ),)), "a request gets another answer"),
        (untimed(READ, WRITE), CountedOrder(((WRITE,),)), "the counts differ"),
        (FORGOTTEN, TimedOrder(((0, 1),)), "entry 2 of the order gets another answer"),
        (FORGOTTEN, TimedOrder(((1, 0),)), "entry 2 of the order ended before an earlier one began"),
        (FORGOTTEN, TimedOrder(((0,),)), "entry 2 is missing"),
        (FORGOTTEN, Contradiction((0,)), "there is an order"),
    ):
        assert report("register", log, evidence).obligations[-1].detail == detail
