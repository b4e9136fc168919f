"""Marked linearization points: evidence of the kinds `points` and `commit` has to be about these marks."""

from dataclasses import replace
from typing import Literal

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.commit import CommitEvidence, CommittedState
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.points import PointsEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.points import AT_MARKS, steps_with_marks
from seriatim.checking.reference import ProgramReference
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.execution import big_steps
from seriatim.program.inputs import digest
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.source import SourceText
from testkit.inputs.written_runs import turn

COUNTER = read_specification(
    SourceText("-", "request inc { X := X + 1; X } request read { X } request zero { 1 }")
)

EARLY = "request inc { @lp x := X; yield; X := x + 1; x + 1 } request read { X }"
"""Increments take effect too early: when they have read the counter, and not written it yet."""


def report(text: str, evidence: Evidence, limit: int = 10_000) -> Report:
    content = parse(text)
    verdict: Literal["static_linearizable", "not_static_linearizable"] = (
        "static_linearizable" if isinstance(evidence, CommitEvidence) else "not_static_linearizable"
    )
    certificate = Certificate(digest(content), verdict, evidence, StaticLinearizability(COUNTER))
    return verify(certificate, content, Context(Allowance(limit)))


def turns(text: str) -> tuple[Turn, ...]:
    return tuple(turn(line) for line in text.split(";"))


FOUND = PointsEvidence(turns("1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1 ➜ 1"), (1, 2))
"""The read takes effect after the increment, and has not seen it."""


def test_points_in_an_order_that_is_not_allowed_are_accepted() -> None:
    found = report(EARLY, FOUND)
    assert found.accepted, found.complaint
    assert [obligation.detail for obligation in found.obligations[-4:]] == [
        "3 turns of 2 requests",
        "2 points",
        "replayed",
        "inc/1, read/0",
    ]
    assert found.obligations[-2].data == FOUND.turns


def test_who_has_not_taken_effect_may_be_in_flight() -> None:
    late = "request inc { x := X; yield; @lp X := 2; x + 1 } request read { X }"
    run = turns("1 inc X=0; 2 inc X=0; 1 inc X=2 ➜ 1; 3 read X=2 ➜ 2")
    assert report(late, PointsEvidence(run, (3, 4))).complaint == ""


WRONG: dict[str, tuple[str, tuple[int, ...], str]] = {
    "an order that is allowed": (
        "1 inc X=0; 1 inc X=1 ➜ 1; 2 read X=1 ➜ 1",
        (1, 3),
        "inc/1, read/1 is",
    ),
    "nothing at all": ("1 inc X=0", (), "turn 1: request 1, `inc`, cannot do that there"),
    "no turns": ("", (), " is"),
    "points in another order": (
        "1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1 ➜ 1",
        (2, 1),
        "the points are not in the order of their turns",
    ),
    "a point twice": (
        "1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1 ➜ 1",
        (1, 1, 2),
        "the points are not in the order of their turns",
    ),
    "a point beyond the end": (
        "1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1 ➜ 1",
        (1, 4),
        "there is no turn 4",
    ),
    "a point before the start": ("1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1 ➜ 1", (0, 2), "there is no turn 2"),
    "two points of a request": (
        "1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1 ➜ 1",
        (1, 2, 3),
        "some request has none, or several, or is not answered",
    ),
    "no point of a request": (
        "1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1 ➜ 1",
        (1,),
        "some request has none, or several, or is not answered",
    ),
    "a point of who is not answered": (
        "1 inc X=0; 2 read X=0 ➜ 0",
        (1, 2),
        "some request has none, or several, or is not answered",
    ),
    "at an answer, although there was a mark": (
        "1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1 ➜ 1",
        (2, 3),
        "turn 1: request 1, `inc`, cannot do that there",
    ),
    "another state": (
        "1 inc X=0; 2 read X=1 ➜ 0; 1 inc X=1 ➜ 1",
        (1, 2),
        "turn 2: request 2, `read`, cannot do that there",
    ),
    "another answer": (
        "1 inc X=0; 2 read X=0 ➜ 7; 1 inc X=1 ➜ 1",
        (1, 2),
        "turn 2: request 2, `read`, cannot do that there",
    ),
    "a turn after the answer": (
        "1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1 ➜ 1; 2 read X=1",
        (1, 2),
        "turn 4: request 2, `read`, cannot do that there",
    ),
    "a state by name": (
        "1 inc X=0; 2 read zero ➜ 0; 1 inc X=1 ➜ 1",
        (1, 2),
        "turn 2: request 2, `read`, cannot do that there",
    ),
    "another number": ("1 inc X=0; 3 read X=0 ➜ 0", (1, 2), "turn 2: request 3 should be request 2"),
}


