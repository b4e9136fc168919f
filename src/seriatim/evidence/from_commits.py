"""Commit points as evidence: the numbers of an unfolding translated back to the terms of its input."""

from typing import Literal, cast

from seriatim.certificate.format import CommitEvidence, CommittedState, Invariant
from seriatim.network.from_input import Origin
from seriatim.network.source_map import local_state
from seriatim.network.unfolding import ProgramUnfolding
from seriatim.properties.answer import ProvedByCommits


def commit_evidence(proof: ProvedByCommits, origin: Origin) -> CommitEvidence:
    invariants: tuple[Invariant, ...] = ()
    if isinstance(origin, ProgramUnfolding):
        invariants = tuple(
            Invariant(origin.global_names[variable], cast(Literal[1, -1], sign))
            for variable, sign in proof.coverage.potentials.candidates
        )
    return CommitEvidence(
        level=cast(Literal[1, 2], proof.coverage.level),
        invariants=invariants,
        committed=tuple(
            committed_state(origin, local, proof.committed[local])
            for local in sorted(proof.committed, key=lambda local: origin.local_states[local])
        ),
    )


def committed_state(origin: Origin, local: int, completion: int) -> CommittedState:
    handler = origin.requests[origin.request_of(local)]
    response = origin.completions[completion][1]
    if isinstance(origin, ProgramUnfolding):
        state = local_state(origin, local)
        return CommittedState(handler, state.code or "", state.values, response)
    name = origin.system.locals[origin.local_states[local][1]].name
    return CommittedState(handler, name, (), response)
