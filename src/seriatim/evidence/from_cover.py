"""A linear cover as evidence: the numbers of an unfolding translated back to the terms of its input."""

from seriatim.certificate.format import (
    CoverEvidence,
    CutPlaces,
    SerialCycle,
    SerialPath,
    SerialStep,
    Situation,
    Situations,
)
from seriatim.evidence.from_run import global_state
from seriatim.evidence.in_flight import invariants, level, waiting
from seriatim.network.from_input import Origin
from seriatim.petri.cuts import CutKind
from seriatim.petri.situations import Direction
from seriatim.properties.answer import InSituations, PlaceCut, ProvedByCover
from seriatim.properties.serial_walks import SerialCover, Walk


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
        request, response = origin.completions[completion]
        steps.append(SerialStep(origin.requests[request], response, global_state(origin, after)))
    return tuple(steps)
