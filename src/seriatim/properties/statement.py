"""Statements: what a property says about all runs of an input, as data.

Engines and checker each turn a statement into a problem of their own, in one exhaustive `match`
(`seriatim.systems.posing`, `seriatim.checking.posing`); they share nothing but this data.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from seriatim.program.specification import Specification

Observed = tuple[str, ...] | Literal["all"]
"""The globals whose final values are part of the outcome; empty if only answers count."""


@dataclass(frozen=True, slots=True)
class FinalValues:
    """Outcomes include the final values of these globals."""

    observed: Observed


@dataclass(frozen=True, slots=True)
class Time:
    """Outcomes include which requests ended before others began, up to a number of barriers."""

    barriers: int
    pending: bool
    """Whether runs may end with requests in flight."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Every outcome is allowed."""

    seen: FinalValues | Time | None = None
    """What an outcome contains besides the answers."""
    allowed: "Specification | None" = None
    """What is allowed; None allows the outcomes of serial runs."""

    def __post_init__(self) -> None:
        if self.allowed is not None and not isinstance(self.seen, Time):
            raise ValueError("a specification is compared with answers in time; Time(0, …) ignores time")


@dataclass(frozen=True, slots=True)
class OrderOfPoints:
    """Requests take effect at points in the code, in an order that a specification allows."""

    allowed: "Specification"


@dataclass(frozen=True, slots=True)
class NoCycle:
    """No run has a cycle of conflicts."""


@dataclass(frozen=True, slots=True)
class NeverFails:
    """No step of any run fails: no assertion, no range, no index."""


@dataclass(frozen=True, slots=True)
class NeverStuck:
    """In every state, each request in flight can still complete; other requests may arrive to help."""


@dataclass(frozen=True, slots=True)
class NeverRaces:
    """Of threads: no two can make conflicting accesses at the same time."""


@dataclass(frozen=True, slots=True)
class UsesMemoryWell:
    """Of threads: no step uses memory that is not there."""


@dataclass(frozen=True, slots=True)
class CoveredByOrder:
    """Of asynchronous programs: one order of actions covers every run, and no run breaks the program."""


OfThreads = NeverRaces | UsesMemoryWell
"""What can be asked only about threads."""


@dataclass(frozen=True, slots=True)
class ExplainsLog:
    """Of logs: some one-at-a-time order of the requests gives the answers that were recorded."""


@dataclass(frozen=True, slots=True)
class ShowsLevel:
    """Of logs: the transactions show an isolation level, or all levels."""


OfLogs = ExplainsLog | ShowsLevel
"""What can be asked only about logs."""

Statement = Outcomes | OrderOfPoints | NoCycle | NeverFails | NeverStuck | OfThreads | OfLogs | CoveredByOrder


def may_be_pending(statement: Statement) -> bool:
    """Whether runs that end with requests in flight count, as if these had or had not taken effect."""
    return isinstance(statement, Outcomes) and isinstance(statement.seen, Time) and statement.seen.pending


def counts_dead_ends(statement: Statement) -> bool:
    """Whether runs count in which requests reach a point where they do nothing more."""
    return may_be_pending(statement) or isinstance(statement, NeverStuck)


def specification_of(statement: Statement) -> "Specification | None":
    """The specification that a statement compares with, if there is one."""
    return statement.allowed if isinstance(statement, Outcomes | OrderOfPoints) else None
