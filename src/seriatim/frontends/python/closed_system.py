"""The system that was read off from runs, as a network system with places in the user's file.

Each service of the file is a part of its own: the first state belongs to none of them, and the first turn of
the first request decides for one. No run leads back, so complete runs are those of a single service, and the
whole is serializable if and only if each service is.

Where answers alone may not tell that an update was lost, one more request looks at the final state. After it,
nothing goes on: so in a complete run, it comes last.
"""

from seriatim.frontends.python.race_system import LOOK
from seriatim.frontends.python.service_runs import ServiceRuns, SystemSeen
from seriatim.frontends.seen_races import SystemBuilder
from seriatim.program.network_system import LocalState, NetworkSystem

FIRST = "the first state"
OVER = "looked at"


def closed_system(services: list[ServiceRuns]) -> NetworkSystem:
    """The system of services, all of which have one."""
    builder = SystemBuilder()
    first = builder.moment(FIRST)
    lines: dict[int, int | None] = {}
    for service in services:
        assert service.system is not None
        _add(builder, service, service.system, first, lines)
    found = builder.finish(first)
    locals_ = tuple(LocalState(each.name, line=lines.get(number)) for number, each in enumerate(found.locals))
    return NetworkSystem(
        found.globals,
        locals_,
        found.requests,
        found.responses,
        found.initial,
        found.req,
        found.resp,
        found.delta,
    )


def _add(
    builder: SystemBuilder, service: ServiceRuns, system: SystemSeen, first: int, lines: dict[int, int | None]
) -> None:
    states = [builder.moment(text) for text in system.states]
    numbers: list[int] = []
    for local in system.locals:
        label = service.requests[local.request]
        if local.is_start:
            numbers.append(builder.arrival(label))
        elif local.answer is not None:
            numbers.append(builder.end(label, local.answer))
        else:
            place = f" at line {local.line}" if local.line is not None else ""
            name = f"{label}{place}{local.waits}, state {len(builder.locals)}"
            numbers.append(builder.local(name))
            lines[numbers[-1]] = local.line
    for local_number, state, target, new in system.delta:
        builder.move(numbers[local_number], states[state], numbers[target], states[new])
        if state == system.first and system.locals[local_number].is_start:
            builder.move(numbers[local_number], first, numbers[target], states[new])
    if service.sees_state:
        over = builder.moment(OVER)
        for state, text in zip(states, system.states, strict=True):
            builder.move(builder.arrival(LOOK), state, builder.end(LOOK, text), over)
