"""Questions are read strictly: what is no question is refused by name, and limits bound what is asked."""

from typing import Any

import pytest

from seriatim.properties.strict import StrictSerializability
from seriatim.source import InputError
from seriatim.web.questions import KINDS, Check, Explore, Room, read_question

SOURCE = {"name": "a.ser", "text": "request a { 1 }"}


def test_every_kind_is_read_from_a_source_alone_or_names_what_it_lacks() -> None:
    lacking = []
    for kind in KINDS:
        try:
            read_question(kind, SOURCE, Room())
        except InputError as error:
            lacking.append((kind, str(error.diagnostics[0].message)))
    assert lacking == [("verify", "the question lacks the key `certificate`")]


def test_a_check_takes_the_room_there_is_unless_it_asks_for_less() -> None:
    room = Room(seconds=20, max_states=500)
    asked = read_question("check", SOURCE, room)
    assert isinstance(asked, Check)
    assert (asked.seconds, asked.max_states, asked.property) == (20, 500, None)
    asked = read_question("check", {**SOURCE, "seconds": 5, "max_states": 9_999}, room)
    assert isinstance(asked, Check)
    assert (asked.seconds, asked.max_states) == (5, 500)


def test_properties_have_their_parameters() -> None:
    asked = read_question("check", {**SOURCE, "property": {"property": "strict", "barriers": 2}}, Room())
    assert isinstance(asked, Check)
    assert asked.property == StrictSerializability(2)


def test_moves_are_places_in_lists() -> None:
    asked = read_question("explore", {**SOURCE, "moves": [0, 3]}, Room())
    assert isinstance(asked, Explore)
    assert asked.moves == (0, 3)


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("check", {"text": 3}, "`text` is not a string"),
        ("check", {"name": "../a.ser"}, "`name` is not the name of a file without a folder"),
        ("check", {"name": "a\n.ser"}, "`name` is not the name of a file without a folder"),
        ("check", {"text": "x" * 200_001}, "`text` is longer than 200,000 characters"),
        ("check", {"text": "\ud800"}, "`text` is not text: it contains half a character"),
        ("check", {"seconds": 0}, "`seconds` is not an integer from 1 on"),
        ("check", {"seconds": True}, "`seconds` is not an integer from 1 on"),
        ("check", {"more": 1}, "the question has a key `more`, which means nothing there"),
        ("check", {"settings": {"confirm": "host"}}, "`settings` is not an object whose keys are among"),
        ("check", {"settings": {"model": "shop.py"}}, "`settings.model` is not one of register, counter"),
        ("check", {"settings": {"isolation": 1}}, "`settings.isolation` is not a string"),
        ("check", {"property": "nice"}, "`question` is not the name of a property"),
        ("check", {"property": {"property": []}}, "`question.property` is not"),
        ("explore", {"moves": [-1]}, "`moves[0]` is not an integer from 0 on"),
        ("explore", {"moves": [0] * 201}, "`moves` has more than 200 members"),
        ("explore", {"moves": 1}, "`moves` is not a list"),
    ],
)
def test_what_is_no_question_is_refused(kind: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        read_question(kind, {**SOURCE, **change}, Room())
    assert message in refused.value.diagnostics[0].message


@pytest.mark.parametrize("value", [None, [], "check", 1])
def test_a_question_is_an_object(value: object) -> None:
    with pytest.raises(InputError, match="the question is not an object"):
        read_question("check", value, Room())
