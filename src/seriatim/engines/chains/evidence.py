"""A proof by chains as evidence: numbers are translated back to terms of the input."""

from seriatim.certificate.chains import ChainEvidence
from seriatim.engines.chains.proof import ProvedByChains
from seriatim.engines.shared.in_flight import invariants, level, waiting
from seriatim.engines.shared.serial_paths import StateName, name_completion, serial_path
from seriatim.systems.derived import Derived


def chain_evidence(
    proof: ProvedByChains, system: Derived, state_name: StateName | None = None
) -> ChainEvidence:
    """States of the specification are those of the system, unless they have other names."""
    named = system.global_state if state_name is None else state_name
    return ChainEvidence(
        level=level(proof.coverage),
        invariants=invariants(proof.coverage, system),
        globals=tuple(system.global_state(global_) for global_ in proof.globals),
        waiting=tuple(waiting(system, local) for local in proof.locals),
        completions=tuple(name_completion(completion, system) for completion in proof.completions),
        moves=proof.moves,
        covers=tuple(serial_path(cover, system, named) for cover in proof.covers),
        proof=proof.proof,
    )
