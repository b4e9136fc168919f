"""Commit points as evidence: the numbers of an unfolding translated back to the terms of its input."""

from seriatim.certificate.format import CommitEvidence, CommittedState
from seriatim.evidence.in_flight import invariants, level, waiting
from seriatim.network.from_input import Origin
from seriatim.properties.answer import ProvedByCommits


def commit_evidence(proof: ProvedByCommits, origin: Origin) -> CommitEvidence:
    return CommitEvidence(
        level=level(proof.coverage),
        invariants=invariants(proof.coverage, origin),
        committed=tuple(
            committed_state(origin, local, proof.committed[local])
            for local in sorted(proof.committed, key=lambda local: origin.local_states[local])
        ),
    )


def committed_state(origin: Origin, local: int, completion: int) -> CommittedState:
    state = waiting(origin, local)
    return CommittedState(state.handler, state.code, state.values, origin.completions[completion][1])
