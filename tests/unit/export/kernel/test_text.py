"""Texts of the kernel: lists have their lengths before them, tuples do not."""

from seriatim.export.kernel.text import Text, integers


def test_lists_begin_with_their_lengths() -> None:
    text: Text = (7, [1, (2, 3)], [], [[4]])
    assert list(integers(text)) == [7, 2, 1, 2, 3, 0, 1, 1, 4]


def test_a_tuple_is_its_parts() -> None:
    assert list(integers(((), ((1,), 2)))) == [1, 2]
