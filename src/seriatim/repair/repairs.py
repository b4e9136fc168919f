"""What came of a search for repairs, as data."""

from seriatim.frozen import frozen
from seriatim.repair.candidate import Candidate, Change
from seriatim.repair.yields import Place

MAX_DROPPED = 3
"""Yields that are dropped together at most."""


@frozen
class Repairs:
    """What was found, the smallest change first."""

    found: tuple[Candidate, ...]
    yields: tuple[Place, ...]
    """Of the program, by number."""
    decided: int
    """How many candidates were decided."""
    is_cut: bool
    """Whether the budget ended the search; otherwise all candidates were decided."""

    def blamed(self) -> tuple[tuple[Place, ...], ...]:
        """The sets of yields without which the program is proved serializable; none contains another."""
        sets = [repair.yields for repair in self.found if repair.change is Change.DROP]
        return tuple(tuple(self.yields[number] for number in chosen) for chosen in sets)
