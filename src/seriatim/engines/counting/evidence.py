"""A linear cover as evidence, with its proof if there is one; numbers are translated back to terms of the
input."""

from seriatim.certificate.counting import CutPlaces, Situation, Situations
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.tree import TreeEvidence
from seriatim.engines.counting.proof import InSituations, PlaceCut, ProvedByCover
from seriatim.engines.shared.in_flight import invariants, level, waiting
from seriatim.engines.shared.serial_paths import StateName, name_completion, serial_path
from seriatim.petri.cuts import CutKind
from seriatim.petri.situations import Direction
from seriatim.systems.derived import Derived


def counting_evidence(
    proof: ProvedByCover, system: Derived, state_name: StateName | None = None
) -> TreeEvidence | CoverEvidence:
    """Evidence for a cover, with a proof by cases if there is one, which needs no solver. States of the
    specification are those of the system, unless they have other names."""
    claim = cover_evidence(proof, system, state_name)
    if proof.tree is None:
        return claim
    return TreeEvidence(
        claim,
        tuple(system.global_state(global_) for global_ in proof.tree.globals),
        tuple(waiting(system, local) for local in proof.tree.locals),
        tuple(name_completion(completion, system) for completion in proof.tree.completions),
        proof.tree.nodes,
    )


def cover_evidence(
    proof: ProvedByCover, system: Derived, state_name: StateName | None = None
) -> CoverEvidence:
    situated = None if proof.situations is None else situations(proof.situations, system)
    named = system.global_state if state_name is None else state_name
    return CoverEvidence(
        level=level(proof.coverage),
        invariants=invariants(proof.coverage, system),
        situations=situated,
        cuts=tuple(cut_places(cut, situated, system) for cut in proof.cuts),
        covers=tuple(serial_path(cover, system, named) for cover in proof.covers),
    )


def situations(known: InSituations, system: Derived) -> Situations:
    return Situations(
        "forward" if known.direction is Direction.FORWARD else "backward",
        tuple(waiting(system, local) for local in known.locals),
        tuple(Situation(system.global_state(global_), numbers) for global_, numbers in known.situations),
    )


def cut_places(cut: PlaceCut, situated: Situations | None, system: Derived) -> CutPlaces:
    control = sorted(cut.control)
    return CutPlaces(
        "siphon" if cut.kind is CutKind.SIPHON else "trap",
        tuple(system.global_state(global_) for global_ in control) if situated is None else (),
        () if situated is None else tuple(index + 1 for index in control),
        tuple(waiting(system, local) for local in sorted(cut.locals)),
    )
