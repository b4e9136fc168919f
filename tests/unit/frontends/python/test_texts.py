"""Values as text: what clients can tell apart has different texts, and nothing else has."""

import asyncio
from collections import OrderedDict, deque
from decimal import Decimal
from itertools import permutations

import pytest

from seriatim.frontends.python.texts import canonical, describe, is_instance, rename_fresh

FIRST, SECOND = "01000001f5e5" + "0" * 20, "02000001f5e5" + "0" * 20
UNKNOWN, OTHER = FIRST.replace("f5e5", "f5e6"), SECOND.replace("f5e5", "f5e6")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        (Decimal("1.0"), Decimal("1.00")),
        ([1], (1,)),
        ({1}, [1]),
        ("1", 1),
        (b"a", "a"),
        (KeyError("a"), KeyError("b")),
        (ValueError("a"), KeyError("a")),
        ({"a": 1}, OrderedDict(a=1)),
        ([], deque()),
    ],
)
def test_different_values_have_different_texts(one: object, other: object) -> None:
    assert describe(one) != describe(other)


def test_equal_values_have_equal_texts() -> None:
    assert describe({"a": 1, "b": 2}) == describe({"b": 2, "a": 1})
    assert describe({1, 2, 3}) == describe({3, 2, 1})
    assert describe(object()) == describe(object())


def test_exceptions_show_their_fields() -> None:
    class HttpError(Exception):
        def __init__(self, status: int) -> None:
            self.status = status

    assert describe(HttpError(404)) != describe(HttpError(409))


def test_a_value_in_itself_has_an_end() -> None:
    value: list[object] = []
    value.append(value)
    assert describe(value) == "[…]"


def test_locks_show_no_waiters() -> None:
    assert describe(asyncio.Lock()) == "Lock(free)"


def test_ids_are_numbered_where_they_occur() -> None:
    assert rename_fresh([f"b{SECOND}", f"a{FIRST}", f"c{SECOND}"]) == ("b#1", "a#2", "c#1")


def test_the_canonical_form_is_the_same_for_all_names_and_orders() -> None:
    """Brute force: all orders of answers with the same ids, and both names of the ids."""
    for answers, state in [
        ([f"a/{FIRST}", f"a/{SECOND}", f"b/{SECOND}"], f"x = {FIRST}"),
        ([f"a/{FIRST}", f"a/{FIRST}", "b"], f"x = {SECOND}"),
    ]:
        swapped = [each.replace(FIRST, "?").replace(SECOND, FIRST).replace("?", SECOND) for each in answers]
        other = state.replace(FIRST, "?").replace(SECOND, FIRST).replace("?", SECOND)
        forms = {canonical(order, state) for order in permutations(answers)}
        forms |= {canonical(order, other) for order in permutations(swapped)}
        assert len(forms) == 1


def test_different_sharing_has_different_forms() -> None:
    assert canonical([f"a/{FIRST}", f"a/{FIRST}"], "") != canonical([f"a/{FIRST}", f"a/{SECOND}"], "")


def test_unknown_values_may_be_equal_and_ids_may_not() -> None:
    two = canonical([f"a/{UNKNOWN}", f"a/{OTHER}"], "")
    one = canonical([f"a/{UNKNOWN}", f"a/{UNKNOWN}"], "")
    assert is_instance(one, two)
    assert not is_instance(two, one)
    ids = canonical([f"a/{FIRST}", f"a/{SECOND}"], "")
    same = canonical([f"a/{FIRST}", f"a/{FIRST}"], "")
    assert not is_instance(same, ids)
    assert not is_instance(canonical(["a/1"], ""), canonical(["a/2"], ""))
