"""Outcomes of SQL transactions, by looking at all runs of given requests: in the machine, and on a server."""

from collections.abc import Sequence
from itertools import permutations

from seriatim.frontends.sql.live.runs import Seen
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.moving import moves
from seriatim.frontends.sql.sequences import rename_values
from seriatim.frontends.sql.states import Database, Done, Local
from seriatim.frontends.sql.system import Moves
from seriatim.frontends.sql.terms import Row

State = tuple[Database, tuple[Local | Done, ...]]


def final_rows(database: Database) -> tuple[tuple[Row, ...], ...]:
    return rename_values(tuple(row for _, row in rows) for rows in database.tables)


def outcomes(machine: Machine, requests: Sequence[int], step: Moves = moves) -> set[Seen]:
    """All that complete runs of these requests come to."""
    start: State = (machine.initial(), tuple(machine.start(each) for each in requests))
    seen = {start}
    pending = [start]
    found: set[Seen] = set()
    while pending:
        database, locals_ = pending.pop()
        if all(isinstance(each, Done) for each in locals_):
            answers = tuple(each.answers for each in locals_ if isinstance(each, Done))
            found.add(Seen(answers, final_rows(database)))
        for number, local in enumerate(locals_):
            if isinstance(local, Done):
                continue
            for after, there in step(machine, local, database):
                state = (there, (*locals_[:number], after, *locals_[number + 1 :]))
                if state not in seen:
                    seen.add(state)
                    pending.append(state)
    return found


def serial_outcomes(machine: Machine, requests: Sequence[int]) -> set[Seen]:
    """Those of runs of one request at a time."""
    found: set[Seen] = set()
    for order in permutations(range(len(requests))):
        states: list[tuple[Database, dict[int, Done]]] = [(machine.initial(), {})]
        for number in order:
            states = [
                (there, {**done, number: after})
                for database, done in states
                for after, there in alone(machine, requests[number], database)
            ]
        found |= {
            Seen(tuple(done[number].answers for number in range(len(requests))), final_rows(database))
            for database, done in states
        }
    return found


def alone(machine: Machine, request: int, database: Database) -> list[tuple[Done, Database]]:
    """How a request can end that runs alone."""
    pending: list[tuple[Local | Done, Database]] = [(machine.start(request), database)]
    ends: list[tuple[Done, Database]] = []
    while pending:
        local, here = pending.pop()
        if isinstance(local, Done):
            ends.append((local, here))
        else:
            pending.extend(moves(machine, local, here))
    return ends
