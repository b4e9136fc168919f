"""Proofs by cases as the kernel reads them: each node with the trees of its cases inside."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import assert_never

from seriatim.arithmetic.case_proofs import Absurd, ByCover, ByCut, CaseNode, Multiples, Rounded
from seriatim.export.kernel.text import Text

BY_COVER, BY_CUT, ROUND, ABSURD = range(4)


@dataclass(frozen=True, slots=True)
class Branches:
    """How many cases covers and cuts have, by number from 1 on."""

    of_cover: Callable[[int], int]
    of_cut: Callable[[int], int]


def tree_text(nodes: tuple[CaseNode, ...], branches: Branches) -> Text:
    """The depth that reading it may need, and the tree."""
    left = iter(nodes)

    def following(cases: int) -> list[Text]:
        return [text(next(left)) for _ in range(cases)]

    def text(node: CaseNode) -> Text:
        match node:
            case ByCover(cover=number):
                return (BY_COVER, number - 1, following(branches.of_cover(number)))
            case ByCut(cut=number):
                return (BY_CUT, number - 1, following(branches.of_cut(number)))
            case Rounded(sum=multiples, divisor=divisor):
                return (ROUND, sum_text(multiples), divisor, *following(1))
            case Absurd(sum=multiples):
                return (ABSURD, sum_text(multiples))
            case _:
                assert_never(node)

    return (len(nodes), text(next(left)))


def sum_text(multiples: Iterable[tuple[int, int]] | Multiples) -> list[Text]:
    return [(row - 1, times) for row, times in multiples]
