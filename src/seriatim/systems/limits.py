"""Limits on unfolding a system, and the error when one is reached."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on exploration; each has a flag of its name on the command line."""

    max_states: int = 300_000
    """Pairs of a local and a global state; also intermediate states of one atomic step."""

    max_value: int = 100_000
    """The largest absolute value of a variable, unless the program itself names a larger one."""

    in_flight: int | None = None
    """How many requests a search keeps in flight at a time; None tries several numbers, then any. A lane of
    `--lanes` may set it."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The variable that keeps taking new values, and the lines that give it new ones."""

    variable: str
    lines: tuple[int, ...]

    def __str__(self) -> str:
        word = "line" if len(self.lines) == 1 else "lines"
        places = f" ({word} {', '.join(map(str, self.lines))})" if self.lines else ""
        return f"`{self.variable}` keeps growing{places}"


class LimitReached(Exception):
    """A system is larger than the limits allow; perhaps it is infinite."""

    def __init__(self, flag: str, limit: int, growth: Growth | None = None) -> None:
        if flag == "--max-value":
            message = f"a variable goes beyond {limit:,}"
        else:
            message = f"there are more than {limit:,} states"
        self.message = message if growth is None else f"{message}: {growth}"
        self.hint = f"raise {flag}" if growth is None else f"bound `{growth.variable}`, or raise {flag}"
        super().__init__(self.message)
        self.flag = flag
        self.limit = limit
        self.growth = growth
