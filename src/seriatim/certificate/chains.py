"""Evidence of the kind `chains`: the moves of complete runs, and a proof that covers have their outcomes."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.chain_proofs import ChainNode, proof_fields, read_proof
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
from seriatim.certificate.serial_paths import (
    Completions,
    SerialPath,
    completions_fields,
    paths_fields,
    read_completion,
    read_path,
)
from seriatim.program.state import GlobalState
from seriatim.strict_json import document, global_state, natural, natural_or_nothing, record, state_fields

KEYS = ("level", "invariants", "globals", "waiting", "completions", "moves", "covers", "proof")
MOVE = ("before", "takes", "after", "gives", "answer")


@dataclass(frozen=True, slots=True)
class ListedMove:
    """A move: from one global state to another, of a request from one place to another.

    Claim of the whole list: every move that complete runs can make is in it. More may be listed.
    """

    before: int
    takes: int | None
    """The place of the request that moves; None for a fresh one."""
    after: int
    gives: int | None
    """The place where it waits then; None if it is answered."""
    answer: int | None
    """The completion, if it is answered; otherwise None."""


@dataclass(frozen=True, slots=True)
class ChainEvidence:
    """Serializable: however a complete run goes, its outcome is in a cover."""

    kind: ClassVar[Literal["chains"]] = "chains"
    proves: ClassVar[Literal[True]] = True

    level: Level
    invariants: tuple[Invariant, ...]
    globals: tuple[GlobalState, ...]
    """The global states; the first one is the initial one."""
    waiting: tuple[Waiting, ...]
    """The places. A request in flight is at the first one that describes it."""
    completions: Completions
    moves: tuple[ListedMove, ...]
    covers: tuple[SerialPath, ...]
    proof: ChainNode
    """A proof about the structure of the moves and the region of all outcomes."""


def fields(evidence: ChainEvidence) -> dict[str, object]:
    return {
        "level": evidence.level,
        "invariants": invariants_fields(evidence.invariants),
        "globals": [state_fields(state) for state in evidence.globals],
        "waiting": waiting_fields(evidence.waiting),
        "completions": completions_fields(evidence.completions),
        "moves": [_move_fields(move) for move in evidence.moves],
        "covers": paths_fields(evidence.covers),
        "proof": proof_fields(evidence.proof),
    }


def _move_fields(move: ListedMove) -> dict[str, object]:
    return dict(zip(MOVE, (move.before, move.takes, move.after, move.gives, move.answer), strict=True))


def read(body: dict[str, object]) -> ChainEvidence:
    found = document(body, "the certificate", KEYS)
    return ChainEvidence(
        level=found.one_of("level", LEVELS),
        invariants=found.items("invariants", read_invariant),
        globals=found.items("globals", global_state),
        waiting=found.items("waiting", read_waiting),
        completions=found.items("completions", read_completion),
        moves=found.items("moves", _move),
        covers=found.items("covers", read_path),
        proof=found.read("proof", read_proof),
    )


def _move(value: object, where: str) -> ListedMove:
    fields = record(value, where, MOVE)
    return ListedMove(
        before=fields.read("before", natural),
        takes=fields.read("takes", natural_or_nothing),
        after=fields.read("after", natural),
        gives=fields.read("gives", natural_or_nothing),
        answer=fields.read("answer", natural_or_nothing),
    )
