"""Evidence of the kind `symmetric-commit`: commit points, and positions that can be exchanged."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from seriatim.certificate.commit import CommittedState
from seriatim.certificate.in_flight import Invariant
from seriatim.codec import As, Inline, Keys, Natural, Omitted
from seriatim.program.symmetry import Symmetry

Placed = Annotated[tuple[str, tuple[Natural, ...]], Keys(("request", "positions"))]
"""A request, and the positions that it is about."""


@dataclass(frozen=True, slots=True)
class SymmetricCommitEvidence:
    """Serializable: each request takes effect in one step; states are looked at up to a symmetry."""

    kind: ClassVar[Literal["symmetric-commit"]] = "symmetric-commit"
    proves: ClassVar[Literal[True]] = True

    symmetry: Annotated[
        Symmetry,
        As(
            classes=tuple[Natural, ...],
            variables=tuple[tuple[str, ...], ...],
            requests=tuple[tuple[Placed, ...], ...],
            numbers=Annotated[tuple[Natural, ...], Omitted()],
            holders=Annotated[tuple[str, ...], Omitted("numbers")],
            answers=Annotated[tuple[str, ...], Omitted("numbers")],
        ),
        Inline(),
    ]
    invariants: tuple[Invariant, ...]
    committed: tuple[CommittedState, ...]
    """Committed states, with all their images under permutations of positions; the code is a normal form."""
