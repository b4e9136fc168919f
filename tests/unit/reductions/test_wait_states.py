"""Steps by which a request only begins to wait are dropped."""

import pytest

from seriatim.reductions.wait_states import WaitStates, drop_wait_states
from seriatim.systems.slicing import MacroSystem
from testkit.inputs.reduction_cases import (
    NEVER,
    assert_runs_expand,
    assert_same_outcomes,
    named,
    of_program,
    of_steps,
)


def checked(given: MacroSystem) -> WaitStates:
    reduction = drop_wait_states(given, NEVER)
    assert_same_outcomes(reduction.after, given.origin)
    assert_runs_expand(reduction.after, reduction.expand, given.origin)
    return reduction


def test_waiting_for_a_lock_need_not_begin() -> None:
    given = of_program("request f { x := 1; while (L == 1) { yield }; L := 1; yield; X := 1 - X; L := 0; X }")
    reduction = checked(given)
    assert [local for local, _ in reduction.dropped] == list(given.starts)


def test_all_steps_to_the_wait_have_to_be_identities() -> None:
    """The step 1>0 writes what `wait` needs; without it, nobody would be answered after `set`."""
    given = of_steps(
        """
        s: 0>0 1>0 ➜ m
        m: 0>2 ➜ /done
        s: 0>2 ➜ /done
        t: 0>1 ➜ /set
        """,
        wait="s",
        set="t",
    )
    assert checked(given).dropped == ()


def test_what_the_wait_does_in_place_has_to_be_possible_before_it() -> None:
    """Only who waits can go from 0 to 1."""
    given = of_steps(
        """
        s: 0>0 ➜ m
        m: 0>1 ➜ m
        m: 1>1 ➜ /done
        s: 1>1 ➜ /done
        """,
        only="s",
    )
    assert checked(given).dropped == ()


def test_what_the_wait_does_in_place_may_be_done_before_it() -> None:
    given = of_steps(
        """
        s: 0>0 ➜ m
        s: 0>1 ➜ s
        m: 0>1 ➜ m
        m: 1>1 ➜ /done
        s: 1>1 ➜ /done
        """,
        only="s",
    )
    assert checked(given).dropped == ((named(given, "s"), named(given, "m")),)


def test_waiting_that_can_be_given_up_need_not_begin() -> None:
    """The step back is matched by having stayed."""
    given = of_steps(
        """
        s: 0>0 ➜ m
        m: 0>0 ➜ s
        m: 1>0 ➜ /done
        s: 1>0 ➜ /done
        t: 0>1 ➜ /set
        """,
        wait="s",
        set="t",
    )
    assert (named(given, "s"), named(given, "m")) in checked(given).dropped


@pytest.mark.parametrize("extra", ["m: 1>1 ➜ /late", "m: 1>0 ➜ n\nn: 0>0 ➜ /late"])
def test_a_wait_that_can_do_more_is_kept(extra: str) -> None:
    """Another answer, or another step, that only who waits can make."""
    steps = "s: 0>0 ➜ m\ns: 1>0 ➜ /done\nm: 1>0 ➜ /done\nt: 0>1 ➜ /set\n" + extra
    given = of_steps(steps, wait="s", set="t")
    assert checked(given).dropped == ()


def test_dropping_one_wait_may_allow_another() -> None:
    """s can't do what a can, until a has lost its step to b."""
    given = of_steps(
        """
        s: 0>0 ➜ a
        a: 0>0 ➜ b
        b: 1>0 ➜ /done
        a: 1>0 ➜ /done
        s: 1>0 ➜ /done
        t: 0>1 ➜ /set
        """,
        wait="s",
        set="t",
    )
    a, b, s = (named(given, name) for name in "abs")
    assert set(checked(given).dropped) == {(a, b), (s, a)}
