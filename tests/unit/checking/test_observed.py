"""The observer: a request more, which answers the final values and ends the run."""

from seriatim.checking.observed import ObservedReference, Observer
from seriatim.checking.reference import ProgramReference, ProgramState, SystemReference
from seriatim.frontends.all import read_input
from seriatim.frontends.ser.parser import parse
from seriatim.program.execution import big_steps
from seriatim.program.network_system import NetworkSystem
from seriatim.program.state import GlobalState
from seriatim.source import SourceText

PROGRAM = ProgramReference(parse("request a { X := 1; yield; Y := X; 0 }"), big_steps)
(FRESH,) = PROGRAM.fresh("a")


def state(ended: int, x: int, y: int) -> GlobalState:
    return (("(ended)", ended), ("X", x), ("Y", y))


def watched(*observed: str) -> ObservedReference[ProgramState]:
    return ObservedReference(PROGRAM, observed or "all")


def test_there_is_a_request_more() -> None:
    reference = watched()
    assert reference.requests == ("a", "(final values)")
    assert reference.initial == state(0, 0, 0)
    assert reference.fresh("(final values)") == {Observer()}
    assert reference.fresh("a") == {FRESH}
    assert reference.fresh("b") == frozenset()


def test_others_do_as_before() -> None:
    reference = watched()
    ((target, after),) = reference.steps(FRESH, reference.initial)
    assert after == state(0, 1, 0)
    assert not reference.is_final(target)
    assert reference.answers(target) == frozenset()
    assert reference.description(target) == ("Y := X; 0", ())
    ((end, last),) = reference.steps(target, after)
    assert last == state(0, 1, 1)
    assert reference.is_final(end)
    assert reference.answers(end) == {"0"}


def test_the_observer_sees_what_is_observed_and_ends_the_run() -> None:
    for observed, seen in ((("X",), "X = 0"), (("X", "Y"), "X = 0, Y = 0"), ((), "X = 0, Y = 0")):
        reference = watched(*observed)
        ((end, after),) = reference.steps(Observer(), reference.initial)
        assert end == Observer(seen)
        assert after == state(1, 0, 0)
        assert reference.answers(end) == {seen}
        for here in (reference.initial, after):
            assert reference.steps(end, here) == frozenset()
        for flight in (FRESH, Observer()):
            assert reference.steps(flight, after) == frozenset()


def test_the_observer_is_final_once_it_has_seen_something() -> None:
    reference = watched()
    assert (reference.is_final(Observer()), reference.is_final(Observer("X = 0"))) == (False, True)
    assert reference.answers(Observer()) == frozenset()
    assert reference.description(Observer()) == ("", ())


def test_nobody_moves_where_nobody_has_come() -> None:
    reference = watched()
    assert reference.steps(FRESH, state(0, 7, 7)) == frozenset()
    assert reference.steps(Observer(), "nowhere") == frozenset()


def test_global_states_with_names_are_seen_by_their_names() -> None:
    """And the observer has a name that no request has."""
    text = """{"initial_global": "g", "requests": [["(final values)", "a"]], "responses": [["b", "0"]],
    "transitions": [["a", "g", "b", "h"]]}"""
    system = read_input(SourceText("-", text))
    assert isinstance(system, NetworkSystem)
    reference = ObservedReference(SystemReference(system), "all")
    assert reference.requests == ("(final values)", "(final values)'")
    assert reference.steps(Observer(), reference.initial) == {(Observer("g"), "ended 1: g")}
    (a,) = reference.fresh("(final values)")
    assert {after for _, after in reference.steps(a, reference.initial)} == {"ended 0: h"}
