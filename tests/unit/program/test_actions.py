"""Accesses are those of the executed path, and who settles alike can do the same."""

from dataclasses import replace
from random import Random

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.program.actions import Accesses, actions, settle
from seriatim.program.liveness import live_locals
from seriatim.program.semantics import (
    MAX_BITS,
    Configuration,
    Unbounded,
    big_steps,
    initial_configuration,
    store,
)
from seriatim.program.syntax import is_global
from testkit.generators.programs import ProgramMaker


def accesses_of_first_step(code: str, **globals_: int) -> set[tuple[str, str]]:
    """(reads, writes) of all paths of the first step, as letters."""
    (handler,) = parse(f"request a {{ {code} }}").handlers
    found = actions(initial_configuration(handler, store(globals_)))
    return {("".join(sorted(a.reads)), "".join(sorted(a.writes))) for _, a in found}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("X", {("X", "")}),
        ("X := Y; 0", {("Y", "X")}),
        ("if (X == 0) { Y } else { Z }", {("XY", "")}),
        ("if (X == 1) { Y } else { Z }", {("XZ", "")}),
        ("X == 0 && Y == 0; 0", {("XY", "")}),
        ("X == 1 && Y == 0; 0", {("X", "")}),
        ("X == 0 || Y == 0; 0", {("X", "")}),
        ("X := X + 1; yield; Y", {("X", "X")}),
        ("X := yield; 0", {("", "")}),
        ("if (?) { X } else { Y }", {("X", ""), ("Y", "")}),
        ("x := 1; while (x < 3) { x := x + 1; X := x }; 0", {("", "X")}),
        ("X := return Y", {("Y", "")}),
        ("X := 0; X", {("X", "X")}),
    ],
)
def test_accesses_are_those_of_the_executed_path(code: str, expected: set[tuple[str, str]]) -> None:
    assert accesses_of_first_step(code) == expected


def test_actions_are_the_big_steps_with_accesses() -> None:
    for seed in range(60):
        program = ProgramMaker(Random(seed)).program()
        for handler in program.handlers:
            start = initial_configuration(handler, store({"X": 1}))
            assert {end for end, _ in actions(start)} == big_steps(start)


def test_a_step_depends_on_what_it_reads_and_changes_what_it_writes() -> None:
    """Changing a global that a path neither reads nor writes leaves the path as it is."""
    for seed in range(60):
        program = ProgramMaker(Random(seed)).program()
        for handler in program.handlers:
            start = initial_configuration(handler, store({"X": 1}))
            for end, accesses in actions(start):
                before, after = dict(start.globals), dict(end.globals)
                for name in {"X", "Y"} - accesses.writes:
                    assert after.get(name, 0) == before.get(name, 0)
                for name in {"X", "Y"} - accesses.writes - accesses.reads:
                    other = replace(start, globals=store({**before, name: 2}))
                    ends = {(end.expression, end.locals, touched) for end, touched in actions(other)}
                    assert (end.expression, end.locals, accesses) in ends


def settles(code: str) -> str | None:
    (handler,) = parse(f"request a {{ {code} }}").handlers
    end = settle(initial_configuration(handler, ()))
    return None if end is None else repr(end.expression)


def test_a_request_settles_before_a_global_or_a_choice() -> None:
    assert settles("x := 1; yield; yield; X := x; 0") == settles("x := 1; X := x; 0")
    assert settles("x := 2; if (x == 2) { yield; Y } else { X }") == settles("Y")
    assert settles("yield; ?") == settles("?")


def test_a_request_that_touches_nothing_for_ever_settles_nowhere() -> None:
    assert settles("while (1) { yield }; X := 1; 0") is None
    assert settles("while (1) { x := 1 - x }; X := 1; 0") is None


def test_a_request_settles_behind_a_loop_that_ends_and_where_it_returns() -> None:
    assert settles("while (x < 3) { x := x + 1 }; X := x; 0") == settles("x := 3; X := x; 0")
    assert settles("x := 1; return x + 1; X") == settles("return 2")


def test_a_loop_is_followed_as_far_as_allowed_and_no_further() -> None:
    """Three rounds begin four times; a value may have so many bits."""
    (handler,) = parse("request a { while (x < 3) { x := x + 1 }; X }").handlers
    assert settle(initial_configuration(handler, ()), limit=4) is not None
    with pytest.raises(Unbounded):
        settle(initial_configuration(handler, ()), limit=3)
    for bits in (MAX_BITS, MAX_BITS + 1):
        start = replace(initial_configuration(handler, ()), locals=store({"x": 1 << (bits - 1)}))
        if bits == MAX_BITS:
            assert settle(start) is not None
        else:
            with pytest.raises(Unbounded):
                settle(start)


def test_who_settles_has_the_same_actions_as_before() -> None:
    """After the steps that only settle, if there are any."""
    compared = 0
    for seed in range(120):
        program = ProgramMaker(Random(seed), odd=0.1).program()
        for handler in program.handlers:
            start = initial_configuration(handler, store({"X": 1, "Y": 2}))
            end = settle(start)
            if end is None or end.expression == start.expression:
                continue
            expected = noticed(start)
            assert noticed(end) == expected
            compared += 1
    assert compared > 10


def noticed(configuration: Configuration) -> set[tuple[object, Accesses]]:
    """The first actions that touch a global, or follow upon a choice, and what is left to do then."""
    found: set[tuple[object, Accesses]] = set()
    pending = [configuration]
    seen: set[Configuration] = set()
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        for end, accesses in actions(current):
            if accesses == Accesses() and end.expression != current.expression:
                pending.append(end)
            else:
                live = live_locals(end.expression)
                locals_ = tuple(pair for pair in end.locals if pair[0] in live)
                assert not any(is_global(name) for name, _ in locals_)
                found.add(((end.expression, locals_, end.globals), accesses))
    return found


def test_conflicts_need_a_write() -> None:
    read, write = Accesses(frozenset("X")), Accesses(frozenset(), frozenset("X"))
    assert not read.conflicts(read)
    assert read.conflicts(write) == write.conflicts(read) == write.conflicts(write) == frozenset("X")
    assert not Accesses(frozenset("Y")).conflicts(write)
