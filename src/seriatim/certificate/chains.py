"""Evidence of the kind `chains`: the moves of complete runs, and a proof that covers have their outcomes."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.chain_proofs import Proof
from seriatim.certificate.in_flight import (
    Invariant,
    Level,
    Waiting,
)
from seriatim.certificate.serial_paths import (
    Completions,
    SerialPath,
)
from seriatim.codec import Natural, State


@dataclass(frozen=True, slots=True)
class ListedMove:
    """A move: from one global state to another, of a request from one place to another.

    Claim of the whole list: every move that complete runs can make is in it. More may be listed.
    """

    before: Natural
    takes: Natural | None
    """The place of the request that moves; None for a fresh one."""
    after: Natural
    gives: Natural | None
    """The place where it waits then; None if it is answered."""
    answer: Natural | None
    """The completion, if it is answered; otherwise None."""


@dataclass(frozen=True, slots=True)
class ChainEvidence:
    """Serializable: however a complete run goes, its outcome is in a cover."""

    kind: ClassVar[Literal["chains"]] = "chains"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]
    globals: tuple[State, ...]
    """The global states; the first one is the initial one."""
    waiting: tuple[Waiting, ...]
    """The places. A request in flight is at the first one that describes it."""
    completions: Completions
    moves: tuple[ListedMove, ...]
    covers: tuple[SerialPath, ...]
    proof: Proof
    """A proof about the structure of the moves and the region of all outcomes."""
