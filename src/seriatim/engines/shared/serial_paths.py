"""Serial walks as evidence: numbers are translated back to terms of the input."""

from collections.abc import Callable

from seriatim.certificate.serial_paths import SerialCycle, SerialPath, SerialStep
from seriatim.engines.shared.serial_walks import SerialCover, Walk
from seriatim.program.state import GlobalState
from seriatim.systems.derived import Derived

StateName = Callable[[int], GlobalState]
"""The names of a specification's states in certificates."""


def serial_path(cover: SerialCover, system: Derived, named: StateName) -> SerialPath:
    return SerialPath(
        serial_steps(cover.path, system, named),
        tuple(SerialCycle(named(cycle[0][0]), serial_steps(cycle, system, named)) for cycle in cover.cycles),
    )


def serial_steps(walk: Walk, system: Derived, named: StateName) -> tuple[SerialStep, ...]:
    steps: list[SerialStep] = []
    for _, completion, after in walk:
        handler, response = name_completion(completion, system)
        steps.append(SerialStep(handler, response, named(after)))
    return tuple(steps)


def name_completion(completion: int, system: Derived) -> tuple[str, str]:
    request, response = system.completions[completion]
    return system.requests[request], response
