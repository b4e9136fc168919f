"""What requests do, as conflicts see it: steps with their accesses, without those that only wait."""

import pytest

from seriatim.checking.actions import ProgramActs, SystemActs
from seriatim.checking.allowance import GaveUp
from seriatim.checking.reference import ProgramReference, ProgramState, SystemReference
from seriatim.checking.words import state_words
from seriatim.frontends.all import read_input
from seriatim.frontends.ser.parser import parse
from seriatim.program.actions import Accesses
from seriatim.program.execution import big_steps
from seriatim.program.network_system import NetworkSystem
from seriatim.program.state import GlobalState
from seriatim.source import SourceText


def program(text: str) -> tuple[ProgramActs, ProgramState]:
    """Its actions, and where its first request begins."""
    reference = ProgramReference(parse(text), big_steps)
    (fresh,) = reference.fresh(reference.requests[0])
    return ProgramActs(reference), fresh


def shown(acts: ProgramActs, state: ProgramState, global_: GlobalState) -> set[str]:
    """`reads L, writes L, leaves L = 1: yield; 0` for each action."""
    return {
        f"reads {''.join(sorted(act.accesses.reads))}, writes {''.join(sorted(act.accesses.writes))},"
        f" leaves {state_words(act.after)}: {acts.reference.description(act.target)[0]}"
        for act in acts.of(state, global_)
    }


ONE_ACTION = {
    "request a { X := Y; 0 }": {"reads Y, writes X, leaves X = 2, Y = 2: 0"},
    "request a { X := Y; X := 5; yield; Y }": {"reads Y, writes X, leaves X = 5, Y = 2: Y"},
    "request a { if (?) { X := 5 } else { Y }; 0 }": {
        "reads , writes X, leaves X = 5, Y = 2: 0",
        "reads Y, writes , leaves X = 1, Y = 2: 0",
    },
    # Assigning what is there is an access, too.
    "request a { X := 1; Y; 0 }": {"reads Y, writes X, leaves X = 1, Y = 2: 0"},
    # Two ways to the same end, which touch different variables, are two actions.
    "request a { if (?) { X } else { Y }; 0 }": {
        "reads X, writes , leaves X = 1, Y = 2: 0",
        "reads Y, writes , leaves X = 1, Y = 2: 0",
    },
    "request a { while (X == 1) { yield }; Y := 0; 0 }": set(),
    "request a { while (X == 1) { yield; yield }; Y := 0; 0 }": set(),
    # Nor does one wait who is where it was, but has changed something.
    "request a { while (Y == 2) { X := 1 - X; yield }; 0 }": {
        "reads XY, writes X, leaves X = 0, Y = 2: while (Y == 2) { X := 1 - X; yield }; 0"
    },
    # What touches no global is on its way to where it settles, even if it leaves all as it is.
    "request a { yield; Y }": {"reads , writes , leaves X = 1, Y = 2: Y"},
    # The request is elsewhere afterwards, so it has not only waited.
    "request a { X; yield; Y }": {"reads X, writes , leaves X = 1, Y = 2: Y"},
    # Who has looked and is never noticed any more has done something.
    "request a { X; yield; 0 }": {"reads X, writes , leaves X = 1, Y = 2: 0"},
    "request a { 7 }": set(),
}


@pytest.mark.parametrize(("text", "expected"), ONE_ACTION.items(), ids=ONE_ACTION.keys())
def test_an_action_is_a_step_with_its_accesses(text: str, expected: set[str]) -> None:
    acts, fresh = program(f"{text} request b {{ X := Y; 0 }}")
    for _ in range(2):  # The second time, it is remembered.
        assert shown(acts, fresh, (("X", 1), ("Y", 2))) == expected


def test_what_is_remembered_is_about_the_same_values() -> None:
    acts, fresh = program("request a { while (X == 1) { yield }; 0 } request b { Y := 1; 0 }")
    assert shown(acts, fresh, (("X", 1), ("Y", 0))) == set()
    assert shown(acts, fresh, (("X", 0), ("Y", 0))) == {"reads X, writes , leaves X = 0, Y = 0: 0"}
    assert shown(acts, fresh, (("X", 0), ("Y", 1))) == {"reads X, writes , leaves X = 0, Y = 1: 0"}


def test_a_name_is_no_state_of_a_program() -> None:
    acts, fresh = program("request a { X }")
    assert acts.of(fresh, "X") == ()


OVER = {
    "request a { 7 }": True,
    "request a { x := 3; yield; x }": True,
    "request a { while (1) { yield } }": True,
    "request a { X }": False,
    "request a { yield; yield; X := 1; 0 }": False,
    "request a { if (?) { X } else { 0 } }": False,
    "request a { while (X == 0) { yield }; 0 }": False,
}


@pytest.mark.parametrize(("text", "expected"), OVER.items(), ids=OVER.keys())
def test_a_request_is_over_if_it_touches_no_global_any_more(text: str, expected: bool) -> None:
    acts, fresh = program(text)
    for _ in range(2):
        assert acts.is_over(fresh) == expected


def test_the_checker_gives_up_on_what_goes_on_for_too_long() -> None:
    grows = "x := 2; while (x > 0) { x := x * x }"
    acts, fresh = program(f"request a {{ X; {grows}; 0 }}")
    with pytest.raises(GaveUp, match="one step of a handler takes too long"):
        acts.of(fresh, (("X", 0),))
    acts, fresh = program(f"request a {{ {grows.replace('x * x }', 'x * x; yield }')}; X }}")
    with pytest.raises(GaveUp, match="a request runs for too long without accessing a global"):
        acts.is_over(fresh)


def test_steps_of_a_network_system_read_its_state_and_write_what_they_change() -> None:
    text = """{"initial_global": "off", "requests": [["p", "a"]], "responses": [["d", "done"]], "transitions":
    [["a", "off", "a", "off"], ["a", "off", "a", "on"], ["a", "off", "d", "off"], ["a", "on", "d", "on"]]}"""
    system = read_input(SourceText("-", text))
    assert isinstance(system, NetworkSystem)
    acts = SystemActs(SystemReference(system))
    a, d = (next(n for n, local in enumerate(system.locals) if local.name == name) for name in "ad")
    state = frozenset({"state"})
    found = {(act.target, act.after, act.accesses) for act in acts.of(a, "off")}
    assert found == {(a, "on", Accesses(state, state)), (d, "off", Accesses(state))}
    assert [act.accesses for act in acts.of(a, "on")] == [Accesses(state)]
    assert (acts.is_over(a), acts.is_over(d)) == (False, True)
