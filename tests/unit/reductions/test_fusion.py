"""Steps are made one only where nothing that happens between them matters."""

from itertools import pairwise

import pytest

from seriatim.reductions.fusion import Fusion, fuse
from seriatim.reductions.movers import Side
from seriatim.reductions.prepass import MAX_CHECKS
from seriatim.reductions.pruning import prune
from seriatim.reductions.wait_states import drop_wait_states
from seriatim.systems.closure import Coverage
from seriatim.systems.run import Run, Turn, replays
from seriatim.systems.slicing import MacroSystem
from testkit.inputs.reduction_cases import (
    NEVER,
    assert_runs_expand,
    assert_same_outcomes,
    named,
    of_program,
    of_steps,
)


def checked(given: MacroSystem) -> Fusion:
    reduction = fuse(given, MAX_CHECKS, NEVER)
    assert_same_outcomes(reduction.after, given.origin)
    assert_runs_expand(reduction.after, reduction.expand, given.origin)
    return reduction


class Anything(Coverage):
    """Covers everything, as if nothing were known about who is in flight together."""

    def __init__(self, system: MacroSystem) -> None:
        self.known = system.coverage
        self.everybody = sum(1 << local for local, _ in {(local, 0) for local, _ in system.table})

    def globals(self) -> list[int]:
        return self.known.globals()

    def find_covered(self, global_: int) -> int:
        del global_
        return self.everybody

    def together(self, global_: int, local: int) -> int:
        del global_, local
        return self.everybody


LOCKED = "request f { while (L == 1) { yield }; L := 1; yield; y := X; yield; X := 1 - y; yield; L := 0; y }"


def without_waits(system: MacroSystem) -> MacroSystem:
    return prune(drop_wait_states(system, NEVER).after).after


def test_a_critical_section_becomes_one_step() -> None:
    assert checked(without_waits(of_program(LOCKED))).after.is_atomic()


def test_taking_a_lock_is_a_right_mover_only_because_nobody_else_can_hold_it() -> None:
    """Were another holder possible, releasing the lock could not be moved before taking it."""
    given = without_waits(of_program(LOCKED))
    assert fuse(given, MAX_CHECKS, NEVER).after.is_atomic()
    unknown = MacroSystem(given.origin, Anything(given), given.table)
    assert not fuse(unknown, MAX_CHECKS, NEVER).after.is_atomic()


def test_a_handshake_is_not_fused() -> None:
    """A waits for B, which waits for A: alone, neither is ever answered."""
    given = of_program(
        """
        request a { X := 1; yield; while (Y == 0) { yield }; Y := 0; 0 }
        request b { while (X == 0) { yield }; X := 0; Y := 1; 0 }
        """
    )
    assert not checked(given).after.is_atomic()


def test_a_step_that_moves_both_ways_holds_only_one_side_together() -> None:
    """Writing Z commutes with everything; reading X before it and writing X after it do not."""
    given = of_program("request flip { y := X; yield; Z := 1; yield; X := 1 - y; y }")
    reduction = checked(given)
    assert reduction.eliminated
    assert not reduction.after.is_atomic()


def test_an_edge_that_gets_more_steps_is_checked_again() -> None:
    """Writing Z is a mover; reading 0 from X, which leads to the same local and joins it later, is not."""
    given = of_program(
        "request f { if (?) { y := 0; Z := 1 } else { yield; y := X }; yield; X := (y + 1) % 3; y }"
    )
    assert len(checked(given).eliminated) == 1


def test_a_step_against_others_from_the_same_local() -> None:
    """Who takes the lock is noticed by who is where it was before, and by nobody else."""
    given = of_program("request f { if (L == 1) { return 9 }; L := 1; yield; L := 0; 0 }")
    assert checked(given).eliminated == ()


def test_a_check_is_repeated_when_what_it_failed_against_is_gone() -> None:
    """Between the two steps of g, f has to wait at n; once they are one, they do nothing."""
    given = of_steps(
        """
        s: 0>0 ➜ n
        n: 0>0 ➜ /f
        t: 0>1 ➜ m
        m: 1>0 ➜ /g
        """,
        f="s",
        g="t",
    )
    eliminated = [elimination.local for elimination in checked(given).eliminated]
    assert sorted(eliminated) == sorted((named(given, "n"), named(given, "m")))


