"""A client of the model: it executes a request statement by statement; the next one depends on the answers.

The client knows nothing of isolation. It retells runs of the model; live databases have a client of their own
(`live.runs`), which shares nothing with the model.
"""

import re
from dataclasses import dataclass

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
    Item,
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
from seriatim.frontends.sql.terms import Row, Value

RETRIED = frozenset({"40001", "40P01", "55P03"})
"""Errors after which a client starts over: serialization failure, deadlock, lock not available."""


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
    ) -> None:
        self.request = request
        self.answers_aborts = answers_aborts
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

    def text(self) -> str:
        """The text of the next statement to send."""
        instruction = self.instruction
        match instruction:
            case None:
                return "ROLLBACK"
            case Commit() if self.failed:
                return "ROLLBACK"
            case Do(text=text):
                return substitute(text, self.variables)
            case _:
                return statement_text(instruction, self.level)

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
        rows = answer.rows
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


def statement_text(instruction: Instruction | Item, level: Level | None = None) -> str:
    """The text of what is sent; `level` is that of a BEGIN that names none."""
    match instruction:
        case Do(text=text):
            return text
        case Begin(level=own, read_only=read_only):
            wanted = own or level
            named = "" if wanted is None else f" ISOLATION LEVEL {wanted.value.upper()}"
            return f"BEGIN{named}{' READ ONLY' if read_only else ''}"
        case Commit():
            return "COMMIT"
        case Rollback():
            return "ROLLBACK"
        case Savepoint(name=name):
            return f"SAVEPOINT {name}"
        case RollbackTo(name=name):
            return f"ROLLBACK TO SAVEPOINT {name}"
        case Release(name=name):
            return f"RELEASE SAVEPOINT {name}"
        case _:
            raise AssertionError(instruction)


def substitute(text: str, variables: dict[str, Value]) -> str:
    """Replaces the variables of a statement by their values."""

    def put(found: re.Match[str]) -> str:
        name = found.group(2)
        value = variables.get(name)
        return value_text(value) if name in variables else found.group()

    return _PART.sub(put, text)
