"""Requests in flight in the terms of the input: how to describe them, and how closely to look at them."""

from typing import Literal, cast

from seriatim.certificate.format import Invariant, Waiting
from seriatim.network.closure import Coverage
from seriatim.network.from_input import Origin
from seriatim.network.potential import candidates
from seriatim.network.source_map import local_state
from seriatim.network.unfolding import ProgramUnfolding


def level(coverage: Coverage) -> Literal[1, 2]:
    return cast(Literal[1, 2], coverage.level)


def invariants(coverage: Coverage, origin: Origin) -> tuple[Invariant, ...]:
    """Those of the coverage, and others that may hold before the system is sliced."""
    if not isinstance(origin, ProgramUnfolding):
        return ()
    return tuple(
        Invariant(origin.global_names[variable], cast(Literal[1, -1], sign))
        for variable, sign in sorted({*coverage.potentials.candidates, *candidates(origin)})
    )


def waiting(origin: Origin, local: int) -> Waiting:
    handler = origin.requests[origin.request_of(local)]
    if isinstance(origin, ProgramUnfolding):
        state = local_state(origin, local)
        return Waiting(handler, state.code or "", state.values)
    return Waiting(handler, origin.system.locals[origin.local_states[local][1]].name, ())
