"""The state equation proves what needs counting, and hands over candidates where it can't prove."""

from pathlib import Path

import pytest

from seriatim.budget import Deadline, OutOfTime
from seriatim.engines.counting.proof import ProvedByCover
from seriatim.engines.counting.state_equation import state_equation
from seriatim.engines.shared import case_tree
from seriatim.engines.shared.covering import CoverCandidate
from seriatim.engines.stage import GaveUp
from seriatim.frontends.all import read_input
from seriatim.properties.serializable import Serializability
from seriatim.source import SourceText
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import Limits
from seriatim.systems.posing import pose
from seriatim.systems.slicing import macro_system
from testkit.samples import deep

SHARED = Path(__file__).parents[5] / "shared" / "benchmarks"


def answer(text: str) -> tuple[Origin, ProvedByCover | CoverCandidate | GaveUp]:
    origin = unfold(read_input(SourceText("-", text)), Limits(), Deadline())
    system = macro_system(origin, Limits(), Deadline())
    return origin, state_equation(system, SerialAutomaton(origin, 1_000), Deadline())


def half_steps(modulus: int, second: int) -> str:
    """A counter that everybody advances twice, until somebody stops it and tells its value."""

    def advance(by: int) -> str:
        return f"while (STOP == 1) {{ yield }}; X := (X + {by}) % {modulus}"

    return f"request go {{ {advance(1)}; yield; {advance(second)}; if (?) {{ STOP := 1; X }} else {{ 0 }} }}"


SESSION = """{
  "initial_global": "out",
  "requests": [["login", "start"], ["query", "in"], ["logout", "in"]],
  "responses": [["start", "welcome"], ["in", "result"], ["start", "bye"]],
  "transitions": [["start", "out", "in", "on"], ["in", "on", "start", "out"]]
}"""

SERIALIZABLE = {
    "nothing happens": "request a { 0 }",
    "nobody is ever answered": "request a { while (1) { yield } }",
    "counting modulo 3": half_steps(3, 1),
    "counting modulo 4": half_steps(4, 1),
    "counting modulo 4, in steps of 1 and 2": half_steps(4, 2),
    "counting modulo 5": half_steps(5, 1),
    "a local state that several requests share": SESSION,
    "a bounded counter": """
        request up { while (X == 3) { yield }; X := X + 1 }
        request down { while (X == 0) { yield }; X := X - 1 }
    """,
    "a lock": "request a { while (L == 1) { yield }; L := 1; x := X; yield; X := 1 - x; L := 0; x }",
    "a loop back to the start": "request a { while (X == 0) { if (?) { X := 1 }; yield }; X }",
}


@pytest.mark.parametrize("text", SERIALIZABLE.values(), ids=SERIALIZABLE.keys())
def test_it_is_proved(text: str) -> None:
    assert isinstance(answer(text)[1], ProvedByCover)


def named(origin: Origin, found: CoverCandidate) -> dict[tuple[str, str], int]:
    completions = [(origin.requests[request], response) for request, response in origin.completions]
    return {completions[number]: count for number, count in found.outcome.items()}


def test_a_lost_update_is_a_candidate() -> None:
    origin, found = answer("request inc { x := X; yield; X := (x + 1) % 3; x }")
    assert isinstance(found, CoverCandidate)
    assert found.requests() == sum(named(origin, found).values()) > 0


def test_an_answer_that_others_make_possible_is_a_candidate() -> None:
    origin, found = answer(
        """
        request a { while (X != 1) { yield }; X := 2; yield; while (X != 3) { yield }; X := 0; 7 }
        request b { if (X == 0) { X := 1; yield; while (X != 2) { yield }; X := 3; 1 } else { 0 } }
        """
    )
    assert isinstance(found, CoverCandidate)
    assert ("a", "7") in named(origin, found)


def test_the_same_system_has_the_same_proof() -> None:
    first, second = (answer(half_steps(3, 1))[1] for _ in range(2))
    assert isinstance(first, ProvedByCover)
    assert isinstance(second, ProvedByCover)
    assert (first.cuts, first.covers) == (second.cuts, second.covers)


def test_it_stops_at_the_deadline() -> None:
    origin = unfold(read_input(SourceText("-", half_steps(3, 1))), Limits(), Deadline())
    system = macro_system(origin, Limits(), Deadline())
    with pytest.raises(OutOfTime):
        state_equation(system, SerialAutomaton(origin, 1_000), Deadline(-1.0))


@pytest.mark.skipif(not SHARED.exists(), reason="the benchmarks of the paper are not here")
@pytest.mark.parametrize("name", ["b3.json", "b4.json", "d1.ser", "d3.ser", "d4.ser", "e6.ser", "f5.ser"])
def test_benchmarks_of_the_paper_without_commit_points_are_proved(name: str) -> None:
    assert isinstance(answer((SHARED / name).read_text(encoding="utf-8"))[1], ProvedByCover)


CHOICES = """
X := 2
Y := 1

request a {
    yield;
    x := 1
}

request b {
    if (!(yield == yield)) {
        yield;
        if (X != ?) {
            y := (if (?) { yield } else { 1 }) % 3
        } else {
            x := (Y := 1) % 3
        }
    };
    if ((yield; Y) < X) {
        X := ? % 3
    } else {
        yield;
        Y := Y % 3
    };
    yield;
    while (?) {
        x := ? % 3;
        while ((if (?) { yield } else { 1 }) < 1) {
            x := ? % 3;
            Y := ((yield; X) == Y) % 3
        }
    };
    Y := (if (?) { yield } else { 1 }) % 3;
    X == 0
}
"""

TWO_LOCKS = """
request a {
    while (L == 1) {
        yield
    };
    L := 1;
    X := 1 - X;
    yield;
    L := 0;
    x
}

request b {
    while (L == 1) {
        yield
    };
    L := 1;
    if (Z == 0) {
        X := 1
    };
    yield;
    if (Y == 0) {
        X := 1
    };
    yield;
    while (Z == 1) {
        yield
    };
    yield;
    L := 0;
    x
}

request c {
    while (M == 1) {
        yield
    };
    M := 1;
    x := Y;
    yield;
    X := x;
    yield;
    Y := 1 - x;
    yield;
    M := 0;
    x
}
"""


@pytest.mark.parametrize(
    ("text", "questions", "work"), [(CHOICES, 210, 160), pytest.param(TWO_LOCKS, 2_454, 380, marks=deep)]
)
def test_the_order_of_cases_keeps_trees_small(
    text: str, questions: int, work: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With cuts before covers, in the order in which they were found, the second tree took 30 times as much
    work, and the first one more than 300 times. Work is in entries of tableaus for each question."""
    monkeypatch.setattr(case_tree, "WORK_PER_QUESTION", work * 6 // 5)
    limits, deadline = Limits(2_000, 20), Deadline()
    origin = unfold(read_input(SourceText("-", text)), limits, deadline)
    problem = pose(Serializability("all").states(), origin, limits, deadline)
    found = state_equation(macro_system(problem.system, limits, deadline), problem.allowed, deadline)
    assert isinstance(found, ProvedByCover)
    assert found.tree is not None
    assert deadline.questions <= questions * 6 // 5
