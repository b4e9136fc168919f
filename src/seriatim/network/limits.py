"""How far a system may unfold, and what to say when it goes further."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on exploration; each has a flag of its name on the command line."""

    max_states: int = 1_000_000
    """Pairs of a local and a global state; also intermediate states of one atomic step."""

    max_value: int = 1_000_000
    """The largest absolute value of a variable."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The variable that keeps taking new values, and the lines that give it new ones."""

    variable: str
    lines: tuple[int, ...]


class LimitReached(Exception):
    """A system is larger than the limits allow; perhaps it is infinite."""

    def __init__(self, flag: str, limit: int, growth: Growth | None = None) -> None:
        super().__init__(f"more than {limit} ({flag})")
        self.flag = flag
        self.limit = limit
        self.growth = growth
