"""Runs as evidence: genuine violations are accepted, and nothing else is."""

from functools import partial
from random import Random

import pytest

from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.engines.search.engine import Search
from seriatim.engines.shared.run_evidence import run_evidence
from seriatim.frontends.all import read_input
from seriatim.program.inputs import Input, digest
from seriatim.program.semantics import big_steps
from seriatim.properties.statement import Outcomes
from seriatim.source import SourceText
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import Limits
from seriatim.systems.posing import pose
from testkit.generators.systems import SETTINGS, random_system
from testkit.inputs.written_runs import LOST_UPDATE, SHARED_STATES, VIOLATIONS, Case


def report(content: Input, turns: tuple[Turn, ...], limit: int = 10_000) -> Report:
    return verify(
        Certificate(digest(content), "not_serializable", RunEvidence(turns)),
        content,
        Context(Allowance(limit)),
    )


@pytest.mark.parametrize("case", VIOLATIONS.values(), ids=VIOLATIONS.keys())
def test_a_genuine_violation_is_accepted(case: Case) -> None:
    found = report(case.content(), case.turns())
    assert found.accepted, found.complaint
    assert len(found.obligations) == 6


REFUSED = {
    "serial as it stands": (
        Case(LOST_UPDATE, "1 inc X=0\n1 inc X=1 ➜ 0\n2 inc X=1\n2 inc X=2 ➜ 1"),
        "no serial order has the outcome {inc/0, inc/1}: this one has: inc/0, inc/1",
    ),
    "serial in another order": (
        Case(
            "request set { X := 1; yield; X := 2; 5 }\nrequest get { x := X; yield; x }",
            "1 get X=0\n2 set X=1\n2 set X=2 ➜ 5\n1 get X=2 ➜ 0",
        ),
        "this one has: get/0, set/5",
    ),
    "twice the same answer": (
        Case("request set { X := 1 }", "1 set X=1 ➜ 1\n2 set X=1 ➜ 1"),
        "no serial order has the outcome {set/1 ×2}: this one has: set/1, set/1",
    ),
    "nobody": (Case(LOST_UPDATE, ""), "no serial order has the outcome {}: this one has: the empty order"),
    "numbers from 2 on": (Case(LOST_UPDATE, "2 inc X=0"), "turn 1: request 2 should be request 1"),
    "a number left out": (Case(LOST_UPDATE, "1 inc X=0\n3 inc X=0"), "turn 2: request 3 should be request 2"),
    "another handler on the way": (
        Case(LOST_UPDATE + "request get { X }", "1 inc X=0\n1 get X=0 ➜ 0"),
        "turn 2: request 1 was `inc` before",
    ),
    "a handler that does not exist": (
        Case(LOST_UPDATE, "1 dec X=0"),
        "turn 1: request 1, `dec`, cannot pause",
    ),
    "a global state that is not left": (
        Case(LOST_UPDATE, "1 inc X=1"),
        "turn 1: request 1, `inc`, cannot pause",
    ),
    "a response that is not given": (
        Case(LOST_UPDATE, "1 inc X=0\n1 inc X=1 ➜ 1"),
        "turn 2: request 1, `inc`, cannot answer `1` there",
    ),
    "an answer too early": (
        Case(LOST_UPDATE, "1 inc X=0 ➜ 0"),
        "turn 1: request 1, `inc`, cannot answer `0`",
    ),
    "a pause instead of the answer": (Case(LOST_UPDATE, "1 inc X=0\n1 inc X=1\n1 inc X=1"), "turn 3"),
    "a turn after the answer": (Case(LOST_UPDATE, "1 inc X=0\n1 inc X=1 ➜ 0\n1 inc X=1 ➜ 0"), "turn 3"),
    "a global that does not exist": (Case(LOST_UPDATE, "1 inc X=0,Y=0"), "turn 1"),
    "a global left out": (Case("request a { X := Y; 0 }", "1 a X=0 ➜ 0"), "turn 1"),
    "a name for a state of a program": (Case(LOST_UPDATE, "1 inc zero"), "turn 1"),
    "values for a state of a network system": (Case(SHARED_STATES, "1 p X=0"), "turn 1"),
    "somebody in flight at the end": (
        Case(LOST_UPDATE, "1 inc X=0\n2 inc X=0\n2 inc X=1 ➜ 0"),
        "every request is answered: request 1 is not",
    ),
    "a choice made in two ways": (
        Case("request a { x := ?; yield; X := x; yield; x }", "1 a X=0\n1 a X=1\n1 a X=1 ➜ 0"),
        "turn 3: request 1, `a`, cannot answer `0`",
    ),
    "the answer of another request": (Case(SHARED_STATES, "1 p busy\n2 q busy\n1 q done ➜ first"), "turn 3"),
}


