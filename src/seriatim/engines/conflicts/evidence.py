"""A cycle of conflicts as evidence: a run of an action system translated back to the terms of its input, and
a shortest cycle of its conflict graph."""

from collections import deque
from dataclasses import dataclass

from seriatim.certificate.cycle import Access, Conflict, CycleEvidence
from seriatim.certificate.turns import Turn
from seriatim.engines.conflicts.search import Acted
from seriatim.program.state import GlobalState
from seriatim.systems.actions import Label, ProgramActions, SystemActions


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    turn: Turn
    label: Label


def cycle_evidence(run: tuple[Acted, ...], system: ProgramActions | SystemActions) -> CycleEvidence:
    """The turns of a run, and a shortest cycle of conflicts between them."""
    turns = program_turns(run, system) if isinstance(system, ProgramActions) else system_turns(run, system)
    return CycleEvidence(tuple(each.turn for each in turns), shortest_cycle(turns, system.variables))


def program_turns(run: tuple[Acted, ...], system: ProgramActions) -> list[LabelledTurn]:
    """Steps that touch nothing, and that the system does not have, come before the action that follows
    them."""
    flagged = system.flagged
    at: dict[int, tuple[int, int]] = {}
    """For each request, its handler and its local in the flagged unfolding."""
    turns: list[LabelledTurn] = []
    for acted in run:
        if acted.request not in at:
            handler = system.handlers_from[acted.local]
            at[acted.request] = handler, flagged.starts[handler]
        handler, local = at[acted.request]
        ways = (way for action, way in system.paths(local, acted.before) if action == acted.action)
        way = next(ways)
        name = flagged.requests[handler]
        for target in way[:-1]:
            assert target >= 0, "a request that was answered takes no more steps"
            state = global_state(system, acted.before)
            turns.append(LabelledTurn(Turn(acted.request + 1, name, state, None), Label(0, 0)))
        answer = flagged.completions[~way[-1]][1] if way[-1] < 0 else None
        turn = Turn(acted.request + 1, name, global_state(system, acted.action.after), answer)
        turns.append(LabelledTurn(turn, acted.action.label))
        at[acted.request] = handler, way[-1]
    return turns


def global_state(system: ProgramActions, global_: int) -> GlobalState:
    return tuple(zip(system.variables, system.global_values[global_], strict=True))


def system_turns(run: tuple[Acted, ...], system: SystemActions) -> list[LabelledTurn]:
    """Answers requests that do nothing any more, where possible."""
    answers = {local: system.system.responses[answer] for local, answer in reversed(system.system.resp)}
    names: dict[int, str] = {}
    turns: list[LabelledTurn] = []
    for acted in run:
        name = names.setdefault(acted.request, system.requests[system.request_of(acted.local)])
        action = acted.action
        ends = system.ends(acted.local, acted.before, action)
        answer = next((answers[end] for end in ends if end in answers), None)
        state = system.system.globals[system.global_order[action.after]]
        turns.append(LabelledTurn(Turn(acted.request + 1, name, state, answer), action.label))
    return turns


def shortest_cycle(turns: list[LabelledTurn], variables: tuple[str, ...]) -> tuple[Conflict, ...]:
    """The fewest conflicts that lead from a request round to itself."""
    conflicts: dict[int, dict[int, Conflict]] = {}
    for first, earlier in enumerate(turns, 1):
        for second, later in enumerate(turns[first:], first + 1):
            shared = earlier.label.conflicts(later.label)
            before, after = earlier.turn.request, later.turn.request
            if shared and before != after:
                bit = (shared & -shared).bit_length() - 1
                accesses = access(earlier.label, bit), access(later.label, bit)
                conflict = Conflict(first, second, variables[bit], accesses)
                conflicts.setdefault(before, {}).setdefault(after, conflict)
    cycles = [cycle for start in conflicts if (cycle := cycle_from(start, conflicts))]
    return min(cycles, key=len)


def cycle_from(start: int, conflicts: dict[int, dict[int, Conflict]]) -> tuple[Conflict, ...]:
    """A shortest way round to a request; nothing if no way exists."""
    ways: dict[int, tuple[Conflict, ...]] = {start: ()}
    pending = deque([start])
    while pending:
        request = pending.popleft()
        for following, conflict in conflicts.get(request, {}).items():
            if following == start:
                return (*ways[request], conflict)
            if following not in ways:
                ways[following] = (*ways[request], conflict)
                pending.append(following)
    return ()


def access(label: Label, bit: int) -> Access:
    return "write" if label.writes >> bit & 1 else "read"
