"""What an engine may answer. `GaveUp` and `NoneUpTo` are not verdicts."""

from dataclasses import dataclass
from enum import StrEnum

from seriatim.network.run import Run


class Minimality(StrEnum):
    """Whether a counterexample has as few requests as any."""

    PROVED = "proved"
    BOUNDED = "bounded"
    UNKNOWN = "no"


@dataclass(frozen=True, slots=True)
class Refuted:
    """A complete run whose outcome no serial run has."""

    run: Run
    minimality: Minimality
    in_flight: int
    """No violation has fewer requests among the runs with at most so many in flight at a time."""


@dataclass(frozen=True, slots=True)
class NoneUpTo:
    """No violation with at most so many requests."""

    requests: int


@dataclass(frozen=True, slots=True)
class Proved:
    """Serializable, because every request that is ever answered is answered by its first step."""


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Nothing found; why the engine stopped."""

    why: str


Answer = Refuted | Proved | NoneUpTo | GaveUp
