"""The checker on evidence about logs: what is true is accepted, and no forgery is."""

import pytest

from seriatim.certificate.history import (
    Contradiction,
    CountedContradiction,
    CountedOrder,
    HistoryCertificate,
    HistoryEvidence,
    TimedOrder,
)
from seriatim.checking.allowance import Allowance
from seriatim.checking.history.objects import Textbook
from seriatim.checking.history.verify import NEVER, About, Logged, verify_history
from seriatim.checking.obligation import Report


def at(request: str, answer: str | None, start: float, end: float = NEVER) -> Logged:
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


def test_an_order_that_ignores_times_is_refused_if_the_log_has_some() -> None:
    assert not report("register", FORGOTTEN, CountedOrder(((READ, WRITE),))).accepted
    assert report("register", untimed(READ, WRITE), CountedOrder(((READ, WRITE),))).accepted


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
