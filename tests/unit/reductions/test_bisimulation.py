"""Locals that can do the same are merged."""

from seriatim.reductions.bisimulation import Quotient, quotient
from seriatim.systems.slicing import MacroSystem
from testkit.inputs.reduction_cases import (
    NEVER,
    assert_runs_expand,
    assert_same_outcomes,
    named,
    of_program,
    of_steps,
)

WAITING = "request take { x := 1; while (X == 0) { yield }; X := 0; 1 } request set { X := 1 }"


def checked(given: MacroSystem) -> Quotient:
    reduction = quotient(given, NEVER)
    assert_same_outcomes(reduction.after, given.origin)
    assert assert_runs_expand(reduction.after, reduction.expand, given.origin) > 0
    return reduction


def test_who_waits_is_as_good_as_fresh() -> None:
    """The wait merges with the beginning, which stays fresh: three can still begin at any time."""
    given = of_program(WAITING)
    reduction = checked(given)
    (waiting,) = reduction.representative
    assert reduction.representative[waiting] == given.starts[0]
    assert {local for local, _ in reduction.after.table} == set(given.starts)


def test_values_that_no_longer_matter_are_forgotten() -> None:
    """Two locals that differ in a value which is only compared with 0 again are one."""
    given = of_program(
        "request f { y := X; X := (X + 1) % 3; yield; if (y == 0) { X := 0 } else { X := 1 }; 0 }"
    )
    before = {local for local, _ in given.table}
    after = {local for local, _ in checked(given).after.table}
    assert len(before) == 4
    assert len(after) == 3


def test_different_answers_keep_locals_apart() -> None:
    given = of_program("request f { y := X; X := 1 - X; yield; y }")
    assert quotient(given, NEVER).after is given


def test_a_choice_that_is_made_later_is_not_a_choice_made_now() -> None:
    """Coffee or tea: m can still choose, a and b can't."""
    given = of_steps(
        """
        s: 0>1 ➜ m
        s: 0>1 ➜ a
        s: 0>1 ➜ b
        m: 1>0 ➜ /coffee
        m: 1>2 ➜ /tea
        a: 1>0 ➜ /coffee
        b: 1>2 ➜ /tea
        t: 2>0 ➜ /reset
        """,
        order="s",
        reset="t",
    )
    assert checked(given).after is given


def test_requests_are_never_merged() -> None:
    """Two handlers with the same code answer for themselves."""
    given = of_program("request a { X := 1; yield; X := 0; 0 } request b { X := 1; yield; X := 0; 0 }")
    assert quotient(given, NEVER).after is given


def test_not_even_requests_that_can_do_nothing_are_merged() -> None:
    """Without answers, the two are alike in everything but their names."""
    given = of_steps("s: 0>1 ➜ a\na: 1>0 ➜ /x\nt: 0>1 ➜ b\nb: 1>0 ➜ /y", first="s", second="t")
    begun = {pair: moves for pair, moves in given.table.items() if pair[0] in given.starts}
    unanswered = MacroSystem(given.origin, given.coverage, begun)
    assert quotient(unanswered, NEVER).after is unanswered


def test_the_class_of_a_class_is_found_by_splitting_again() -> None:
    """Two chains of equal steps with different ends: the difference travels back to their beginnings."""
    steps = "".join(f"s: {i}>{i} ➜ a{i}0\n" for i in range(2))
    for i in range(2):
        for j in range(4):
            steps += f"a{i}{j}: 0>1 1>0 ➜ a{i}{j + 1}\n"
        steps += f"a{i}4: 0>{i} 1>{i} ➜ /ok\n"
    given = of_steps(steps, only="s")
    assert quotient(given, NEVER).after is given


def test_two_fresh_locals_of_one_request_stay_but_only_one_of_them_is_entered() -> None:
    given = of_steps(
        """
        s: 0>1 ➜ u
        s: 1>1 ➜ /ok
        u: 1>0 ➜ t
        u: 1>1 ➜ /late
        t: 0>1 ➜ u
        t: 1>1 ➜ /ok
        """,
        only="s t",
    )
    reduction = checked(given)
    s, t, u = (named(given, name) for name in "stu")
    assert reduction.representative == {t: s}
    assert reduction.after.moves(t, 0) == ((u, 1),)
    assert (s, 0) in reduction.after.moves(u, 1)
    assert (t, 0) not in reduction.after.moves(u, 1)
    assert quotient(reduction.after, NEVER).after is reduction.after


def test_an_identity_within_a_class_counts_once_the_class_is_split() -> None:
    """a and c differ only in a step to b, which at first is in their class, as are two others like b."""
    branches = "\n".join(f"{name}: 1>0 ➜ /ok\n{name}: 0>1 ➜ /other" for name in ("b", "b2", "b3"))
    entries = "\n".join(f"s: 0>1 ➜ {name}" for name in ("a", "c", "b", "b2", "b3"))
    steps = f"{entries}\na: 0>0 ➜ b\na: 1>0 ➜ /ok\nc: 1>0 ➜ /ok\n{branches}\nt: 1>0 ➜ /reset"
    given = of_steps(steps, enter="s", reset="t")
    merged_away = checked(given).representative
    assert set(merged_away) | set(merged_away.values()) == {named(given, name) for name in ("b", "b2", "b3")}
