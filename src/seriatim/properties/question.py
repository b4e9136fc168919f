"""Questions: what is asked about an input, as data; `docs/properties.md` says what each of them means."""

from dataclasses import dataclass
from typing import Literal, assert_never

from seriatim.program.specification import Specification

Observed = tuple[str, ...] | Literal["all"]
"""Globals whose final values count as part of the outcome, by name; none, if only answers do."""


@dataclass(frozen=True, slots=True)
class Serializability:
    """Does every complete run have the outcome of a serial one?"""

    observed: Observed = ()


@dataclass(frozen=True, slots=True)
class ConflictSerializability:
    """Can steps without conflicts be exchanged, in every run, until requests run one by one?"""


@dataclass(frozen=True, slots=True)
class StrictSerializability:
    """Is every complete run explained by a serial one that respects so many barriers of real time?"""

    barriers: int = 1


@dataclass(frozen=True, slots=True)
class Linearizability:
    """Does a specification allow every complete run, in an order that respects so many barriers?"""

    specification: Specification
    barriers: int = 1
    pending: bool = False
    """Whether runs with requests in flight at their ends count as well."""


@dataclass(frozen=True, slots=True)
class StaticLinearizability:
    """Does a specification allow every run, in the order of points in the code?"""

    specification: Specification


Question = (
    Serializability
    | ConflictSerializability
    | StrictSerializability
    | Linearizability
    | StaticLinearizability
)

MAX_BARRIERS = 16
"""More of them nobody can tell apart, and whoever counts intervals needs a bound."""

SERIALIZABILITY = Serializability()
"""What is asked unless something else is."""

PropertyName = Literal[
    "serializable", "conflict-serializable", "strict", "linearizable", "static-linearizable"
]

VerdictName = Literal[
    "serializable",
    "not_serializable",
    "conflict_serializable",
    "not_conflict_serializable",
    "strictly_serializable",
    "not_strictly_serializable",
    "linearizable",
    "not_linearizable",
    "static_linearizable",
    "not_static_linearizable",
]


def property_name(question: Question) -> PropertyName:
    """What `--property` calls it."""
    match question:
        case Serializability():
            return "serializable"
        case ConflictSerializability():
            return "conflict-serializable"
        case StrictSerializability():
            return "strict"
        case Linearizability():
            return "linearizable"
        case StaticLinearizability():
            return "static-linearizable"
        case _:
            assert_never(question)


def verdict_names(question: Question) -> tuple[VerdictName, VerdictName]:
    """What the answers yes and no are called."""
    match question:
        case Serializability():
            return "serializable", "not_serializable"
        case ConflictSerializability():
            return "conflict_serializable", "not_conflict_serializable"
        case StrictSerializability():
            return "strictly_serializable", "not_strictly_serializable"
        case Linearizability():
            return "linearizable", "not_linearizable"
        case StaticLinearizability():
            return "static_linearizable", "not_static_linearizable"
        case _:
            assert_never(question)


def in_words(verdict: VerdictName) -> str:
    """A verdict as people read it."""
    return verdict.replace("_", " ")
