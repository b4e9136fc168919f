"""Conflict graphs of all runs of a few requests, by brute force and with the reference semantics alone."""

from collections.abc import Iterator
from itertools import combinations_with_replacement

from seriatim.program.actions import NO_ACCESSES, Accesses, actions, settle
from seriatim.program.liveness import live_locals
from seriatim.program.network_system import NetworkSystem
from seriatim.program.semantics import Configuration, Store, initial_store, response
from seriatim.program.syntax import Expression, Program
from testkit.oracles.brute_force import TooLarge

Place = tuple[Expression, Store]
"""What is left to do, and the live locals."""

Request = tuple[Place | None, Accesses]
"""Where a request is, None if it is answered, and all that it has touched."""

Edges = frozenset[tuple[int, int]]

State = tuple[Store, tuple[Request, ...], Edges]


def place(configuration: Configuration) -> Place:
    live = live_locals(configuration.expression)
    return configuration.expression, tuple(pair for pair in configuration.locals if pair[0] in live)


def settled_place(at: Place) -> Place | None:
    end = settle(Configuration(*at, ()))
    return None if end is None or response(end.expression) is not None else place(end)


def has_cycle(edges: Edges) -> bool:
    left = set(edges)
    while True:
        entered = {second for _, second in left}
        smaller = {(first, second) for first, second in left if first in entered}
        if smaller == left:
            return bool(left)
        left = smaller


def violated_with(
    program: Program, requests: int, counts_waits: bool = False, max_states: int = 30_000
) -> bool:
    """Whether some run of exactly so many requests, answered or not, has a cycle of conflicts."""
    bodies = [handler.body for handler in program.handlers]
    return any(
        _violated(program, chosen, counts_waits, max_states)
        for chosen in combinations_with_replacement(bodies, requests)
    )


def _violated(program: Program, bodies: tuple[Expression, ...], counts_waits: bool, max_states: int) -> bool:
    start: State = (initial_store(program), tuple(((body, ()), NO_ACCESSES) for body in bodies), frozenset())
    seen = {start}
    pending = [start]
    while pending:
        for state in _successors(pending.pop(), counts_waits):
            if has_cycle(state[2]):
                return True
            if state not in seen:
                seen.add(state)
                pending.append(state)
                if len(seen) > max_states:
                    raise TooLarge
    return False


def _successors(state: State, counts_waits: bool) -> Iterator[State]:
    globals_, requests, edges = state
    for index, (at, touched) in enumerate(requests):
        if at is None:
            continue
        for end, accesses in actions(Configuration(*at, globals_)):
            then = None if response(end.expression) is not None else place(end)
            is_wait = end.globals == globals_ and (then and settled_place(then)) == settled_place(at)
            if is_wait and not counts_waits:
                accesses = NO_ACCESSES
            new = {
                (other, index)
                for other, (_, earlier) in enumerate(requests)
                if other != index and earlier.conflicts(accesses)
            }
            all_touched = Accesses(touched.reads | accesses.reads, touched.writes | accesses.writes)
            after = (*requests[:index], (then, all_touched), *requests[index + 1 :])
            yield end.globals, after, edges | new


Flight = tuple[int, bool, bool]
"""(local state, whether it has read the state, whether it has written it)."""

SystemState = tuple[int, tuple[Flight, ...], Edges]


def system_violated_with(system: NetworkSystem, requests: int, max_states: int = 30_000) -> bool:
    """The same for a network system: every step reads its state, those that change it write it."""
    start: SystemState = (system.initial, (), frozenset())
    seen = {start}
    pending = [start]
    while pending:
        global_, flights, edges = pending.pop()
        if has_cycle(edges):
            return True
        following: list[SystemState] = []
        if len(flights) < requests:
            following += [(global_, (*flights, (local, False, False)), edges) for _, local in system.req]
        for index, (at, _, wrote) in enumerate(flights):
            for local, before, target, after in system.delta:
                if (local, before) != (at, global_) or (local, before) == (target, after):
                    continue
                changes = before != after
                new = {
                    (other, index)
                    for other, (_, has_read, has_written) in enumerate(flights)
                    if other != index and (has_written or (changes and has_read))
                }
                moved = (target, True, wrote or changes)
                following.append((after, (*flights[:index], moved, *flights[index + 1 :]), edges | new))
        for state in following:
            if state not in seen:
                seen.add(state)
                pending.append(state)
        if len(seen) > max_states:
            raise TooLarge
    return False
