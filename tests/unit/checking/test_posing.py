"""What evidence has to be about, by the question that was asked."""

from collections import Counter
from typing import Any

import pytest

from seriatim.budget import Deadline
from seriatim.checking.allowance import Allowance
from seriatim.checking.intervals import TimedReference
from seriatim.checking.observed import ObservedReference
from seriatim.checking.posing import (
    NO_SERIAL_ORDER,
    NOT_IN_TIME,
    Demand,
    check_observed,
    demand,
    final_values,
)
from seriatim.checking.reference import ProgramReference
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.execution import big_steps
from seriatim.program.state import GlobalState
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.serializable import Serializability
from seriatim.properties.statement import Observed
from seriatim.properties.strict import StrictSerializability
from seriatim.source import SourceText

REFERENCE = ProgramReference(parse("request a { X := 1; yield; Y := 1; 0 } request b { X }"), big_steps)
START = (("X", 0), ("Y", 0))


@pytest.mark.parametrize(
    ("final", "observed", "seen"),
    [
        ((("X", 1), ("Y", 2)), "all", "X = 1, Y = 2"),
        ((("X", 1), ("Y", 2)), ("X", "Y"), "X = 1, Y = 2"),
        ((("X", 1), ("Y", 2)), ("Y",), "Y = 2"),
        ("busy", "all", "busy"),
    ],
)
def test_an_observer_sees_the_final_values(final: GlobalState, observed: Observed, seen: str) -> None:
    assert final_values(("a", "b"), observed, final) == Counter({("(final values)", seen): 1})


WRITTEN = read_specification(SourceText("-", "spec { init q; q -> q: b/7; }"))
PROGRAM = read_specification(SourceText("-", "request b { Z := Z + 1; Z }"))


def question(asking: Serializability | StrictSerializability | Linearizability) -> Demand:
    return demand(asking.states(), REFERENCE, big_steps, Allowance(1_000, Deadline()))


def test_serializability_is_about_serial_runs() -> None:
    found = question(Serializability())
    assert found.committing is found.counted is REFERENCE
    assert found.effects is found.words is found.runs.allowed
    assert (found.in_all_runs, found.is_serial) == (False, True)
    assert (found.runs.claim, found.runs.barriers, found.runs.pending) == (NO_SERIAL_ORDER, 0, False)
    assert found.effects.after(START, "b") == [("0", START)]
    assert found.runs.seen is not None
    assert found.runs.seen(START) == Counter()


def test_final_values_are_those_of_an_observer() -> None:
    found = question(Serializability(("Y",)))
    assert isinstance(found.committing, ObservedReference)
    assert found.committing is found.counted
    assert found.effects is found.words is found.runs.allowed
    assert (found.in_all_runs, found.is_serial, found.runs.claim) == (False, True, NO_SERIAL_ORDER)
    assert found.effects.after(found.effects.initial, "(final values)")[0][0] == "Y = 0"
    assert found.runs.seen is not None
    assert found.runs.seen((("X", 1), ("Y", 1))) == Counter({("(final values)", "Y = 1"): 1})


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


def assert_in_time(found: Demand, barriers: int, pending: bool) -> None:
    timed: Any = found.counted
    assert isinstance(timed, TimedReference)
    assert (timed.inner, timed.last, timed.pending) == (REFERENCE, barriers + 1, pending)
    assert found.words is found.runs.allowed
    assert found.in_all_runs == pending
    assert (found.runs.claim, found.runs.barriers, found.runs.pending) == (NOT_IN_TIME, barriers, pending)
    assert found.runs.seen is None


def test_what_is_observed_are_variables() -> None:
    for observed in ("all", ("X",), ("X", "Y")):
        assert check_observed(observed, START).holds
    found = check_observed(("Z", "X", "W"), START)
    assert (found.holds, found.detail) == (False, "unknown: W, Z")
    assert check_observed("all", "busy").holds
    assert not check_observed(("X",), "busy").holds
