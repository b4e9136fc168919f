"""The result of a search for repairs, as data."""

from dataclasses import dataclass

from seriatim.repair.candidate import Candidate, Change
from seriatim.repair.yields import YieldPlace

MAX_DROPPED = 3
"""Yields that are dropped together at most."""


@dataclass(frozen=True, slots=True)
class Open:
    """A candidate about which there was no verdict."""

    candidate: Candidate
    reason: str
    """The reason in a few words, without a full stop."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """What was found: what keeps all yields, then the smallest change first."""

    found: tuple[Candidate, ...]
    yields: tuple[YieldPlace, ...]
    """The yields of the program, by number."""
    decided: int
    """How many candidates were decided."""
    is_cut: bool
    """Whether the budget ended the search; otherwise all candidates were decided."""
    undecided: tuple[Open, ...] = ()
    """The changes that could not be decided."""
    hangs: bool = False
    """Whether requests of the program can wait for ever, which no repair changes."""

    def list_blamed(self) -> tuple[tuple[YieldPlace, ...], ...]:
        """The sets of yields without which the program is proved serializable; none contains another."""
        sets = [repair.yields for repair in self.found if repair.change is Change.DROP]
        return tuple(tuple(self.yields[number] for number in chosen) for chosen in sets)
