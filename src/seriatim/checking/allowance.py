"""How much the checker may explore before it gives up."""

from seriatim.budget import Deadline

CHECK_EVERY = 32
"""States between two looks at the clock."""


class GaveUp(Exception):
    """The checker reached a bound: it neither accepts nor refuses. The message says which bound."""


class Allowance:
    """A number of states and a deadline; each visit to a state spends one."""

    def __init__(self, states: int = 1_000_000, deadline: Deadline | None = None) -> None:
        self.states = states
        self.deadline = deadline or Deadline()
        self.spent = 0
        self._checks_next = 0

    def spend(self, states: int = 1) -> None:
        """Spends some states. Raises `GaveUp` if none are left, `OutOfBudget` after the deadline."""
        if self.spent >= self._checks_next:
            self._checks_next = self.spent + CHECK_EVERY
            self.deadline.check()
        self.spent += states
        if self.spent > self.states:
            raise GaveUp(f"more than {self.states:,} states to explore")
