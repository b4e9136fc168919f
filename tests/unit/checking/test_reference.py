"""An input as the checker sees it: what it gives up on, and what is no state of it."""

from typing import NoReturn

import pytest

from seriatim.checking.allowance import GaveUp
from seriatim.checking.reference import ProgramReference, SystemReference
from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.parser import parse
from seriatim.program.semantics import MAX_BITS, Configuration, StopCheck, Unbounded, big_steps, store
from seriatim.program.syntax import Number

FAULTY = "X in 0..1 := 0 request a { X := 2; 0 }"


def of_length(bits: int) -> int:
    return 1 << (bits - 1)


@pytest.mark.parametrize("bits", [MAX_BITS, MAX_BITS + 1])
def test_values_may_have_so_many_bits_wherever_they_are(bits: int) -> None:
    reference = ProgramReference(parse("request a { 0 }"), big_steps)
    value = of_length(bits)
    for outcome in (
        Configuration(Number(value), (), ()),
        Configuration(Number(0), store({"x": value, "y": 1}), ()),
        Configuration(Number(0), (), store({"X": 1, "Y": value})),
    ):
        if bits == MAX_BITS:
            reference.arrived(outcome, ())
        else:
            with pytest.raises(GaveUp, match="longer than 4096 bits"):
                reference.arrived(outcome, ())


def test_a_step_that_takes_too_long_is_given_up() -> None:
    def unbounded(_: Configuration, /, *, check_stop: StopCheck) -> NoReturn:  # noqa: ARG001
        raise Unbounded

    reference = ProgramReference(parse(FAULTY), unbounded, unbounded)
    (start,) = reference.fresh("a")
    for look in (reference.steps, reference.faults):
        with pytest.raises(GaveUp, match="one step of a handler takes too long"):
            look(start, reference.initial)


def test_a_name_is_no_state_of_a_program() -> None:
    """Certificates may have names wherever they have states."""
    reference = ProgramReference(parse(FAULTY), big_steps)
    (start,) = reference.fresh("a")
    assert not reference.steps(start, "X")
    assert not reference.faults(start, "X")


def test_steps_keep_what_the_remaining_code_does_not_mention() -> None:
    reference = ProgramReference(parse("W := 5, Y := 6 request a { X := 1; yield; Z := 2; W }"), big_steps)
    (start,) = reference.fresh("a")
    ((second, between),) = reference.steps(start, reference.initial)
    assert between == (("W", 5), ("X", 1), ("Y", 6), ("Z", 0))
    ((third, after),) = reference.steps(second, between)
    assert after == (("W", 5), ("X", 1), ("Y", 6), ("Z", 2))
    assert [set(reference.answers(state)) for state in (second, third)] == [set(), {"5"}]
    assert (reference.is_final(second), reference.is_final(third)) == (False, True)
    assert not reference.steps(third, after)


def test_locals_that_nothing_reads_do_not_tell_states_apart() -> None:
    reference = ProgramReference(parse("request a { x := ?; y := ?; yield; y }"), big_steps)
    (start,) = reference.fresh("a")
    descriptions = {reference.description(state) for state, _ in reference.steps(start, ())}
    assert descriptions == {("y", (("y", 0),)), ("y", (("y", 1),))}


def test_a_system_is_its_transitions() -> None:
    text = """{
      "initial_global": "g",
      "requests": [["p", "a"], ["p", "b"], ["q", "b"]],
      "responses": [["b", "r"], ["b", "s"]],
      "transitions": [["a", "g", "b", "h"], ["a", "g", "a", "g"], ["a", "h", "b", "g"]]
    }"""
    reference = SystemReference(read_system(text))
    (b,) = reference.fresh("q")
    (a,) = reference.fresh("p") - {b}
    assert reference.fresh("nobody") == frozenset()
    assert reference.steps(a, "g") == {(b, "h"), (a, "g")}
    assert reference.steps(b, "g") == reference.steps(a, "nowhere") == frozenset()
    assert [set(reference.answers(state)) for state in (a, b)] == [set(), {"r", "s"}]
    assert (reference.is_final(a), reference.is_final(b)) == (False, True)
    assert reference.description(a) == ("a", ())
