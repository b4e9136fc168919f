"""Room for deep walks, and the limit restored afterwards."""

import sys

import pytest

from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import MAX_DEPTH


def depth_reached(levels: int) -> int:
    return 0 if levels == 0 else 1 + depth_reached(levels - 1)


def test_walks_of_several_calls_a_level_have_room() -> None:
    with deep_recursion():
        assert depth_reached(20 * MAX_DEPTH) == 20 * MAX_DEPTH


def test_the_limit_is_restored_after_the_last_walk() -> None:
    before = sys.getrecursionlimit()
    with deep_recursion():
        with deep_recursion():
            pass
        assert sys.getrecursionlimit() > 20 * MAX_DEPTH
    assert sys.getrecursionlimit() == before


def test_the_limit_is_restored_after_a_failure() -> None:
    before = sys.getrecursionlimit()
    with pytest.raises(ZeroDivisionError), deep_recursion():
        _ = 1 // 0
    assert sys.getrecursionlimit() == before


def test_a_higher_limit_is_left_alone() -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(100 * MAX_DEPTH)
    try:
        with deep_recursion():
            assert sys.getrecursionlimit() == 100 * MAX_DEPTH
    finally:
        sys.setrecursionlimit(before)
