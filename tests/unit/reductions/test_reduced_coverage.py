"""Masks are mapped through merges."""

from seriatim.reductions.reduced_coverage import merge_locals, restrict_locals
from seriatim.systems.closure import Coverage
from testkit.inputs.reduction_cases import of_program


class Written(Coverage):
    """Locals 0 to 3 in global state 0. Two can be at 1, and 3 is beside 0 and 2 only."""

    rows = (0b1111, 0b0011, 0b1001, 0b0101)
    level = 2

    def __init__(self) -> None:
        self.potentials = of_program("request f { 0 }").coverage.potentials

    def globals(self) -> list[int]:
        return [0]

    def find_covered(self, global_: int) -> int:
        assert global_ == 0
        return 0b1111

    def together(self, global_: int, local: int) -> int:
        assert global_ == 0
        return self.rows[local]


def test_a_class_is_beside_what_any_of_its_members_is_beside() -> None:
    coverage = merge_locals(Written(), {2: 1})
    assert coverage.find_covered(0) == 0b1011
    assert [coverage.together(0, local) for local in range(4)] == [0b1011, 0b1011, 0, 0b0011]
    assert coverage.pairs() == 3


def test_merges_compose() -> None:
    """Merging 2 into 1 and then 1 into 3 is merging both into 3."""
    twice = merge_locals(merge_locals(Written(), {2: 1}), {1: 3})
    assert twice.find_covered(0) == 0b1001
    assert twice.together(0, 3) == 0b1001
    assert twice.representative == {2: 3, 1: 3}


def test_locals_that_are_gone_are_beside_nobody() -> None:
    coverage = restrict_locals(merge_locals(Written(), {2: 1}), 0b1001)
    assert coverage.find_covered(0) == 0b1001
    assert [coverage.together(0, local) for local in range(4)] == [0b1001, 0, 0, 0b0001]
    assert restrict_locals(coverage, 0b0001).find_covered(0) == 0b0001


def test_what_was_computed_is_kept() -> None:
    coverage = merge_locals(restrict_locals(Written(), 0b0111), {2: 1})
    assert coverage.globals() == [0]
    assert coverage.level == 2
    assert coverage.find_covered(0) == 0b0011
