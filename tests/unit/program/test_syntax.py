"""Syntax trees: parts, names and what the text calls values."""

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.program.changing import map_children, transform
from seriatim.program.syntax import (
    Fault,
    Number,
    Program,
    Read,
    children,
    global_names,
    initial_globals,
    mentioned_globals,
    sequence,
    walk,
    yields,
)

PARTS = [
    "x := 1",
    "return x",
    "!x",
    "x + 2",
    "x && X",
    "if (x) { 1 }",
    "if (x) { 1 } else { 2 }",
    "while (x) { yield }",
    "x; ?; 3",
]


@pytest.mark.parametrize("code", PARTS)
def test_an_expression_is_made_of_its_parts(code: str) -> None:
    (handler,) = parse(f"request a {{ {code} }}").handlers
    assert map_children(handler.body, lambda part: part) == handler.body
    changed = map_children(handler.body, lambda _: Number(7))
    assert children(changed) == (Number(7),) * len(children(handler.body))
    assert type(changed) is type(handler.body)


def test_every_part_is_walked_in_the_order_of_the_text_and_changed_from_within() -> None:
    (handler,) = parse("request a { if (A) { B := C } else { D && -E }; while (F) { return G } }").handlers
    assert [part.name for part in walk(handler.body) if isinstance(part, Read)] == list("ACDEFG")
    ones = transform(handler.body, lambda part: Number(1) if isinstance(part, Read) else part)
    assert not any(isinstance(part, Read) for part in walk(ones))
    assert mentioned_globals(handler.body) == set("ABCDEFG")
    assert mentioned_globals(ones) == {"B"}


def test_a_sequence_is_flat_and_stands_where_its_items_stand() -> None:
    (handler,) = parse("request a { x; y; z }").handlers
    first, *rest = children(handler.body)
    whole = sequence(first, sequence(*rest))
    assert whole == handler.body
    assert whole.span == handler.body.span == first.span.to(rest[-1].span)
    assert sequence(first) == first


def test_globals_are_those_that_anybody_names() -> None:
    program = parse("B := 2, D := 0\nrequest a { C := 1; x } request b { yield; A }")
    assert global_names(program) == ("A", "B", "C", "D")
    assert initial_globals(program) == {"A": 0, "B": 2, "C": 0, "D": 0}
    assert [yields(handler.body) for handler in program.handlers] == [False, True]


def test_one_fault_anywhere_is_one() -> None:
    program = parse("X in 0..1 := 0\nrequest a { X } request b { X := X + 1; 0 }")
    assert sum(isinstance(part, Fault) for part in walk(program.handlers[1].body)) > 0
    assert program.can_fail
    assert not parse("X in 0..1 := 0\nrequest a { X }").can_fail


def test_values_are_called_as_the_text_calls_them() -> None:
    program = Program((), (), value_names={"S": {0: "off", 1: "on"}})
    assert [program.show_value("S", 1), program.show_value("X", 1)] == ["on", "1"]


def test_a_global_of_requests_with_other_integers_than_examples_have_is_one() -> None:
    program = parse("request a(n: int) { if (n == 1000) { X := X + 1 }; Y }")
    assert global_names(program) == ("X", "Y")


def test_a_yield_or_a_failing_step_beyond_all_examples_counts() -> None:
    far = "request a(n: int) {{ if (n == 1000) {{ {} }}; 0 }}"
    assert not parse(far.format("yield")).never_yields
    assert parse(far.format("X := 1")).never_yields
    assert parse(far.format("assert X")).can_fail
    assert parse(far.format("await X")).may_wait
