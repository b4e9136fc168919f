"""The result of a search for repairs of a service, as data."""

from dataclasses import dataclass

from seriatim.repair.service_changes import ServiceChange


@dataclass(frozen=True, slots=True)
class SeenRepair:
    """A change after which runs showed no race."""

    change: ServiceChange
    requests: int
    """All runs of so many requests were tried."""
    runs: int


@dataclass(frozen=True, slots=True)
class ServiceRepairs:
    """What was found."""

    has_race: bool
    """Whether the file has a race; without one, there is nothing to fix."""
    explored: int
    """How many requests were tried together in the file as it is."""
    found: tuple[SeenRepair, ...] = ()
    tried: int = 0
    is_cut: bool = False
    """Whether the budget ended the search."""