def test_where_requests_begin_is_not_eliminated() -> None:
    """Even if all edges into it are movers."""
    given = of_steps(
        """
        s: 0>1 ➜ /ok
        s: 1>0 ➜ m
        m: 0>0 1>1 2>2 ➜ s
        m: 1>2 ➜ /late
        """,
        only="s",
    )
    assert named(given, "s") not in {elimination.local for elimination in checked(given).eliminated}


def test_a_choice_on_the_way_in_is_kept() -> None:
    given = of_steps("s: 0>1 0>2 ➜ m\nm: 1>0 ➜ /one\nm: 2>0 ➜ /two", only="s")
    assert len(checked(given).after.moves(named(given, "s"), 0)) == 2


def test_steps_that_end_where_they_began_are_left_out() -> None:
    """Taking a lock and giving it back to try again."""
    given = of_steps("s: 0>1 ➜ m\nm: 1>0 ➜ s\nm: 1>0 ➜ /ok", only="s")
    (move,) = checked(given).after.moves(named(given, "s"), 0)
    assert move[0] < 0


def test_a_loop_that_is_no_mover_keeps_its_local() -> None:
    """At m, a goes from 0 to 1, and on from 2; only b goes from 1 to 2. All edges into m are movers."""
    given = of_steps(
        """
        s: 0>0 1>1 2>2 ➜ m
        m: 0>1 ➜ m
        m: 2>0 ➜ /a
        t: 1>2 ➜ /b
        """,
        a="s",
        b="t",
    )
    assert checked(given).eliminated == ()


def test_a_loop_that_is_no_mover_keeps_its_local_on_the_left_too() -> None:
    """All edges from m are movers to the left: the answer needs nothing. But the loop waits for b."""
    given = of_steps(
        """
        s: 0>1 ➜ m
        m: 2>0 ➜ m
        m: 0>0 1>1 2>2 ➜ /a
        t: 1>2 ➜ /b
        """,
        a="s",
        b="t",
    )
    assert checked(given).eliminated == ()


def test_a_loop_that_is_a_mover_is_fused_and_expands() -> None:
    """Nobody looks at the variable that the loop counts: 0, 1, 2 and 3, 4, 5 are the same X."""
    given = of_steps(
        """
        s: 0>0 1>1 2>2 3>3 4>4 5>5 ➜ m
        m: 0>1 1>2 2>0 3>4 4>5 5>3 ➜ m
        m: 0>3 1>4 2>5 3>0 4>1 5>2 ➜ /ok
        """,
        only="s",
    )
    reduction = checked(given)
    s, m = named(given, "s"), named(given, "m")
    assert [elimination.local for elimination in reduction.eliminated] == [m]
    (answer,) = {target for target, _ in reduction.after.moves(s, 0)}
    longest = reduction.expand(Run((Turn(0, s, answer, 0, 5),)))
    assert [(turn.local, turn.after) for turn in longest.turns] == [(s, 0), (m, 1), (m, 2), (m, 5)]
    assert replays(longest, given.origin)


def test_composites_of_composites_expand_in_order() -> None:
    given = without_waits(of_program(LOCKED))
    reduction = checked(given)
    (start,) = given.starts
    (answer, after), *_ = reduction.after.moves(start, 0)
    run = reduction.expand(Run((Turn(0, start, answer, 0, after),)))
    assert len(run.turns) == 4
    assert all(one.target == other.local and one.after == other.before for one, other in pairwise(run.turns))


def test_the_side_says_why() -> None:
    """A write that nobody reads moves right to what follows it, or left to what it follows."""
    right = checked(of_program("request f { Z := 1; yield; y := X; X := 1 - X; y } request g { X }"))
    left = checked(of_program("request f { y := X; X := 1 - X; yield; Z := 1; y } request g { X }"))
    assert {elimination.side for elimination in right.eliminated} == {Side.RIGHT}
    assert {elimination.side for elimination in left.eliminated} == {Side.LEFT}


@pytest.mark.parametrize("max_checks", [0, 1, 5, 20])
def test_whatever_the_budget_the_outcomes_are_the_same(max_checks: int) -> None:
    given = of_program(LOCKED + " request g { L }")
    reduction = fuse(given, max_checks, NEVER)
    assert_same_outcomes(reduction.after, given.origin)
    assert_runs_expand(reduction.after, reduction.expand, given.origin)
    assert max_checks > 0 or reduction.after is given
