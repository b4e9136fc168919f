r"""How transactions move: all that one request can do next, in some state of the database.

A move is one *unit*: a SELECT; the choice of the rows for an UPDATE, DELETE or SELECT … FOR UPDATE; the lock
on one of these rows and the action on it; one row of an INSERT; a COMMIT. Between two units all other
requests may move. Instructions that affect no other request (BEGIN, `\if`, the COMMIT of a transaction that
holds nothing) belong to the unit before them.

How a unit works depends on the rules of the level. `at_statement` has those of statements that see what is
committed when they start, `at_transaction` those of snapshots.
"""

from collections.abc import Iterator
from dataclasses import replace

from seriatim.frontends.sql import aborting, at_statement, at_transaction, ending
from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim, Mark, Resource
from seriatim.frontends.sql.evaluation import SqlError
from seriatim.frontends.sql.language import Commit, Do, Rollback, RollbackTo
from seriatim.frontends.sql.levels import Sees
from seriatim.frontends.sql.machine import Machine, Move, OutOfScope
from seriatim.frontends.sql.refusal import Refusal
from seriatim.frontends.sql.sequences import claim_known_values
from seriatim.frontends.sql.states import Database, Done, Local


def moves(machine: Machine, local: Local, database: Database) -> list[Move]:
    """All next moves of a request; empty if it waits, or if local and global state do not fit together.

    The claim RUNNING of a transaction that runs only once has no holder: it tells closures, which forget how
    many requests are in flight, that this one cannot be in flight twice.
    """
    if database.closed or not claims_.covers(database.claims, local.claims):
        return []
    transaction = machine.requests[local.request].transaction
    resource = ("once", transaction.group or transaction.name)
    if local == machine.start(local.request) and transaction.once:
        if not claims_.is_free(database.claims, (), resource, Mark.DONE):
            return []
        begins: list[Claim] = [(resource, Mark.DONE), (resource, Mark.RUNNING)]
        database = replace(database, claims=claims_.add(database.claims, begins))
    found = _moves(machine, local, database)
    return [_end_single_run(resource, *move) for move in found] if transaction.once else found


def _end_single_run(resource: Resource, after: Local | Done, there: Database) -> Move:
    """Drops the claim RUNNING if a transaction that runs only once has ended."""
    if not isinstance(after, Done):
        return after, there
    left = tuple(each for each in there.claims if each[0] != (resource, Mark.RUNNING))
    return after, replace(there, claims=left)


def _moves(machine: Machine, local: Local, database: Database) -> list[Move]:
    begun = machine.settle(local)
    if isinstance(begun, Done):
        return [(begun, database)]
    found: dict[Move, None] = {}
    if machine.answers_aborts:
        found |= dict.fromkeys(_abort(machine, local, begun, database))
    for after, there in run_unit(machine, begun, database):
        settled = machine.settle(after) if isinstance(after, Local) else after
        for end in _commit_at_once(machine, settled, there):
            for known in claim_known_values(local, *end) if machine.has_sequences else (end,):
                found[known] = None
    return list(found)


def _abort(machine: Machine, local: Local, begun: Local, database: Database) -> Iterator[Move]:
    """The moves of a request that gives up, at its start or later."""
    if local == machine.start(local.request):
        yield from aborting.give_up_alone(machine, reach_alone(machine, local, database), begun, database)
    waits = not any(True for _ in run_unit(machine, begun, database))
    yield from aborting.give_up(machine, begun, database, waits)


def reach_alone(machine: Machine, local: Local, database: Database) -> list[Local | Done]:
    """The states that a request reaches if no other request moves or holds anything."""
    pending = [(machine.settle(local), replace(database, claims=()))]
    found: dict[Local | Done, None] = {}
    while pending:
        state, here = pending.pop()
        if state in found:
            continue
        found[state] = None
        for after, there in run_unit(machine, state, here) if isinstance(state, Local) else ():
            pending.append((machine.settle(after) if isinstance(after, Local) else after, there))
    return list(found)


def _commit_at_once(machine: Machine, after: Local | Done, there: Database) -> Iterator[Move]:
    """Commits a single statement together with its last unit, unless the COMMIT depends on a snapshot."""
    if isinstance(after, Done) or after.snapshot is not None or machine.shows_locks:
        yield after, there
        return
    instruction = machine.instruction(after)
    if not isinstance(instruction, Commit) or not instruction.implicit:
        yield after, there
        return
    for committed, then in ending.commit(machine, after, there):
        yield (machine.settle(committed) if isinstance(committed, Local) else committed), then


def run_unit(machine: Machine, local: Local, database: Database) -> Iterator[Move]:
    """Executes one unit; raises `Refusal` with the place of the statement."""
    instruction = machine.instruction(local)
    match instruction:
        case Do():
            try:
                yield from _statement(machine, local, database, instruction)
            except Refusal as refusal:
                refusal.span = refusal.span or instruction.span
                raise
        case Commit():
            yield from ending.commit(machine, local, database)
        case Rollback() | None:
            yield from ending.roll_back(machine, local, database)
        case RollbackTo(name=name):
            yield from ending.roll_back_to(machine, local, database, name)
        case _:
            raise AssertionError(instruction)


def _statement(machine: Machine, local: Local, database: Database, do: Do) -> Iterator[Move]:
    sees_now = machine.rules_of(local).sees is Sees.AT_STATEMENT
    run = at_statement.run_unit if sees_now else at_transaction.run_unit
    try:
        yield from run(machine, local, database, do)
    except OutOfScope:
        return
    except SqlError as error:
        yield from ending.fail(machine, local, database, error.code)


def moves_at_once(machine: Machine, local: Local, database: Database) -> list[Move]:
    """All moves that execute a whole request, which is one transaction: for databases that promise to run
    transactions as if one at a time."""
    pending: list[tuple[Local | Done, Database]] = list(moves(machine, local, database))
    found: dict[Move, None] = {}
    while pending:
        after, there = pending.pop()
        if isinstance(after, Done):
            found[after, there] = None
        else:
            pending.extend(moves(machine, after, there))
    return list(found)
