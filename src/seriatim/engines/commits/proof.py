"""Proofs by commit points as data, the simplest one of them, and their evidence.

Evidence speaks of the input: the numbers of an unfolding are translated back to its terms.
"""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, cast

from seriatim.certificate.commit import CommitEvidence, CommittedState
from seriatim.certificate.in_flight import Invariant
from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence
from seriatim.engines.shared.in_flight import invariants, level, waiting
from seriatim.engines.stage import GaveUp
from seriatim.systems.closure import Coverage
from seriatim.systems.slicing import MacroSystem

if TYPE_CHECKING:
    from seriatim.program.symmetry import Symmetry
    from seriatim.systems.derived import Committing
    from seriatim.systems.potential import Candidate
    from seriatim.systems.unfolding import ProgramUnfolding


@dataclass(frozen=True, slots=True)
class ProvedByCommits:
    """Serializable, because each request takes effect in one step: `seriatim.engines.commits.engine`."""

    coverage: Coverage
    """What can be in flight together."""
    committed: dict[int, int]
    """The locals of requests that have taken effect and are not answered yet, with their completions."""


@dataclass(frozen=True, slots=True)
class ProvedBySymmetry:
    """Serializable, because each request takes effect in one step: `seriatim.engines.commits.orbits`."""

    symmetry: "Symmetry"
    candidates: "tuple[Candidate, ...]"
    """The invariants that hold."""
    committed: tuple[CommittedState, ...]
    """States of requests that have taken effect and are not answered yet, one of each orbit."""
    orbits: int
    """The number of orbits of pairs of a request in flight and a global state."""


def one_step_each(system: MacroSystem) -> ProvedByCommits | GaveUp:
    """Proves systems in which every request is a single step.

    Claim: if in the sliced macro system every move answers its request, the system is serializable: complete
    runs use moves of that system only, so each request in one is a single step, and the run is serial as it
    stands. In terms of commit points: everybody takes effect when answered, and no further closure is needed
    to see it.
    """
    if not system.is_atomic():
        return GaveUp("some request is answered after a pause")
    return ProvedByCommits(system.coverage, {})


def commit_evidence(proof: ProvedByCommits, system: "Committing") -> CommitEvidence:
    return CommitEvidence(
        level=level(proof.coverage),
        invariants=invariants(proof.coverage, system),
        committed=tuple(
            describe_committed(system, local, proof.committed[local])
            for local in sorted(proof.committed, key=partial(place, system))
        ),
    )


def describe_committed(system: "Committing", local: int, completion: int) -> CommittedState:
    state = waiting(system, local)
    return CommittedState(state.handler, state.code, state.values, system.completions[completion][1])


def place(system: "Committing", local: int) -> tuple[int, int | tuple[int, ...]]:
    """The sort key of a local: its place in the text, not the time when it was found."""
    own = local if system.observer is None else local - 1  # An observer comes before all others.
    return system.origin.local_states[own]


def symmetric_commit_evidence(
    proof: ProvedBySymmetry, unfolding: "ProgramUnfolding"
) -> "SymmetricCommitEvidence":
    return SymmetricCommitEvidence(
        proof.symmetry,
        tuple(
            Invariant(unfolding.global_names[variable], cast(Literal[1, -1], sign))
            for variable, sign in proof.candidates
        ),
        tuple(sorted(proof.committed, key=lambda state: (state.handler, state.code, state.values))),
    )
