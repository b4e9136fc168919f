"""Names that are easily taken for one another: they differ in case or by one slip of the fingers."""

from collections.abc import Iterable

SHORTEST = 3
"""Of names with fewer letters, almost any two are one slip apart."""


def did_you_mean(name: str, others: Iterable[str]) -> str | None:
    """The other name that was probably meant: one that differs only in case, or else by one slip."""
    candidates = sorted(set(others) - {name})
    return next(
        (other for alike in (_differ_in_case, one_slip) for other in candidates if alike(name, other)),
        None,
    )


def _differ_in_case(left: str, right: str) -> bool:
    return left.casefold() == right.casefold()


def one_slip(left: str, right: str) -> bool:
    """Whether one letter too many, one too few, a wrong one, or two exchanged ones make the difference.

    What a digit, a letter of its own or another first or last letter tells apart is a name of the same
    kind: X1 and X2, SEEN_A and SEEN_B, XPOS and YPOS.
    """
    if min(len(left), len(right)) < SHORTEST or left == right:
        return False
    begin = 0
    while left[begin : begin + 1] == right[begin : begin + 1]:
        begin += 1
    end = 0
    while end < min(len(left), len(right)) - begin and left[-1 - end] == right[-1 - end]:
        end += 1
    one, other = left[begin : len(left) - end], right[begin : len(right) - end]
    before, after = left[:begin][-1:].isalpha(), left[len(left) - end :][:1].isalpha()
    match len(one), len(other):
        case (0, 1) | (1, 0):
            is_slip = before or after
        case (1, 1):
            is_slip = before and after
        case (2, 2):
            is_slip = one == other[::-1]
        case _:
            is_slip = False
    return is_slip and (one + other).isalpha()
