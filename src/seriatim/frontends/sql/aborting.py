"""`--on-abort answer`: a client that the database aborts does not start over; it answers with the error.

Its answer includes what it has read before, and it has changed nothing. So a request that runs alone may also
give up at any statement and change nothing: otherwise every possible conflict would be a violation.
Claim: that move reads the committed rows at one moment, as a request that runs alone does; so runs of one
request at a time gain exactly the answers of requests that give up.

Beside other requests, a request gives up where the database would abort it. At READ COMMITTED this is where
it waits while it holds locks itself, which may be a deadlock, or where it asks not to wait; at REPEATABLE
READ it is anywhere after the snapshot. This allows more aborts than really happen, never fewer: only a server
can confirm that a run with such an answer is a run of the database.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Mark
from seriatim.frontends.sql.language import Do, LockTable, SelectLocking, Wait
from seriatim.frontends.sql.levels import Sees
from seriatim.frontends.sql.machine import Machine, Move
from seriatim.frontends.sql.refusal import UNSUPPORTED, Refusal
from seriatim.frontends.sql.states import Answer, Database, Done, Local

SERIALIZATION_FAILURE, DEADLOCK, NOT_AVAILABLE = "40001", "40P01", "55P03"


ABORTS = (SERIALIZATION_FAILURE, DEADLOCK, NOT_AVAILABLE)


def is_aborted(answers: tuple[Answer, ...]) -> bool:
    return bool(answers) and answers[-1] in ABORTS


def refuse_several_transactions(machine: Machine) -> None:
    """Raises `Refusal` for requests with several transactions: the first may have committed something when
    the database aborts the second."""
    for begin in machine.second_begins():
        raise Refusal(
            UNSUPPORTED,
            "several transactions in one request are not supported with --on-abort answer",
            "write BEGIN and COMMIT around all of its statements, or give each its own header",
            begin.span,
        )


def abort_codes(machine: Machine, local: Local) -> tuple[str, ...]:
    """The error codes with which the database may abort a transaction at its next statement."""
    instruction = machine.instruction(local)
    statement = instruction.statement if isinstance(instruction, Do) else None
    no_wait = (isinstance(statement, SelectLocking) and statement.wait is Wait.NOWAIT) or (
        isinstance(statement, LockTable) and statement.nowait
    )
    found = (DEADLOCK, NOT_AVAILABLE) if no_wait else (DEADLOCK,)
    snapshot = machine.rules_of(local).sees is Sees.AT_TRANSACTION
    return (SERIALIZATION_FAILURE, *found) if snapshot else found


def give_up_alone(
    machine: Machine, ways: Iterable[Local | Done], local: Local, database: Database
) -> Iterator[Move]:
    """The moves of a request that starts and gives up at once: it reads committed rows and changes
    nothing."""
    for way in ways:
        at_end = isinstance(way, Done) or not isinstance(machine.instruction(way), Do)
        for count in range(len(way.answers) + (not at_end)):
            for code in abort_codes(machine, local if isinstance(way, Done) else way):
                yield Done((*way.answers[:count], code)), database


def give_up(machine: Machine, local: Local, database: Database, waits: bool) -> Iterator[Move]:
    """The moves of a running request that the database aborts."""
    at_statement = isinstance(machine.instruction(local), Do)
    possible = abort_codes(machine, local)
    counts = range(len(local.answers) + at_statement)
    if local.snapshot is None:
        if not (waits and at_statement):
            return
        own = claims_.of_transaction(local.claims)
        holds = any(mode not in (Mark.CHOSEN, Mark.DONE) for _, mode in own)
        possible = tuple(each for each in possible if (each == DEADLOCK and holds) or each == NOT_AVAILABLE)
        counts = range(len(local.answers), len(local.answers) + 1)
    for claims in claims_.drop(database.claims, claims_.without_known(local.claims)):
        for count in counts:
            for code in possible:
                yield Done((*local.answers[:count], code)), replace(database, claims=claims)
