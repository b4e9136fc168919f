"""Evidence of the kind `no-fault`: how finely to examine requests, and which situations never occur."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import (
    Invariant,
    Level,
    Waiting,
)
from seriatim.codec import State


@dataclass(frozen=True, slots=True)
class Excluded:
    """In this global state, requests never wait in all of these ways at once, whatever other requests do."""

    state: State
    waiting: tuple[Waiting, ...]
    """One request for each entry."""


@dataclass(frozen=True, slots=True)
class NoFaultEvidence:
    """Safe: a step can fail only in situations that are excluded, and no step leads to one of these."""

    kind: ClassVar[Literal["no-fault"]] = "no-fault"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]
    excluded: tuple[Excluded, ...] = ()
    """Situations that never occur, beyond those that the level and the invariants exclude."""
