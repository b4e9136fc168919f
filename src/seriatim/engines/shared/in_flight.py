"""Describes requests in flight in the terms of the input, and how finely to examine them."""

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, assert_never, cast

from seriatim.certificate.in_flight import Invariant, Waiting
from seriatim.properties.derived import INTERVAL, marked_values
from seriatim.systems.closure import Coverage
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.intervals import IntervalSystem
from seriatim.systems.observation import ObservedSystem
from seriatim.systems.potential import candidates
from seriatim.systems.source_map import local_state
from seriatim.systems.unfolding import ProgramUnfolding

if TYPE_CHECKING:
    from seriatim.systems.actions import ProgramActions, SystemActions
    from seriatim.systems.derived import Derived


def level(coverage: Coverage) -> Literal[1, 2]:
    return cast(Literal[1, 2], coverage.level)


def invariants(coverage: Coverage, system: "Derived") -> tuple[Invariant, ...]:
    """The invariants of the coverage, and others that may hold before the system is sliced."""
    names = system.origin.global_names
    return tuple(
        Invariant(names[variable], cast(Literal[1, -1], sign))
        for variable, sign in sorted({*coverage.potentials.candidates, *candidates(system)})
    )


def action_invariants(coverage: Coverage, system: "ProgramActions | SystemActions") -> tuple[Invariant, ...]:
    """The invariants of the coverage of an action system."""
    return tuple(
        Invariant(system.variables[variable], cast(Literal[1, -1], sign))
        for variable, sign in sorted(coverage.potentials.candidates)
    )


def waiting(system: "Derived", local: int) -> Waiting:
    handler = system.requests[system.request_of(local)]
    match system:
        case ProgramUnfolding():
            state = local_state(system, local)
            return Waiting(handler, state.code or "", state.values)
        case SystemUnfolding():
            return Waiting(handler, local_state(system, local).name, ())
        case _:
            return _behind(system, local)


def _behind(system: "ObservedSystem | IntervalSystem", local: int) -> Waiting:
    """Where a request of a derived system waits."""
    match system:
        case ObservedSystem():
            return waiting(system.origin, local - 1)
        case IntervalSystem():
            own, marked = divmod(local, system.width)
            inner = waiting(system.origin, own)
            return replace(inner, values=marked_values(inner.values, INTERVAL, marked))
        case _:
            assert_never(system)
