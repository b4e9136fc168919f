"""Looks for a deadlock of two requests: each waits for what the other one holds.

The search is bounded by a number of states. It covers only levels at which each statement sees what is
committed when it starts, because only there does the model take locks when statements ask for them.
"""

from dataclasses import dataclass
from itertools import combinations_with_replacement

from seriatim.frontends.sql.language import Do
from seriatim.frontends.sql.levels import Sees
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.moving import moves
from seriatim.frontends.sql.states import Database, Done, Local

MOST_STATES = 3_000


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Two requests, and the lines of the statements in which they wait."""

    names: tuple[str, str]
    lines: tuple[int, int]

    def __str__(self) -> str:
        (one, other), (line, other_line) = self.names, self.lines
        return f"`{one}` in line {line} and `{other}` in line {other_line} wait for each other"


State = tuple[Database, tuple[Local | Done, Local | Done]]


def find_deadlock(machine: Machine) -> Deadlock | None:
    """The first deadlock found."""
    if any(machine.rules[level].sees is not Sees.AT_STATEMENT for level in machine.levels()):
        return None
    budget = MOST_STATES
    for pair in combinations_with_replacement(range(len(machine.requests)), 2):
        found, used = _find_in_pair(machine, pair, budget)
        budget -= used
        if found is not None or budget <= 0:
            return found
    return None


def _find_in_pair(machine: Machine, pair: tuple[int, int], budget: int) -> tuple[Deadlock | None, int]:
    start: State = (machine.initial(), (machine.start(pair[0]), machine.start(pair[1])))
    seen, pending = {start}, [start]
    while pending and len(seen) < budget:
        database, (one, other) = pending.pop()
        after: list[State] = []
        if isinstance(one, Local):
            after += [(there, (moved, other)) for moved, there in moves(machine, one, database)]
        if isinstance(other, Local):
            after += [(there, (one, moved)) for moved, there in moves(machine, other, database)]
        if not after and not machine.escapes:
            lines = _waiting_line(machine, one), _waiting_line(machine, other)
            if lines[0] is not None and lines[1] is not None:
                names = machine.requests[pair[0]].name, machine.requests[pair[1]].name
                return Deadlock(names, (lines[0], lines[1])), len(seen)
        for state in after:
            if state not in seen:
                seen.add(state)
                pending.append(state)
    return None, len(seen)


def _waiting_line(machine: Machine, local: Local | Done) -> int | None:
    """The line at which a request waits while it holds something itself."""
    if isinstance(local, Done) or not local.claims:
        return None
    instruction = machine.instruction(local)
    return instruction.span.line if isinstance(instruction, Do) else None
