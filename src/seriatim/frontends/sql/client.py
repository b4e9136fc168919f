"""A client that executes a transaction statement by statement; the next statement depends on the answers.

The client knows nothing of isolation. `live` connects it to a server; anything else that executes statements
will do.
"""

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from seriatim.frontends.sql.code import Branch, Instruction, Jump
from seriatim.frontends.sql.evaluation import evaluate, is_true
from seriatim.frontends.sql.language import (
    AdvisoryLock,
    AdvisoryUnlock,
    Begin,
    Commit,
    Delete,
    Do,
    Insert,
    Level,
    LockTable,
    Release,
    Rollback,
    RollbackTo,
    Savepoint,
    SelectLocking,
    SetVariable,
    Update,
)
from seriatim.frontends.sql.machine import NO_SINGLE_ROW, anonymize
from seriatim.frontends.sql.requests import Request, output_names, value_text
from seriatim.frontends.sql.selection import scope_of
from seriatim.frontends.sql.states import Answer
from seriatim.frontends.sql.terms import Moment, New, Row, Value

RETRIED = frozenset({"40001", "40P01", "55P03"})
"""Errors after which a client starts over: serialization failure, deadlock, lock not available."""


FIRST_NEW = 1_000_000_000
"""Sequences start above this number, so that their values differ from all others."""


_PART = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|::|:(['"]?)(\w+)\1""")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a statement returns, and how many it affects."""

    rows: tuple[Row, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Error:
    code: str


class Client:
    """A client that runs one request."""

    def __init__(
        self,
        request: Request,
        level: Level,
        answers_aborts: bool = False,
        stop: tuple[int, str] | None = None,
    ) -> None:
        self.request = request
        self.answers_aborts = answers_aborts
        self.stop = stop
        """The number of answers after which the client gives up, and the error that it then answers with."""
        self.level = level
        self.at = 0
        self.variables = dict(request.arguments)
        self.answers: list[Answer] = []
        self.savepoints = 0
        self.in_transaction = False
        self.failed = False
        self.ended = False
        self.gave_up: str | None = None
        """The error after which the request would have to start over."""
        self._go_on()

    @property
    def instruction(self) -> Instruction | None:
        code = self.request.code
        return code[self.at] if self.at < len(code) else None

    @property
    def keeps_locks(self) -> bool:
        """Whether the client may hold locks that only the end of its session releases."""
        return any(
            isinstance(each, Do)
            and isinstance(lock := getattr(each.statement, "gate", each.statement), AdvisoryLock)
            and lock.session
            for each in self.request.code
        )

    def text(self) -> str:
        """The text of the next statement to send."""
        instruction = self.instruction
        match instruction:
            case None:
                return "ROLLBACK"
            case Begin(level=level):
                return f"BEGIN ISOLATION LEVEL {(level or self.level).value.upper()}"
            case Commit():
                return "ROLLBACK" if self.failed else "COMMIT"
            case Rollback():
                return "ROLLBACK"
            case Savepoint(name=name):
                return f"SAVEPOINT {name}"
            case RollbackTo(name=name):
                return f"ROLLBACK TO SAVEPOINT {name}"
            case Release(name=name):
                return f"RELEASE SAVEPOINT {name}"
            case Do(text=text):
                return substitute(text, self.variables)
            case _:
                raise AssertionError(instruction)

    def receive(self, answer: Rows | Error) -> None:
        """Records an answer and moves on to the next statement."""
        instruction = self.instruction
        if instruction is None:
            self.ended = True
            return
        if isinstance(answer, Error):
            self._fail(answer.code)
            return
        match instruction:
            case Begin():
                self.in_transaction = True
            case Commit() | Rollback():
                self.in_transaction, self.savepoints, self.failed = False, 0, False
            case Savepoint():
                self.savepoints += 1
            case RollbackTo():
                self.failed = False
            case Do():
                if not self._record(instruction, answer):
                    return
        self.at += 1
        self._go_on()
        if self.stop is not None and self.in_transaction and len(self.answers) == self.stop[0]:
            self.answers.append(self.stop[1])
            self.at = len(self.request.code)

    def _record(self, do: Do, answer: Rows) -> bool:
        """Records the rows of a statement; False if `\\gset` fails."""
        statement = do.statement
        is_unlock_all = isinstance(statement, AdvisoryUnlock) and statement.key is None
        if isinstance(statement, LockTable | AdvisoryLock) or is_unlock_all:
            self.answers.append(0)
            return True
        if isinstance(statement, Update | Delete | Insert) and statement.returning is None:
            self.answers.append(answer.count)
            return True
        rows = tuple(tuple(map(from_driver, row)) for row in answer.rows)
        shown = tuple(tuple(map(anonymize, row)) for row in rows)
        if do.gset is not None and len(rows) != 1:
            self._fail(NO_SINGLE_ROW)
            return False
        ordered = isinstance(statement, SelectLocking) and bool(statement.query.order)
        self.answers.append(shown if ordered else tuple(sorted(shown, key=repr)))
        if do.gset is None:
            return True
        self.variables |= dict(zip([do.gset + name for name in output_names(do)], rows[0], strict=True))
        return True

    def _fail(self, code: str) -> None:
        if code in RETRIED and not self.answers_aborts:
            self.gave_up = code
        elif self._can_go_on():
            self.answers.append(code)
            self.failed = True
            self._go_on()
            return
        else:
            self.answers.append(code)
        self.at = len(self.request.code)
        self.ended = not self.in_transaction

    def _can_go_on(self) -> bool:
        """Whether the client has more to do after an error."""
        ahead = self.request.code[self.at :]
        if self.savepoints and any(isinstance(each, RollbackTo) for each in ahead):
            return True
        is_session = self.request.transaction.is_session
        return is_session and any(isinstance(each, Commit | Rollback) for each in ahead)

    def _go_on(self) -> None:
        """Skips what is not sent: conditions, variables, and statements of a failed transaction."""
        while True:
            instruction = self.instruction
            match instruction:
                case None:
                    self.ended = not self.in_transaction
                    return
                case Branch(condition=condition, target=target):
                    holds = not self.failed and is_true(condition, scope_of({}, self.variables))
                    self.at = self.at + 1 if holds else target
                case Jump(target=target):
                    self.at = target
                case SetVariable(name=name, value=value):
                    self.variables[name] = evaluate(value, scope_of({}, self.variables))
                    self.at += 1
                case Do() | Savepoint() if self.failed:
                    self.at += 1
                case Begin() if self.in_transaction:
                    self.at += 1
                case Commit() | Rollback() if not self.in_transaction:
                    self.at += 1
                case _:
                    return


def from_driver(value: object) -> Value:
    """Converts a value of the database driver."""
    if isinstance(value, Decimal):
        assert value == value.to_integral_value(), "fractions are refused"
        return int(value)
    if isinstance(value, date):
        return Moment.at(value)
    if isinstance(value, int) and value > FIRST_NEW:
        return New(value)
    assert value is None or isinstance(value, bool | int | str | New), value
    return value


def substitute(text: str, variables: dict[str, Value]) -> str:
    """Replaces the variables of a statement by their values."""

    def put(found: re.Match[str]) -> str:
        name = found.group(2)
        value = variables.get(name)
        if isinstance(value, New) and value.number > FIRST_NEW:
            return str(value.number)
        return value_text(value) if name in variables else found.group()

    return _PART.sub(put, text)
