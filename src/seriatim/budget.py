"""A wall-clock budget that long work consults; only a face or the portfolio sets one."""

from time import monotonic


class OutOfTime(Exception):
    """The time allowed is over; whatever was under way has no answer."""


class Deadline:
    """A moment after which `check` raises. Without a number of seconds it never does."""

    def __init__(self, seconds: float | None = None) -> None:
        self.ends = None if seconds is None else monotonic() + seconds

    def check(self) -> None:
        if self.ends is not None and monotonic() > self.ends:
            raise OutOfTime

    def remaining(self) -> float:
        """Seconds left, infinite without a deadline."""
        return float("inf") if self.ends is None else max(0.0, self.ends - monotonic())
