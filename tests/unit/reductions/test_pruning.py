"""What no request enters any more is dropped."""

from seriatim.reductions.pruning import prune
from seriatim.systems.slicing import MacroSystem
from testkit.inputs.reduction_cases import assert_same_outcomes, named, of_steps

GIVEN = of_steps("s: 0>1 ➜ a\na: 1>0 ➜ /ok\ns: 0>2 ➜ b\nb: 2>0 ➜ c\nc: 0>0 ➜ /late", only="s")


def test_nothing_to_do_is_nothing_done() -> None:
    assert prune(GIVEN).after is GIVEN


def test_locals_without_a_way_in_go_and_so_does_what_only_they_lead_to() -> None:
    b, c, s = (named(GIVEN, name) for name in "bcs")
    table = dict(GIVEN.table)
    table[s, 0] = tuple(move for move in table[s, 0] if move[0] != b)
    given = MacroSystem(GIVEN.origin, GIVEN.coverage, table)
    after = prune(given).after
    assert {local for local, _ in after.table} == {s, named(GIVEN, "a")}
    assert not any(after.coverage.find_covered(g) >> local & 1 for g in range(3) for local in (b, c))
    assert_same_outcomes(after, given)


def test_steps_that_lead_to_no_answer_go() -> None:
    c, s = named(GIVEN, "c"), named(GIVEN, "s")
    table = {pair: moves for pair, moves in GIVEN.table.items() if pair[0] != c}
    given = MacroSystem(GIVEN.origin, GIVEN.coverage, table)
    after = prune(given).after
    assert {local for local, _ in after.table} == {s, named(GIVEN, "a")}
    assert_same_outcomes(after, given)
