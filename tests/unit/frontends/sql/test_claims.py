"""Claims: which ones can be held together, and how holders are counted."""

from seriatim.frontends.sql.claims import CONFLICTS, MANY, Claim, Mark, add, drop, held_by_others, is_free
from seriatim.frontends.sql.language import Strength, TableMode

ROW = ("row", 0, (1,))
SHARE: Claim = (ROW, Strength.SHARE)


def test_conflicts_are_mutual() -> None:
    for mode, others in CONFLICTS.items():
        for other in others:
            assert mode in CONFLICTS[other], (mode, other)


def test_row_locks_conflict_as_in_the_manual() -> None:
    modes = list(Strength)
    table = [[other in CONFLICTS[mode] for other in modes] for mode in modes]
    assert table == [
        [False, False, False, True],
        [False, False, True, True],
        [False, True, True, True],
        [True, True, True, True],
    ]


def test_table_locks_conflict_as_in_the_manual() -> None:
    conflicts = {mode: len(CONFLICTS[mode]) for mode in TableMode}
    assert list(conflicts.values()) == [1, 2, 4, 5, 5, 6, 7, 8]


def test_holders_are_counted_up_to_many() -> None:
    claims = add(add((), [SHARE]), [SHARE])
    assert [dict(left)[SHARE] for left in drop(claims, [SHARE])] == [1]
    claims = add(add(claims, [SHARE]), [SHARE])
    assert dict(claims)[SHARE] == MANY
    assert sorted(dict(left)[SHARE] for left in drop(claims, [SHARE])) == [2, MANY]


def test_own_claims_are_no_obstacle() -> None:
    claims = add((), [SHARE])
    assert is_free(claims, [SHARE], ROW, Strength.UPDATE)
    assert not is_free(claims, [], ROW, Strength.UPDATE)
    assert is_free(claims, [], ROW, Strength.SHARE)
    assert not held_by_others(claims, [], ROW, [Mark.WRITTEN])
