"""Parts of evidence that counts steps: situations, which distinguish steps, and cuts."""

from dataclasses import dataclass
from typing import Annotated, Literal

from seriatim.certificate.in_flight import Waiting
from seriatim.codec import Key, Natural, Positive, State

Direction = Literal["forward", "backward"]
CutKind = Literal["siphon", "trap"]

DIRECTIONS: tuple[Direction, ...] = ("forward", "backward")


@dataclass(frozen=True, slots=True)
class Situation:
    """A global state, and how many requests wait in some ways."""

    state: Annotated[State, Key("global")]
    numbers: tuple[Natural | None, ...]
    """How many requests wait in each way of `Situations.waiting`; None for any number."""


@dataclass(frozen=True, slots=True)
class Situations:
    """The situations that can occur in complete runs, explored from their beginnings or from their ends."""

    direction: Direction
    waiting: tuple[Waiting, ...]
    cases: tuple[Situation, ...]


@dataclass(frozen=True, slots=True)
class CutPlaces:
    """A set Q of global states or situations and of requests in flight, and what to make of it.

    A siphon cut says: nothing is taken from Q, or something enters Q from outside. A trap cut says: Q is
    empty all the time, or not empty at the end, or something leaves it.
    """

    kind: CutKind
    globals: tuple[State, ...]
    situations: tuple[Positive, ...]
    """Numbers of situations, counted from 1."""
    waiting: tuple[Waiting, ...]
