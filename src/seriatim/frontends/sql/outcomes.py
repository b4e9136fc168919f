"""Outcomes of requests in the model, by looking at all their runs: slow and obvious, for few requests."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.moving import moves
from seriatim.frontends.sql.sequences import rename_values
from seriatim.frontends.sql.states import Answer, Database, Done, Local
from seriatim.frontends.sql.system import Moves
from seriatim.frontends.sql.terms import Row

State = tuple[Database, tuple[Local | Done, ...]]


class TooMany(Exception):
    """Raised when requests have more states than allowed."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The outcome of a complete run."""

    answers: tuple[tuple[Answer, ...], ...]
    """The answers of each request."""
    tables: tuple[tuple[Row, ...], ...]
    """The final rows, sorted."""


def final_rows(database: Database) -> tuple[tuple[Row, ...], ...]:
    return rename_values(tuple(row for _, row in rows) for rows in database.tables)


def outcomes(
    machine: Machine, requests: Sequence[int], step: Moves = moves, most: int | None = None
) -> set[Seen]:
    """The outcomes of all complete runs of these requests; raises `TooMany`."""
    start: State = (machine.initial(), tuple(machine.start(each) for each in requests))
    seen = {start}
    pending = [start]
    found: set[Seen] = set()
    while pending:
        if most is not None and len(seen) > most:
            raise TooMany
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
    """The outcomes of runs of one request at a time."""
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


def serial_states(machine: Machine) -> Iterator[Database]:
    """The states between the requests of runs of one request at a time, nearest first."""
    seen = {machine.initial().tables}
    pending = [machine.initial()]
    for here in pending:
        yield here
        for request in range(len(machine.requests)):
            for _, there in alone(machine, request, here):
                if there.tables not in seen:
                    seen.add(there.tables)
                    pending.append(there)
