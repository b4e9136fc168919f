"""A linear cover as evidence, with its proof if there is one; numbers are translated back to terms of the
input."""

from seriatim.certificate.format import (
    CoverEvidence,
    CutPlaces,
    SerialCycle,
    SerialPath,
    SerialStep,
    Situation,
    Situations,
    TreeEvidence,
)
from seriatim.evidence.from_run import global_state
from seriatim.evidence.in_flight import invariants, level, waiting
from seriatim.network.from_input import Origin
from seriatim.petri.cuts import CutKind
from seriatim.petri.situations import Direction
from seriatim.properties.answer import InSituations, PlaceCut, ProvedByCover
from seriatim.properties.serial_walks import SerialCover, Walk


def counting_evidence(proof: ProvedByCover, origin: Origin) -> TreeEvidence | CoverEvidence:
    """With its proof by cases, which needs no solver, if there is one."""
    claim = cover_evidence(proof, origin)
    if proof.tree is None:
        return claim
    return TreeEvidence(
        claim,
        tuple(global_state(origin, global_) for global_ in proof.tree.globals),
        tuple(waiting(origin, local) for local in proof.tree.locals),
        tuple(named_completion(completion, origin) for completion in proof.tree.completions),
        proof.tree.nodes,
    )


def cover_evidence(proof: ProvedByCover, origin: Origin) -> CoverEvidence:
    situated = None if proof.situations is None else situations(proof.situations, origin)
    return CoverEvidence(
        level=level(proof.coverage),
        invariants=invariants(proof.coverage, origin),
        situations=situated,
        cuts=tuple(cut_places(cut, situated, origin) for cut in proof.cuts),
        covers=tuple(serial_path(cover, origin) for cover in proof.covers),
    )


def situations(known: InSituations, origin: Origin) -> Situations:
    return Situations(
        "forward" if known.direction is Direction.FORWARD else "backward",
        tuple(waiting(origin, local) for local in known.locals),
        tuple(Situation(global_state(origin, global_), numbers) for global_, numbers in known.situations),
    )


def cut_places(cut: PlaceCut, situated: Situations | None, origin: Origin) -> CutPlaces:
    control = sorted(cut.control)
    return CutPlaces(
        "siphon" if cut.kind is CutKind.SIPHON else "trap",
        tuple(global_state(origin, global_) for global_ in control) if situated is None else (),
        () if situated is None else tuple(index + 1 for index in control),
        tuple(waiting(origin, local) for local in sorted(cut.locals)),
    )


def serial_path(cover: SerialCover, origin: Origin) -> SerialPath:
    return SerialPath(
        serial_steps(cover.path, origin),
        tuple(
            SerialCycle(global_state(origin, cycle[0][0]), serial_steps(cycle, origin))
            for cycle in cover.cycles
        ),
    )


def serial_steps(walk: Walk, origin: Origin) -> tuple[SerialStep, ...]:
    steps: list[SerialStep] = []
    for _, completion, after in walk:
        handler, response = named_completion(completion, origin)
        steps.append(SerialStep(handler, response, global_state(origin, after)))
    return tuple(steps)


def named_completion(completion: int, origin: Origin) -> tuple[str, str]:
    request, response = origin.completions[completion]
    return origin.requests[request], response
