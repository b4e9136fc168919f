"""Commit points as evidence: the numbers of an unfolding translated back to the terms of its input."""

from functools import partial

from seriatim.certificate.commit import CommitEvidence, CommittedState
from seriatim.engines.commits.proof import ProvedByCommits
from seriatim.engines.shared.in_flight import invariants, level, waiting
from seriatim.systems.derived import Committing
from seriatim.systems.observation import ObservedSystem


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
