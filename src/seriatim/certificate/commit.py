"""Evidence of the kind `commit`: which requests have taken effect, and how finely to examine others."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.in_flight import LEVELS, Invariant, Level, invariants_fields, read_invariant
from seriatim.strict_json import document, record, string, values

KEYS = ("level", "invariants", "committed")
COMMITTED = ("handler", "code", "values", "response")


@dataclass(frozen=True, slots=True)
class CommittedState:
    """Requests with this much left to do have taken effect and are not answered yet."""

    handler: str
    code: str
    """The remaining code, or the name of the network system's local state."""
    values: tuple[tuple[str, int], ...]
    """Values of local variables."""
    response: str
    """The answer to come."""


@dataclass(frozen=True, slots=True)
class CommitEvidence:
    """Serializable: each request takes effect in one step, and the order of these explains the answers."""

    kind: ClassVar[Literal["commit"]] = "commit"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]
    committed: tuple[CommittedState, ...]
    """A request that is not described here takes effect when it is answered."""


def fields(evidence: CommitEvidence) -> dict[str, object]:
    committed = [committed_fields(state) for state in evidence.committed]
    return dict(zip(KEYS, (evidence.level, invariants_fields(evidence.invariants), committed), strict=True))


def committed_fields(state: CommittedState) -> dict[str, object]:
    fields = (state.handler, state.code, dict(state.values), state.response)
    return dict(zip(COMMITTED, fields, strict=True))


def read(body: dict[str, object]) -> CommitEvidence:
    found = document(body, "the certificate", KEYS)
    return CommitEvidence(
        level=found.one_of("level", LEVELS),
        invariants=found.items("invariants", read_invariant),
        committed=found.items("committed", read_committed),
    )


def read_committed(value: object, where: str) -> CommittedState:
    fields = record(value, where, COMMITTED)
    return CommittedState(
        handler=fields.read("handler", string),
        code=fields.read("code", string),
        values=fields.read("values", values),
        response=fields.read("response", string),
    )
