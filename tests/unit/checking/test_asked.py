"""What each question makes of a run, and of the runs that are allowed."""

from collections import Counter
from typing import Any

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.format import RunEvidence, Turn
from seriatim.certificate.question import (
    Linearizability,
    Observed,
    Serializability,
    StrictSerializability,
)
from seriatim.checking.allowance import Allowance
from seriatim.checking.asked import (
    NO_SERIAL_ORDER,
    NOT_IN_TIME,
    Asked,
    OutcomeQuestion,
    asked,
    observed_names,
    with_final_values,
    with_intervals,
)
from seriatim.checking.intervals import TimedReference
from seriatim.checking.observed import ObservedReference
from seriatim.checking.reference import ProgramReference
from seriatim.language.execution import big_steps
from seriatim.language.parser import parse
from seriatim.language.specification import read_specification
from seriatim.source import SourceText
from written_runs import turn

REFERENCE = ProgramReference(parse("request a { X := 1; yield; Y := 1; 0 } request b { X }"), big_steps)
START = (("X", 0), ("Y", 0))


def turns(text: str) -> tuple[Turn, ...]:
    return tuple(turn(line) for line in text.split(";"))


RUN = turns("1 a X=1,Y=0; 2 b X=1,Y=0 ➜ 1; 3 b X=1,Y=0 ➜ 1; 1 a X=1,Y=1 ➜ 0")


# --- outcomes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "observed", "seen"),
    [
        (RUN, "all", "X = 1, Y = 1"),
        (RUN, ("Y",), "Y = 1"),
        ((), "all", "X = 0, Y = 0"),
        (RUN[:2], ("X", "Y"), "X = 1, Y = 0"),
    ],
)
def test_an_observer_sees_the_final_values(run: tuple[Turn, ...], observed: Observed, seen: str) -> None:
    found = with_final_values(("a", "b"), START, observed, RunEvidence(run))
    answered = Counter((turn.handler, turn.response) for turn in run if turn.response is not None)
    assert found == answered + Counter({("(final values)", seen): 1})


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


# --- questions ----------------------------------------------------------------------------------------------

WRITTEN = read_specification(SourceText("-", "spec { init q; q -> q: b/7; }"))
PROGRAM = read_specification(SourceText("-", "request b { Z := Z + 1; Z }"))


def question(asking: OutcomeQuestion) -> Asked:
    return asked(asking, REFERENCE, big_steps, Allowance(1_000, Deadline()))


def test_serializability_is_about_serial_runs() -> None:
    found = question(Serializability())
    assert found.committing is found.counted is REFERENCE
    assert found.effects is found.words is found.runs.allowed
    assert (found.in_all_runs, found.is_serial) == (False, True)
    assert (found.runs.claim, found.runs.barriers, found.runs.pending) == (NO_SERIAL_ORDER, 0, False)
    assert found.effects.after(START, "b") == [("0", START)]
    assert found.runs.outcome(RunEvidence(RUN)) == Counter({("b", "1"): 2, ("a", "0"): 1})


def test_final_values_are_those_of_an_observer() -> None:
    found = question(Serializability(("Y",)))
    assert isinstance(found.committing, ObservedReference)
    assert found.committing is found.counted
    assert found.effects is found.words is found.runs.allowed
    assert (found.in_all_runs, found.is_serial, found.runs.claim) == (False, True, NO_SERIAL_ORDER)
    assert found.effects.after(found.effects.initial, "(final values)")[0][0] == "Y = 0"
    assert found.runs.outcome(RunEvidence(RUN))["(final values)", "Y = 1"] == 1


def test_strictness_is_serializability_in_time() -> None:
    found = question(StrictSerializability(2))
    assert found.committing is REFERENCE
    assert found.effects.after(START, "b") == [("0", START)]
    assert_in_time(found, barriers=2, pending=False)
    assert found.is_serial


@pytest.mark.parametrize("pending", [False, True])
def test_specifications_say_what_is_allowed(pending: bool) -> None:
    found = question(Linearizability(WRITTEN, 1, pending))
    assert found.committing is REFERENCE
    assert found.effects.after("q", "b") == [("7", "q")]
    assert_in_time(found, barriers=1, pending=pending)
    assert not found.is_serial


def test_a_program_may_be_a_specification() -> None:
    found = question(Linearizability(PROGRAM, 0))
    assert found.effects.after((("Z", 3),), "b") == [("4", (("Z", 4),))]
    assert not found.is_serial


def assert_in_time(found: Asked, barriers: int, pending: bool) -> None:
    timed: Any = found.counted
    assert isinstance(timed, TimedReference)
    assert (timed.inner, timed.last, timed.pending) == (REFERENCE, barriers + 1, pending)
    assert found.words is found.runs.allowed
    assert found.in_all_runs == pending
    assert (found.runs.claim, found.runs.barriers, found.runs.pending) == (NOT_IN_TIME, barriers, pending)
    assert found.runs.outcome(RunEvidence(RUN[1:2])) == Counter({("b", "1 [1,1]"): 1})


def test_what_is_observed_are_variables() -> None:
    for observed in ("all", ("X",), ("X", "Y")):
        assert observed_names(observed, START).holds
    found = observed_names(("Z", "X", "W"), START)
    assert (found.holds, found.detail) == (False, "W, Z is none")
    assert observed_names("all", "busy").holds
    assert not observed_names(("X",), "busy").holds
