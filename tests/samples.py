"""How many random cases a test looks at: a fixed sample by default, all of them with DEEP=1."""

import os

IS_DEEP = bool(os.environ.get("DEEP"))


def sample(number: int, part: int = 5) -> range:
    """The numbers below one, or one in so many of them."""
    return range(0, number, 1 if IS_DEEP else part)
