"""The checker visits as many states as it may, and works no longer than it may."""

import pytest

from seriatim.budget import Deadline, OutOfBudget
from seriatim.checking.allowance import Allowance, GaveUp


def test_so_many_states_may_be_visited_and_no_more() -> None:
    allowance = Allowance(5, Deadline())
    allowance.spend()
    allowance.spend(4)
    with pytest.raises(GaveUp, match="more than 5 states"):
        allowance.spend()


def test_nothing_may_be_visited_after_the_deadline() -> None:
    with pytest.raises(OutOfBudget):
        Allowance(5, Deadline(0)).spend()
