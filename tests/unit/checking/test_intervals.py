"""Barriers of time: answers tell when requests began and ended, and words of completions respect that."""

from collections import Counter

import pytest

from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.allowed import WrittenSpecification
from seriatim.checking.intervals import AllowedInTime, Ended, TimedReference, with_intervals
from seriatim.checking.reference import ProgramReference, SystemReference
from seriatim.frontends.all import read_input
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.execution import big_steps
from seriatim.program.network_system import NetworkSystem
from seriatim.program.specification import SpecificationAutomaton
from seriatim.program.state import GlobalState
from seriatim.source import SourceText
from testkit.inputs.written_runs import turn

# --- what is allowed ----------------------------------------------------------------------------------------


def allowed_in_time(barriers: int, pending: bool) -> AllowedInTime:
    specification = read_specification(SourceText("-", "spec { init q; q -> r: a/0; r -> q: b/1; }"))
    assert isinstance(specification.meaning, SpecificationAutomaton)
    return AllowedInTime(WrittenSpecification(specification.meaning), barriers, pending)


def test_without_barriers_there_is_one_interval() -> None:
    allowed = allowed_in_time(0, pending=False)
    assert allowed.initial == "interval 1: q"
    assert allowed.after(allowed.initial, "a") == [("0 [1,1]", "interval 1: r")]
    assert allowed.after("interval 1: r", "b") == [("1 [1,1]", "interval 1: q")]
    assert allowed.after(allowed.initial, "b") == []


def test_who_ends_before_the_latest_beginning_comes_too_late() -> None:
    """States remember the latest interval in which anybody began."""
    allowed = allowed_in_time(2, pending=False)
    assert sorted(allowed.after(allowed.initial, "a")) == [
        ("0 [1,1]", "interval 1: r"),
        ("0 [1,2]", "interval 1: r"),
        ("0 [1,3]", "interval 1: r"),
        ("0 [2,2]", "interval 2: r"),
        ("0 [2,3]", "interval 2: r"),
        ("0 [3,3]", "interval 3: r"),
    ]
    assert sorted(allowed.after("interval 2: r", "b")) == [
        ("1 [1,2]", "interval 2: q"),
        ("1 [1,3]", "interval 2: q"),
        ("1 [2,2]", "interval 2: q"),
        ("1 [2,3]", "interval 2: q"),
        ("1 [3,3]", "interval 3: q"),
    ]


def test_who_is_pending_may_be_left_out_or_have_any_answer_and_precedes_nobody() -> None:
    allowed = allowed_in_time(1, pending=True)
    assert sorted(allowed.after(allowed.initial, "a")) == [
        ("* [1,ω]", "interval 1: q"),
        ("* [1,ω]", "interval 1: r"),
        ("* [2,ω]", "interval 1: q"),
        ("* [2,ω]", "interval 2: r"),
        ("0 [1,1]", "interval 1: r"),
        ("0 [1,2]", "interval 1: r"),
        ("0 [2,2]", "interval 2: r"),
    ]
    assert sorted(allowed.after("interval 2: r", "a")) == [
        ("* [1,ω]", "interval 2: r"),
        ("* [2,ω]", "interval 2: r"),
    ]


@pytest.mark.parametrize("pending", [False, True])
def test_nothing_is_allowed_where_nobody_has_come(pending: bool) -> None:
    allowed = allowed_in_time(1, pending)
    for state in ("q", "interval 2: r", "interval 3: q"):
        assert allowed.after(state, "a") == []


# --- the input ----------------------------------------------------------------------------------------------

Steps = set[tuple[str, GlobalState]]


class Timed:
    """A network system with barriers, whose local states have names here: `m2` began in the interval 2."""

    def __init__(self, barriers: int, pending: bool) -> None:
        system = read_input(SourceText("-", SYSTEM))
        assert isinstance(system, NetworkSystem)
        self.reference = TimedReference(SystemReference(system), barriers, pending)
        self.names = [local.name for local in system.locals]

    def steps(self, name: str, global_: str) -> Steps:
        found = self.reference.steps((self.names.index(name[:-1]), int(name[-1])), global_)
        return {
            (each.answer if isinstance(each, Ended) else f"{self.names[each[0]]}{each[1]}", after)
            for each, after in found
        }


SYSTEM = """{
  "initial_global": "g",
  "requests": [["p", "a"]],
  "responses": [["d", "done"], ["m", "early"]],
  "transitions": [
    ["a", "g", "m", "h"], ["a", "g", "a", "g"], ["a", "g", "x", "g"],
    ["m", "h", "m", "h"], ["m", "h", "d", "g"]
  ]
}"""
"""From `a`, where requests may wait, to `m`, where they can answer or go on to `d`; from `x`, to nowhere."""