@pytest.mark.parametrize(("run", "points", "message"), WRONG.values(), ids=WRONG.keys())
def test_points_that_are_wrong_are_refused(run: str, points: tuple[int, ...], message: str) -> None:
    evidence = PointsEvidence(turns(run) if run else (), points)
    assert report(EARLY, evidence).complaint.endswith(f": {message}")


UNMARKED = "request inc { x := X; yield; @lp 0; yield; X := x + 1; x + 1 } request read { X }"


def test_a_point_before_the_answer_passes_a_mark() -> None:
    run = turns("1 inc X=0; 1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1 ➜ 1")
    assert report(UNMARKED, PointsEvidence(run, (2, 3))).complaint == ""
    wrong = report(UNMARKED, PointsEvidence(run, (1, 3))).complaint
    assert wrong.endswith("turn 1: request 1, `inc`, cannot do that there")


def test_a_mark_that_an_answer_passes_is_its_point() -> None:
    """Whether it is marked or not, the point of who passes no other mark is its answer."""
    text = "request inc { x := X; yield; @lp X := 1; x + 1 } request read { X }"
    run = turns("1 inc X=0; 2 inc X=0; 1 inc X=1 ➜ 1; 2 inc X=1 ➜ 1")
    assert report(text, PointsEvidence(run, (3, 4))).complaint == ""
    assert report(text.replace("@lp ", "@lp 0; yield; "), PointsEvidence(run, (3, 4))).complaint != ""


def test_a_second_mark_is_nobodys_point() -> None:
    """Not even at an answer: who has taken effect passes no other mark."""
    twice = EARLY.replace("X := x + 1", "@lp X := x + 1")
    assert report(twice, FOUND).complaint.endswith("turn 3: request 1, `inc`, cannot do that there")


def test_who_only_answers_takes_no_step() -> None:
    text = f"{EARLY} request zero {{ 0 }}"
    assert report(text, PointsEvidence(turns("1 zero X=0 ➜ 0"), (1,))).complaint == ""
    for wrong in ("1 zero X=1 ➜ 0", "1 zero X=0 ➜ 1", "1 zero X=0; 1 zero X=0 ➜ 0"):
        points = (wrong.count(";") + 1,)
        complaint = report(text, PointsEvidence(turns(wrong), points)).complaint
        assert complaint.endswith("turn 1: request 1, `zero`, cannot do that there")


def test_who_answers_after_its_last_pause_need_not_take_a_step() -> None:
    text = EARLY.replace("x + 1; x + 1", "1; yield; 1")
    run = turns("1 inc X=0; 2 read X=0 ➜ 0; 1 inc X=1; 1 inc X=1 ➜ 1")
    assert report(text, PointsEvidence(run, (1, 2))).complaint == ""


def test_steps_are_not_replayed_for_nothing() -> None:
    reference = ProgramReference(parse(EARLY), big_steps)
    (fresh,) = reference.fresh("read")
    with pytest.raises(GaveUp):
        list(steps_with_marks(reference, fresh, reference.initial, Allowance(0, Deadline())))
    endless = EARLY.replace("x + 1; x + 1", "2; while (X > 0) { X := X * X }; 0")
    with pytest.raises(GaveUp, match="one step of a handler takes too long"):
        report(endless, FOUND)


