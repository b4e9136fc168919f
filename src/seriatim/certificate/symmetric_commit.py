"""Evidence of the kind `symmetric-commit`: commit points, and positions that can be exchanged."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.commit import CommittedState
from seriatim.certificate.in_flight import Invariant
from seriatim.codec import codec_of
from seriatim.program.symmetry import Symmetry
from seriatim.strict_json import document, items, natural, record, string

KEYS = ("classes", "variables", "requests", "invariants", "committed")
HELD = ("numbers", "holders", "answers")
"""Keys that are present if variables or answers hold positions."""

REQUEST = ("request", "positions")

INVARIANTS, COMMITTED = codec_of(tuple[Invariant, ...]), codec_of(tuple[CommittedState, ...])


@dataclass(frozen=True, slots=True)
class SymmetricCommitEvidence:
    """Serializable: each request takes effect in one step; states are looked at up to a symmetry."""

    kind: ClassVar[Literal["symmetric-commit"]] = "symmetric-commit"
    proves: ClassVar[Literal[True]] = True

    symmetry: Symmetry
    invariants: tuple[Invariant, ...]
    committed: tuple[CommittedState, ...]
    """Committed states, with all their images under permutations of positions; the code is a normal form."""


def fields(evidence: SymmetricCommitEvidence) -> dict[str, object]:
    symmetry = evidence.symmetry
    requests = [
        [dict(zip(REQUEST, (name, list(positions)), strict=True)) for name, positions in family]
        for family in symmetry.requests
    ]
    held = (symmetry.numbers, symmetry.holders, symmetry.answers) if symmetry.numbers else ()
    return {
        "classes": list(symmetry.classes),
        "variables": [list(family) for family in symmetry.variables],
        "requests": requests,
        **{key: list(each) for key, each in zip(HELD, held, strict=False)},
        "invariants": INVARIANTS.write(evidence.invariants),
        "committed": COMMITTED.write(evidence.committed),
    }


def read(body: dict[str, object]) -> SymmetricCommitEvidence:
    holds = "numbers" in body
    found = document(body, "the certificate", (*KEYS, *HELD) if holds else KEYS)
    return SymmetricCommitEvidence(
        Symmetry(
            found.items("classes", natural),
            found.items("variables", lambda value, where: items(value, where, string)),
            found.items("requests", lambda value, where: items(value, where, _request)),
            found.items("numbers", natural) if holds else (),
            found.items("holders", string) if holds else (),
            found.items("answers", string) if holds else (),
        ),
        found.read("invariants", INVARIANTS.read),
        found.read("committed", COMMITTED.read),
    )


def _request(value: object, where: str) -> tuple[str, tuple[int, ...]]:
    fields = record(value, where, REQUEST)
    return fields.read("request", string), fields.items("positions", natural)
