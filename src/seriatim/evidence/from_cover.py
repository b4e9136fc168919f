"""A linear cover as evidence, with its proof if there is one; numbers are translated back to terms of the
input."""

from collections.abc import Callable

from seriatim.certificate.format import (
    CoverEvidence,
    CutPlaces,
    GlobalState,
    SerialCycle,
    SerialPath,
    SerialStep,
    Situation,
    Situations,
    TreeEvidence,
)
from seriatim.evidence.in_flight import invariants, level, waiting
from seriatim.petri.cuts import CutKind
from seriatim.petri.situations import Direction
from seriatim.properties.answer import InSituations, PlaceCut, ProvedByCover
from seriatim.properties.posing import System
from seriatim.properties.serial_walks import SerialCover, Walk

StateName = Callable[[int], GlobalState]
"""What certificates call the states of a specification."""


def counting_evidence(
    proof: ProvedByCover, system: System, state_name: StateName | None = None
) -> TreeEvidence | CoverEvidence:
    """With its proof by cases, which needs no solver, if there is one. States of the specification are those
    of the system, unless they have other names."""
    claim = cover_evidence(proof, system, state_name)
    if proof.tree is None:
        return claim
    return TreeEvidence(
        claim,
        tuple(system.global_state(global_) for global_ in proof.tree.globals),
        tuple(waiting(system, local) for local in proof.tree.locals),
        tuple(named_completion(completion, system) for completion in proof.tree.completions),
        proof.tree.nodes,
    )


def cover_evidence(
    proof: ProvedByCover, system: System, state_name: StateName | None = None
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


def situations(known: InSituations, system: System) -> Situations:
    return Situations(
        "forward" if known.direction is Direction.FORWARD else "backward",
        tuple(waiting(system, local) for local in known.locals),
        tuple(Situation(system.global_state(global_), numbers) for global_, numbers in known.situations),
    )


def cut_places(cut: PlaceCut, situated: Situations | None, system: System) -> CutPlaces:
    control = sorted(cut.control)
    return CutPlaces(
        "siphon" if cut.kind is CutKind.SIPHON else "trap",
        tuple(system.global_state(global_) for global_ in control) if situated is None else (),
        () if situated is None else tuple(index + 1 for index in control),
        tuple(waiting(system, local) for local in sorted(cut.locals)),
    )


def serial_path(cover: SerialCover, system: System, named: StateName) -> SerialPath:
    return SerialPath(
        serial_steps(cover.path, system, named),
        tuple(SerialCycle(named(cycle[0][0]), serial_steps(cycle, system, named)) for cycle in cover.cycles),
    )


def serial_steps(walk: Walk, system: System, named: StateName) -> tuple[SerialStep, ...]:
    steps: list[SerialStep] = []
    for _, completion, after in walk:
        handler, response = named_completion(completion, system)
        steps.append(SerialStep(handler, response, named(after)))
    return tuple(steps)


def named_completion(completion: int, system: System) -> tuple[str, str]:
    request, response = system.completions[completion]
    return system.requests[request], response
