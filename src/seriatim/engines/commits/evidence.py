"""Commit points as evidence: the numbers of an unfolding translated back to the terms of its input."""

from functools import partial
from typing import Literal, cast

from seriatim.certificate.commit import CommitEvidence, CommittedState
from seriatim.certificate.in_flight import Invariant
from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence
from seriatim.engines.commits.proof import ProvedByCommits, ProvedBySymmetry
from seriatim.engines.shared.in_flight import invariants, level, waiting
from seriatim.systems.derived import Committing
from seriatim.systems.observation import ObservedSystem
from seriatim.systems.unfolding import ProgramUnfolding


def commit_evidence(proof: ProvedByCommits, system: Committing) -> CommitEvidence:
    return CommitEvidence(
        level=level(proof.coverage),
        invariants=invariants(proof.coverage, system),
        committed=tuple(
            committed_state(system, local, proof.committed[local])
            for local in sorted(proof.committed, key=partial(place, system))
        ),
    )


def committed_state(system: Committing, local: int, completion: int) -> CommittedState:
    state = waiting(system, local)
    return CommittedState(state.handler, state.code, state.values, system.completions[completion][1])


def place(system: Committing, local: int) -> tuple[int, int | tuple[int, ...]]:
    """Locals are listed by where they are in the text, not by when they were found."""
    if isinstance(system, ObservedSystem):
        return system.origin.local_states[local - 1]
    return system.local_states[local]


def symmetric_commit_evidence(
    proof: ProvedBySymmetry, unfolding: ProgramUnfolding
) -> SymmetricCommitEvidence:
    return SymmetricCommitEvidence(
        proof.symmetry,
        tuple(
            Invariant(unfolding.global_names[variable], cast(Literal[1, -1], sign))
            for variable, sign in proof.candidates
        ),
        tuple(sorted(proof.committed, key=lambda state: (state.handler, state.code, state.values))),
    )
