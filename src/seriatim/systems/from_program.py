"""Turns a program into its network system (paper, section 2.4): states that can occur, with new numbers.

States are sorted by what they are, not by when they were found: the numbering depends on the program alone.
"""

from typing import assert_never

from seriatim.budget import Deadline
from seriatim.program.inputs import Input
from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.program.syntax import Program
from seriatim.systems.closure import Coverage, Level1, bits, closure
from seriatim.systems.from_input import explain_limit
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.potential import Potentials
from seriatim.systems.source_map import global_name, local_state
from seriatim.systems.unfolding import INITIAL_GLOBAL, ProgramUnfolding

BEYOND = "…"
"""The name of the global state, and of the local state, that stand for everything beyond a part."""

STEPS_OF_A_PART = 40


def network_system(content: Input, limits: Limits, deadline: Deadline) -> NetworkSystem:
    """The system of an input; raises `LimitReached` if that of a program is too large, perhaps infinite."""
    match content:
        case NetworkSystem():
            return content
        case Program():
            return _unfold_covered(ProgramUnfolding(content, limits, deadline), limits, deadline)
        case _:
            assert_never(content)


def _unfold_covered(unfolding: ProgramUnfolding, limits: Limits, deadline: Deadline) -> NetworkSystem:
    try:
        coverage = closure(unfolding, limits, deadline)
    except LimitReached as reached:
        raise explain_limit(reached, unfolding) from None
    return covered_network_system(unfolding, coverage)


def covered_network_system(unfolding: ProgramUnfolding, coverage: Coverage) -> NetworkSystem:
    """The part of an unfolding that a closure covers. An answered request rests in a separate state.

    If the closure has ended, no step leads out of it. Else one global state and one local state, named
    `BEYOND`, stand for all that is not covered.
    """
    globals_, locals_ = covered_states(unfolding, coverage)
    global_number = {g: number for number, g in enumerate(globals_)}
    local_number = {local: number for number, local in enumerate(locals_)}
    steps = [
        (local, g, target, after)
        for g in globals_
        for local in bits(coverage.find_covered(g))
        for target, after in unfolding.moves(local, g)
    ]
    answered = {~target for _, _, target, _ in steps if target < 0}
    answers = sorted(answered, key=lambda completion: completion_key(unfolding, completion))
    for number, completion in enumerate(answers, len(locals_)):
        local_number[~completion] = number
    responses = sorted({unfolding.completions[c][1] for c in answers}, key=int)
    response_number = {response: number for number, response in enumerate(responses)}
    leads_out = any(target not in local_number or after not in global_number for _, _, target, after in steps)
    beyond = (len(globals_), len(local_number))
    return NetworkSystem(
        globals=(*(global_name(unfolding, g) for g in globals_), *([BEYOND] if leads_out else [])),
        locals=(
            *(local_state(unfolding, local) for local in locals_),
            *(answered_state(unfolding, c) for c in answers),
            *([LocalState(BEYOND)] if leads_out else []),
        ),
        requests=unfolding.requests,
        responses=tuple(responses),
        initial=global_number[INITIAL_GLOBAL],
        req=tuple((request, local_number[start]) for request, start in enumerate(unfolding.starts)),
        resp=tuple((local_number[~c], response_number[unfolding.completions[c][1]]) for c in answers),
        delta=tuple(
            sorted({
                (
                    local_number[local],
                    global_number[g],
                    local_number.get(target, beyond[1]),
                    global_number.get(after, beyond[0]),
                )
                for local, g, target, after in steps
            })
        ),
    )  # fmt: skip


def beginning(program: Program, limits: Limits, deadline: Deadline) -> NetworkSystem:
    """The system of a program as far as it was explored, for views; nothing can be decided with it.

    Steps that lead further go to states named `BEYOND`, from which no step leads away.
    """
    unfolding = ProgramUnfolding(program, limits, deadline)
    explored = Level1(unfolding, Potentials(unfolding, ()), limits.max_states, deadline)
    explored.under_way.ends_within(STEPS_OF_A_PART)
    return covered_network_system(unfolding, explored)


def covered_states(unfolding: ProgramUnfolding, coverage: Coverage) -> tuple[list[int], list[int]]:
    """The global states and the locals that a closure covers, in the order of the network system."""
    globals_ = sorted(coverage.globals(), key=lambda g: (g != INITIAL_GLOBAL, unfolding.global_values[g]))
    covered = 0
    for g in globals_:
        covered |= coverage.find_covered(g)
    return globals_, sorted(bits(covered), key=lambda local: unfolding.local_states[local])


def completion_key(unfolding: ProgramUnfolding, completion: int) -> tuple[int, int]:
    request, response = unfolding.completions[completion]
    return request, int(response)


def answered_state(unfolding: ProgramUnfolding, completion: int) -> LocalState:
    request, response = unfolding.completions[completion]
    return LocalState(f"{unfolding.requests[request]}/{response}", code=response)
