"""A linear cover as evidence: the numbers of an unfolding translated back to the terms of its input."""

from seriatim.certificate.format import CoverEvidence, CutPlaces, SerialCycle, SerialPath, SerialStep
from seriatim.evidence.from_run import global_state
from seriatim.evidence.in_flight import invariants, level, waiting
from seriatim.network.from_input import Origin
from seriatim.petri.cuts import CutKind
from seriatim.properties.answer import PlaceCut, ProvedByCover
from seriatim.properties.serial_walks import SerialCover, Walk


def cover_evidence(proof: ProvedByCover, origin: Origin) -> CoverEvidence:
    return CoverEvidence(
        level=level(proof.coverage),
        invariants=invariants(proof.coverage, origin),
        cuts=tuple(cut_places(cut, origin) for cut in proof.cuts),
        covers=tuple(serial_path(cover, origin) for cover in proof.covers),
    )


def cut_places(cut: PlaceCut, origin: Origin) -> CutPlaces:
    return CutPlaces(
        "siphon" if cut.kind is CutKind.SIPHON else "trap",
        tuple(global_state(origin, global_) for global_ in sorted(cut.globals)),
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