@pytest.mark.parametrize(("case", "complaint"), REFUSED.values(), ids=REFUSED.keys())
def test_what_proves_nothing_is_refused(case: Case, complaint: str) -> None:
    found = report(case.content(), case.turns())
    assert not found.accepted
    assert complaint in found.complaint


@pytest.mark.parametrize("response", ["0", "1"])
def test_either_way_of_a_choice_can_follow(response: str) -> None:
    """Local states are not recorded: the checker keeps all of them until something tells them apart."""
    case = Case("request a { x := ?; yield; yield; x }", f"1 a X=0\n1 a X=0\n1 a X=0 ➜ {response}")
    content = read_input(SourceText("-", case.source + "request b { X }"))
    found = report(content, case.turns())
    assert [obligation.holds for obligation in found.obligations] == [True, True, True, True, True, False]


@pytest.mark.parametrize(
    "body",
    ["while (?) { x := x + 1; yield }; x", "while (?) { X := X + 1; yield }; 0"],
    ids=["local", "global"],
)
def test_serial_runs_without_bound_are_given_up_on(body: str) -> None:
    """What could not be explored whole is not accepted, even if the rest of the run is a violation."""
    grow = f"request grow {{ {body} }}"
    case = Case(LOST_UPDATE + grow, "1 grow X=0 ➜ 0\n2 inc X=0\n3 inc X=0\n2 inc X=1 ➜ 0\n3 inc X=1 ➜ 0")
    with pytest.raises(GaveUp, match="more than 300 states"):
        report(case.content(), case.turns(), limit=300)


def test_steps_without_bound_are_given_up_on() -> None:
    case = Case("request grow { while (?) { X := X + 1 }; X }", "1 grow X=0 ➜ 0")
    content = case.content()
    certificate = Certificate(digest(content), "not_serializable", RunEvidence(case.turns()))
    with pytest.raises(GaveUp, match="one step"):
        verify(certificate, content, Context(big_steps=partial(big_steps, limit=100)))


def test_values_that_are_too_long_are_given_up_on() -> None:
    """Python would not write them down."""
    squarings = "X := X * X; " * 13
    case = Case(f"X := 2 request square {{ {squarings} X }}", "1 square X=0 ➜ 0")
    with pytest.raises(GaveUp, match="takes too long"):
        report(case.content(), case.turns())


def test_no_more_time_is_spent_than_allowed() -> None:
    case = VIOLATIONS["two requests read the same value"]
    content = case.content()
    certificate = Certificate(digest(content), "not_serializable", RunEvidence(case.turns()))
    with pytest.raises(OutOfTime):
        verify(certificate, content, Context(Allowance(deadline=Deadline(-1))))


def test_what_the_search_finds_is_accepted() -> None:
    """Runs of random systems, in which requests share local states and go on where they could answer."""
    accepted = 0
    for seed in range(60):
        system = random_system(Random(seed), SETTINGS[seed % len(SETTINGS)], mixed=0.3)
        unfolding = SystemUnfolding(system)
        search = Search(pose(Outcomes(), unfolding, Limits(10_000), Deadline()))
        found = search.advance(500, Deadline())
        if found is not None:
            answer = report(system, run_evidence(found.run, unfolding).turns)
            assert answer.accepted, answer.complaint
            accepted += 1
    assert accepted > 5


def test_every_turn_and_every_serial_state_counts() -> None:
    """Four turns are replayed. Then two serial states are explored, nobody answered and one, and what a
    request alone does from each: it begins, and after straight code, which is one step, it is over."""
    case = next(iter(VIOLATIONS.values()))
    assert report(case.content(), case.turns(), limit=4 + 2 + 2 * 2).accepted
    with pytest.raises(GaveUp, match="more than 9 states"):
        report(case.content(), case.turns(), limit=9)


def test_serial_orders_that_lead_to_the_same_state_are_explored_once() -> None:
    """Of 24 requests there are millions of orders, and 13 · 13 ways to have answered some of them."""
    text = (
        "request p { X; yield; X := 0; 1 }\nrequest q { X; yield; X := 0; 2 }\nrequest r { X := 1; yield; X }"
    )
    waiting = "".join(f"{number} {'pq'[number % 2]} X=0\n" for number in range(2, 26))
    answers = "".join(f"{number} {'pq'[number % 2]} X=0 ➜ {number % 2 + 1}\n" for number in range(2, 26))
    case = Case(text, f"1 r X=1\n{waiting.replace('X=0', 'X=1')}{answers}1 r X=0 ➜ 0")
    found = report(case.content(), case.turns(), limit=500)
    assert found.accepted, found.complaint
    assert "169" in found.obligations[-1].detail
