"""How many random cases a test looks at: a fixed sample by default, more of them with DEEP=1."""

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

Item = TypeVar("Item")

IS_DEEP = bool(os.environ.get("DEEP"))
EVERY_SEED = os.environ.get("DEEP") == "all"

deep = pytest.mark.skipif(not IS_DEEP, reason="takes seconds: with DEEP=1 only")
"""Marks what `make test` leaves out."""

deepest = pytest.mark.skipif(not EVERY_SEED, reason="takes ten seconds or more: with DEEP=all only")
"""Marks what continuous integration leaves out, too."""

deep_cases = pytest.mark.deep_cases
"""Marks cases of a test that `make test` leaves out, by what stands in brackets behind its name."""

slowest_cases = pytest.mark.slowest_cases
"""Marks cases of a test that take so long that only DEEP=all runs them, in the same way."""

slow_seeds = pytest.mark.slow_seeds
"""Marks a test of which half as many seeds run as of others: each takes seconds."""


def sample(number: int, part: int = 5) -> range:
    """The numbers below one, or one in so many of them."""
    return range(0, number, 1 if IS_DEEP else part)


def sampled(items: Sequence[Item], part: int = 5) -> list[Item]:
    """All of them, or one in so many."""
    return [items[place] for place in sample(len(items), part)]


def at_least(number: int, part: int = 5) -> int:
    """How many cases of a sort there have to be, of all or among one in so many; always one."""
    return number if IS_DEEP else max(1, number // part)


def seldom(items: Sequence[Item], part: int) -> list[Item]:
    """One in so many, for cases that take seconds each; all of them with DEEP=all only."""
    return list(items) if EVERY_SEED else list(items[::part])
