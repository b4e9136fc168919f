"""Evidence of the kind `no-fault`: how finely to examine requests, and which situations never occur."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import (
    LEVELS,
    Invariant,
    Level,
    Waiting,
    invariants_fields,
    read_invariant,
    read_waiting,
    waiting_fields,
)
from seriatim.program.state import GlobalState
from seriatim.strict_json import document, global_state, record, state_fields

KEYS = ("level", "invariants", "excluded")
SITUATION = ("state", "waiting")


@dataclass(frozen=True, slots=True)
class Excluded:
    """In this global state, requests never wait in all of these ways at once, whatever other requests do."""

    state: GlobalState
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


def fields(evidence: NoFaultEvidence) -> dict[str, object]:
    excluded = [
        dict(zip(SITUATION, (state_fields(each.state), waiting_fields(each.waiting)), strict=True))
        for each in evidence.excluded
    ]
    return {
        "level": evidence.level,
        "invariants": invariants_fields(evidence.invariants),
        "excluded": excluded,
    }


def read(body: dict[str, object]) -> NoFaultEvidence:
    found = document(body, "the certificate", KEYS)
    return NoFaultEvidence(
        level=found.one_of("level", LEVELS),
        invariants=found.items("invariants", read_invariant),
        excluded=found.items("excluded", read_excluded),
    )


def read_excluded(value: object, where: str) -> Excluded:
    fields = record(value, where, SITUATION)
    return Excluded(
        state=fields.read("state", global_state),
        waiting=fields.items("waiting", read_waiting),
    )
