"""Codecs: what is written is read back, and what departs from a type is refused, with its place."""

import json
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.codec import Inline, Key, Keys, Natural, Omitted, Positive, State, Values, codec_of
from seriatim.explain.argument import Argument, Blocked, Case, Cases, CaseStep
from seriatim.explain.why import FinalValues, InTime, Seen, Timed
from seriatim.source import InputError


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: Natural


@dataclass(frozen=True, slots=True)
class Shape:
    where: Annotated[Point, Inline()]
    name: Annotated[str, Key("called")]
    sides: tuple[Positive, ...]
    pairs: tuple[Annotated[tuple[str, Natural], Keys(("left", "right"))], ...]
    state: State
    values: Values
    colour: Literal["red", "blue", 3]
    other: Point | str | None
    is_open: Annotated[bool, Omitted()] = False


INTEGERS = st.integers(-(2**70), 2**70)
NATURALS = st.integers(0, 2**70)
NAMED = st.dictionaries(st.text(max_size=3), INTEGERS, max_size=3).map(lambda d: tuple(sorted(d.items())))
POINTS = st.builds(Point, INTEGERS, NATURALS)
SHAPES = st.builds(
    Shape,
    POINTS,
    st.text(max_size=3),
    st.lists(st.integers(1, 9), max_size=3).map(tuple),
    st.lists(st.tuples(st.text(max_size=3), NATURALS), max_size=3).map(tuple),
    st.text(max_size=3) | NAMED,
    NAMED,
    st.sampled_from(("red", "blue", 3)),
    st.none() | st.text(max_size=3) | POINTS,
    st.booleans(),
)

WRITTEN: dict[str, object] = {
    "x": 1,
    "y": 2,
    "called": "a",
    "sides": [3, 4],
    "pairs": [{"left": "l", "right": 0}],
    "state": {"X": 1},
    "values": {},
    "colour": "red",
    "other": None,
}


@given(SHAPES)
def test_what_is_written_is_read_back(shape: Shape) -> None:
    codec = codec_of(Shape)
    assert codec.read(codec.write(shape), "") == shape


def test_how_a_record_is_written() -> None:
    shape = Shape(Point(1, 2), "a", (3, 4), (("l", 0),), (("X", 1),), (), "red", None)
    assert codec_of(Shape).write(shape) == WRITTEN
    assert codec_of(Shape).read(WRITTEN, "") == shape


REFUSED: dict[str, tuple[dict[str, object], str, str]] = {
    "true is no integer": ({"x": True}, "SER405", "`x` is not an integer"),
    "1.0 is no integer": ({"x": 1.0}, "SER405", "`x` is not an integer"),
    "below the least": ({"y": -1}, "SER405", "`y` is not an integer from 0 on"),
    "not positive": ({"sides": [1, 0]}, "SER405", "`sides[1]` is not an integer from 1 on"),
    "an unknown key": ({"z": 1}, "SER404", "the certificate has a key `z`"),
    "the attribute, not the key": ({"name": "b"}, "SER404", "the certificate has a key `name`"),
    "an unknown key within": (
        {"pairs": [{"left": "", "right": 0, "up": 1}]},
        "SER404",
        "`pairs[0]` has a key",
    ),
    "a missing key within": ({"other": {"x": 1}}, "SER404", "`other` lacks the key `y`"),
    "none of a union": ({"other": 1}, "SER405", "`other` is not an object"),
    "another word": ({"colour": "green"}, "SER405", '`colour` is not "red" or "blue" or 3'),
    "true for 3": ({"colour": True}, "SER405", "`colour` is not"),
    "no list": ({"sides": {}}, "SER405", "`sides` is not a list"),
    "no object": ({"pairs": [[]]}, "SER405", "`pairs[0]` is not an object"),
    "no truth value": ({"is_open": 1}, "SER405", "`is_open` is not true or false"),
}


@pytest.mark.parametrize(("change", "code", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_departs_from_a_type_is_refused(change: dict[str, object], code: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        codec_of(Shape).read(WRITTEN | change, "")
    (found,) = raised.value.diagnostics
    assert found.code == code
    assert message in found.message


@pytest.mark.parametrize("key", WRITTEN)
def test_every_key_is_needed_unless_it_is_left_out_by_default(key: str) -> None:
    with pytest.raises(InputError, match=f"lacks the key `{key}`"):
        codec_of(Shape).read({name: value for name, value in WRITTEN.items() if name != key}, "")


def test_a_tuple_of_fixed_length_is_a_list_of_that_length() -> None:
    codec = codec_of(tuple[str, int])
    assert codec.write(("a", 1)) == ["a", 1]
    assert codec.read(["a", 1], "x") == ("a", 1)
    for wrong in (["a"], ["a", 1, 2], "a1"):
        with pytest.raises(InputError, match="`x` is not a list of 2"):
            codec.read(wrong, "x")


def test_a_type_that_nothing_is_said_about_has_no_codec() -> None:
    with pytest.raises(TypeError, match="float"):
        codec_of(float)


def test_records_contain_records_of_their_own_kind() -> None:
    leaf = Case((), (Blocked("pop", ("1",), ()),), ())
    tree = Cases(Case((("X", 1), ("Y", "free")), (), (CaseStep("push", "0", leaf),)))
    written = codec_of(Argument).write(tree)
    assert written["kind"] == "cases"
    assert written["case"]["state"] == {"X": 1, "Y": "free"}
    assert codec_of(Argument).read(json.loads(json.dumps(written)), "argument") == tree


def test_records_of_a_union_are_told_apart_by_the_keys_they_need() -> None:
    for seen in (FinalValues("X = 1"), InTime((Timed("pop", None, 2, 1),))):
        assert codec_of(Seen).read(codec_of(Seen).write(seen), "seen") == seen
