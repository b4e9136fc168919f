"""Membership in Ser by search: what it has found out it does not find out again."""

import pytest

from seriatim.budget import Deadline, OutOfTime
from seriatim.engines.shared.outcomes import SerialOutcomes
from seriatim.systems.automaton import Automaton, Edges
from seriatim.systems.multiset import Multisets

A, B, C = range(3)
MANY = 100


class Misleading(Automaton):
    """After A there are two ways to go on: the first one takes any number of B, but no C."""

    def edges(self, state: int) -> Edges:
        after: tuple[Edges, ...] = ({A: (1, 2)}, {B: (1,)}, {B: (2,), C: (3,)}, {})
        return after[state]


def test_ways_that_lead_nowhere_are_tried_once_although_another_way_is_found() -> None:
    multisets = Multisets()
    serial = SerialOutcomes(Misleading(10), multisets)
    for times in range(MANY):
        assert serial.allows(multisets.number((A, *[B] * times, C)))
        assert not serial.allows(multisets.number((A, *[B] * times, C, C)))
    kinds_of_rest = 3 * 4  # A is left, or not; and none, one or two of C
    assert serial.looked_at <= 4 * kinds_of_rest * MANY


def test_the_search_honours_the_deadline_of_the_specification() -> None:
    multisets = Multisets()
    serial = SerialOutcomes(Misleading(10, Deadline(0)), multisets)
    with pytest.raises(OutOfTime):
        serial.allows(multisets.number((A, *[B] * 1_000, C)))