# --- commits ------------------------------------------------------------------------------------------------

GUARDED = """
request inc { while (L == 1) { yield }; L := 1; x := X; yield; @lp X := 1 - x; yield; L := 0; 0 }
request read { X }
"""
EITHER = read_specification(SourceText("-", "request inc { X := 1 - X; 0 } request read { X }"))
COMMITTED = CommitEvidence(2, (), (CommittedState("inc", "L := 0; 0", (), "0"),))
"""Who has written X has taken effect, and still gives back the lock."""


def commit_report(text: str, evidence: CommitEvidence) -> Report:
    content = parse(text)
    question = StaticLinearizability(EITHER)
    return verify(Certificate(digest(content), "static_linearizable", evidence, question), content)


def test_commits_at_marks_are_accepted() -> None:
    found = commit_report(GUARDED, COMMITTED)
    assert found.accepted, found.complaint
    assert (found.obligations[-1].claim, found.obligations[-1].detail) == (
        AT_MARKS,
        "5 points at which requests can wait",
    )


GIVES_BACK = "#lp := 1; L := 0; 0"
"""What is left to do, where `@lp L := 0; 0` is written."""

ELSEWHERE: dict[str, tuple[str, str]] = {
    "before the commit": (GUARDED.replace("@lp ", "").replace("L := 1;", "@lp L := 1;"), "L := 0; 0"),
    "after the commit": (GUARDED.replace("@lp ", "").replace("L := 0", "@lp L := 0"), GIVES_BACK),
    "at the commit and after it": (GUARDED.replace("L := 0", "@lp L := 0"), GIVES_BACK),
    "at the commit and before it": (GUARDED.replace("L := 1;", "@lp L := 1;"), "L := 0; 0"),
    "nowhere but in another handler": (
        GUARDED.replace("@lp ", "").replace("{ X }", "{ @lp X }"),
        "L := 0; 0",
    ),
    "on one of two ways": (
        GUARDED.replace("@lp X := 1 - x", "if (?) { @lp 0 }; X := 1 - x"),
        "L := 0; 0",
    ),
}


@pytest.mark.parametrize(("text", "code"), ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_commits_that_are_not_at_marks_are_refused(text: str, code: str) -> None:
    evidence = replace(COMMITTED, committed=(CommittedState("inc", code, (), "0"),))
    assert commit_report(text, evidence).complaint == (
        f"{AT_MARKS}: `inc` passes a mark without taking effect, or takes effect without one"
    )


def test_who_has_taken_effect_may_go_on() -> None:
    longer = GUARDED.replace("L := 0; 0", "D := 1; yield; L := 0; 0")
    committed = (CommittedState("inc", "D := 1; yield; L := 0; 0", (), "0"), *COMMITTED.committed)
    assert commit_report(longer, replace(COMMITTED, committed=committed)).complaint == ""


def test_commits_are_at_marks_also_where_requests_meet() -> None:
    """Alone, nobody ever finds the lock taken, and answers 1; the specification allows that."""
    text = """
    request inc { if (L == 1) { 1 } else { L := 1; yield; @lp X := 1 - X; yield; L := 0; 0 } }
    """
    meets = text.replace("{ 1 }", "{ yield; L := 0; 0 }")
    for given, is_right in ((text, True), (meets, False)):
        content = parse(given)
        specification = read_specification(SourceText("-", "request inc { if (?) { 0 } else { 1 } }"))
        question = StaticLinearizability(specification)
        certificate = Certificate(digest(content), "static_linearizable", COMMITTED, question)
        assert verify(certificate, content).accepted == is_right


def test_marks_may_be_at_answers() -> None:
    marked = GUARDED.replace("request read { X }", "request read { @lp X }")
    assert commit_report(marked, COMMITTED).complaint == ""
    assert commit_report(
        "request inc { @lp X := 1 - X; 0 } request read { X }", CommitEvidence(1, (), ())
    ).accepted
    assert not commit_report(GUARDED, replace(COMMITTED, committed=())).accepted
