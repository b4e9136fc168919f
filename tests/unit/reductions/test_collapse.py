"""Locals at which nothing happens are skipped."""

from seriatim.reductions.collapse import collapse
from testkit.inputs.reduction_cases import (
    assert_runs_expand,
    assert_same_outcomes,
    named,
    of_program,
    of_steps,
)


def test_a_pause_before_a_constant_answer_is_skipped() -> None:
    """Writing, pausing and answering 0 is as good as writing and answering 0."""
    given = of_steps("s: 0>1 1>0 ➜ m\nm: 0>0 1>1 ➜ /0", flip="s")
    reduction = collapse(given)
    assert not given.is_atomic()
    assert reduction.after.is_atomic()
    assert_same_outcomes(reduction.after, given.origin)
    assert assert_runs_expand(reduction.after, reduction.expand, given.origin) > 0


def test_chains_of_pauses_are_skipped_whole() -> None:
    given = of_program("request f { X := 1 - X; yield; yield; yield; y := X; y }")
    reduction = collapse(given)
    assert len(reduction.end) == 2
    assert set(reduction.end.values()) == set(reduction.next.values()) - set(reduction.next)
    assert_same_outcomes(reduction.after, given.origin)
    assert assert_runs_expand(reduction.after, reduction.expand, given.origin) > 0


def test_a_local_that_is_stuck_somewhere_is_no_pause() -> None:
    """The wait for 1 may be entered at 0, and then it does matter when it ends."""
    given = of_steps(
        """
        s: 0>0 1>1 ➜ w
        w: 1>1 ➜ /done
        t: 0>1 1>1 ➜ /set
        """,
        waits="s",
        sets="t",
    )
    assert collapse(given).after is given


def test_a_fresh_request_is_not_skipped() -> None:
    """Even if its first step does nothing: requests have to begin somewhere."""
    given = of_steps("s: 0>0 ➜ m\nm: 0>1 ➜ /ok\nm: 1>0 ➜ /ok\ns: 1>1 ➜ m", only="s")
    assert collapse(given).after is given


def test_a_circle_of_pauses_has_no_end() -> None:
    """Who goes round in it is never answered; such a system need not have been pruned."""
    given = of_steps("s: 0>0 ➜ a\na: 0>0 ➜ b\nb: 0>0 ➜ a\nb: 0>1 ➜ /ok\ns: 0>1 ➜ /ok", only="s")
    a, b = named(given, "a"), named(given, "b")
    table = {pair: moves for pair, moves in given.table.items() if pair[0] != b}
    table[b, 0] = ((a, 0),)
    circular = type(given)(given.origin, given.coverage, table)
    assert collapse(circular).after is circular
