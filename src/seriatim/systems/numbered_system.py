"""The network system of an unfolding, with the numbers of its states in the unfolding."""

from dataclasses import dataclass
from typing import assert_never

from seriatim.program.network_system import NetworkSystem
from seriatim.systems.closure import Coverage
from seriatim.systems.from_input import Origin
from seriatim.systems.from_program import covered_network_system, covered_states
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.unfolding import ProgramUnfolding


@dataclass(frozen=True, slots=True)
class NumberedSystem:
    """A network system, and the numbers of its states in an unfolding."""

    system: NetworkSystem
    globals: tuple[int, ...]
    """The number of each global state in the unfolding."""
    locals: dict[tuple[int, int], int]
    """The number of each request and local state in the unfolding. States in which requests only rest until
    they are answered are missing there."""


def number_system(origin: Origin, coverage: Coverage) -> NumberedSystem:
    """The system of a program as far as the closure covers it, or the given network system."""
    match origin:
        case ProgramUnfolding():
            globals_, locals_ = covered_states(origin, coverage)
            return NumberedSystem(
                covered_network_system(origin, coverage),
                tuple(globals_),
                {(origin.request_of(local), number): local for number, local in enumerate(locals_)},
            )
        case SystemUnfolding():
            number = {state: index for index, state in enumerate(origin.global_order)}
            return NumberedSystem(
                origin.system,
                tuple(number[state] for state in range(len(origin.system.globals))),
                {place: local for local, place in enumerate(origin.local_states)},
            )
        case _:
            assert_never(origin)
