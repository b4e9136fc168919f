"""A reduction as evidence: the numbers of the handlers' views translated back to the terms of the program."""

from typing import Literal, cast

from seriatim.certificate.in_flight import Invariant
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.engines.modular.engine import ProvedByReduction
from seriatim.engines.shared.in_flight import waiting


def reduction_evidence(proof: ProvedByReduction) -> ReductionEvidence:
    names = proof.views.global_names
    late = {waiting(proof.views, local): None for local in sorted(proof.late)}
    return ReductionEvidence(
        invariants=tuple(
            Invariant(names[variable], cast(Literal[1, -1], sign)) for variable, sign in proof.invariants
        ),
        late=tuple(late),
    )