def test_a_request_begins_with_its_first_step_and_answers_in_its_last() -> None:
    timed = Timed(0, pending=False)
    assert timed.reference.initial == "interval 1: g"
    assert timed.reference.requests == ("p",)
    assert timed.reference.fresh("p") == {(timed.names.index("a"), 0)}
    assert timed.steps("a0", "interval 1: g") == {
        ("m1", "interval 1: h"),
        ("early [1,1]", "interval 1: h"),
    }
    assert timed.steps("m1", "interval 1: h") == {("done [1,1]", "interval 1: g")}


def test_a_barrier_may_follow_an_answer() -> None:
    timed = Timed(1, pending=False)
    assert timed.steps("a0", "interval 1: g") == {
        ("m1", "interval 1: h"),
        ("early [1,1]", "interval 1: h"),
        ("early [1,1]", "interval 2: h"),
    }
    assert timed.steps("m1", "interval 2: h") == {("done [1,2]", "interval 2: g")}
    assert timed.steps("m2", "interval 2: h") == {("done [2,2]", "interval 2: g")}
    assert timed.steps("a0", "interval 2: g") == {
        ("m2", "interval 2: h"),
        ("early [2,2]", "interval 2: h"),
    }


def test_who_has_begun_may_be_pending_and_stops_where_nothing_leads_on() -> None:
    timed = Timed(0, pending=True)
    assert timed.steps("a0", "interval 1: g") == {
        ("m1", "interval 1: h"),
        ("x1", "interval 1: g"),
        ("early [1,1]", "interval 1: h"),
    }
    assert timed.steps("m1", "interval 1: h") == {
        ("done [1,1]", "interval 1: g"),
        ("* [1,ω]", "interval 1: h"),
    }
    assert timed.steps("x1", "interval 1: g") == {("* [1,ω]", "interval 1: g")}


def test_who_can_answer_at_once_does_so_without_a_step_and_only_then() -> None:
    timed = Timed(0, pending=False)
    assert timed.steps("m0", "interval 1: g") == {("early [1,1]", "interval 1: g")}
    assert timed.steps("m1", "interval 1: g") == set()


def test_nobody_moves_after_the_end_or_where_nobody_has_come() -> None:
    timed = Timed(1, pending=True)
    assert timed.reference.steps(Ended("done [1,1]"), timed.reference.initial) == frozenset()
    assert timed.steps("m1", "interval 2: g") == set()
    assert timed.steps("m1", "g") == set()


def test_only_who_has_ended_is_final_and_has_an_answer() -> None:
    timed = Timed(0, pending=False)
    (fresh,) = timed.reference.fresh("p")
    assert (timed.reference.answers(fresh), timed.reference.is_final(fresh)) == (frozenset(), False)
    ended = Ended("done [1,1]")
    assert (timed.reference.answers(ended), timed.reference.is_final(ended)) == (
        frozenset({"done [1,1]"}),
        True,
    )
    assert timed.reference.description(ended) == ("", ())
    assert timed.reference.description(fresh) == ("a", (("(interval)", 0),))


def test_requests_of_programs_are_described_with_the_interval_before_their_locals() -> None:
    reference = TimedReference(ProgramReference(parse("request a { x := X; yield; x }"), big_steps), 0, False)
    (fresh,) = reference.fresh("a")
    ((target, after),) = reference.steps(fresh, reference.initial)
    assert after == reference.initial == (("(interval)", 1), ("X", 0))
    assert reference.description(target) == ("x", (("(interval)", 1), ("x", 0)))


# --- runs ---------------------------------------------------------------------------------------------------


def turns(text: str) -> tuple[Turn, ...]:
    return tuple(turn(line) for line in text.split(";"))


RUN = turns("1 a X=1,Y=0; 2 b X=1,Y=0 ➜ 1; 3 b X=1,Y=0 ➜ 1; 1 a X=1,Y=1 ➜ 0")


@pytest.mark.parametrize(
    ("barriers", "outcome"),
    [
        ((), {("b", "1 [1,1]"): 2, ("a", "0 [1,1]"): 1}),
        ((2,), {("b", "1 [1,1]"): 1, ("b", "1 [2,2]"): 1, ("a", "0 [1,2]"): 1}),
        ((1, 2), {("b", "1 [2,2]"): 1, ("b", "1 [3,3]"): 1, ("a", "0 [1,3]"): 1}),
        ((2, 2), {("b", "1 [1,1]"): 1, ("b", "1 [3,3]"): 1, ("a", "0 [1,3]"): 1}),
    ],
)
def test_requests_begin_with_their_first_turn_and_end_with_their_answer(
    barriers: tuple[int, ...], outcome: dict[tuple[str, str], int]
) -> None:
    assert with_intervals(RunEvidence(RUN, barriers)) == Counter(outcome)


def test_who_is_in_flight_is_pending_since_it_began() -> None:
    run = turns("1 b X=0,Y=0 ➜ 0; 2 a X=1,Y=0; 3 a X=1,Y=0; 2 a X=1,Y=1 ➜ 0")
    assert with_intervals(RunEvidence(run, (2,))) == Counter(
        {("b", "0 [1,1]"): 1, ("a", "0 [1,2]"): 1, ("a", "* [2,ω]"): 1}
    )
