"""Transactions that run as if one at a time, because the database promises it: each request is a single step."""

from seriatim.frontends.sql.language import Rollback, RollbackTo
from seriatim.frontends.sql.machine import Machine, Move
from seriatim.frontends.sql.states import Database, Done, Local


class AtomicMachine(Machine):
    """All statements of a request in one move."""

    def moves(self, local: Local, database: Database) -> list[Move]:
        pending: list[tuple[Local | Done, Database]] = list(super().moves(local, database))
        found: dict[Move, None] = {}
        while pending:
            after, there = pending.pop()
            if isinstance(after, Done):
                found[after, there] = None
            else:
                pending.extend(super().moves(after, there))
        return list(found)

    def rolls_back(self) -> bool:
        """Whether some transaction may be rolled back: about what that one has read, databases promise nothing."""
        return any(
            isinstance(each, Rollback | RollbackTo) for request in self.requests for each in request.code
        )
