"""Dependencies among integer vectors."""

from hypothesis import given
from hypothesis import strategies as st

from seriatim.arithmetic.semilinear.independence import Independent

vectors = st.lists(st.tuples(*[st.integers(-4, 4)] * 3), max_size=6)


@given(vectors)
def test_a_vector_is_left_out_only_with_a_dependency(found: list[tuple[int, int, int]]) -> None:
    independent = Independent()
    kept: list[tuple[int, int, int]] = []
    for vector in found:
        dependency = independent.add(vector)
        if dependency is None:
            kept.append(vector)
            continue
        assert dependency[-1] > 0
        columns = zip(*kept, vector, strict=True)
        assert all(sum(c * e for c, e in zip(dependency, column, strict=True)) == 0 for column in columns)
    assert independent.size == len(kept) <= 3


def test_units_are_independent_and_fill_the_space() -> None:
    independent = Independent()
    assert [independent.add(v) for v in [(0, 2, 0), (1, 0, 0), (5, 5, 5)]] == [None, None, None]
    assert independent.add((0, 0, 1)) is not None
