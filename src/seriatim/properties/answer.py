"""What an engine may answer. `NoneUpTo` and `GaveUp` are not verdicts."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from seriatim.network.closure import Coverage
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
    """If the minimality is BOUNDED: no violation with at most so many requests in flight has fewer
    requests."""


@dataclass(frozen=True, slots=True)
class ProvedAtomic:
    """Serializable, because every request that is ever answered is answered by its first step."""

    reason: Literal["no-yield", "one-step"]


@dataclass(frozen=True, slots=True)
class ProvedByCommits:
    """Serializable, because each request takes effect in one step: `seriatim.engines.commit_points`."""

    coverage: Coverage
    """What can be in flight."""
    committed: dict[int, int]
    """The locals of requests that have taken effect and are not answered yet, with their completions."""


@dataclass(frozen=True, slots=True)
class NoneUpTo:
    """No violation with at most so many requests."""

    requests: int


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Nothing found; why the engine stopped, and what might help."""

    why: str
    hint: str | None = None


Answer = Refuted | ProvedAtomic | ProvedByCommits | NoneUpTo | GaveUp
