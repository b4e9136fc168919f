"""Statements from the log of a PostgreSQL server: its text, `csvlog` or `jsonlog`.

Needed are `log_statement = all`, and in the text of the log a `log_line_prefix` with `%p` or `%c`, which
tells the sessions apart (the default has `%p`). The values of prepared statements come as DETAIL, unless
`log_parameter_max_length` cuts them.

Sessions overlap in such a log; here, each session's statements come one after the other. Several statements
in one message are one transaction, unless they begin or end one. A transaction in which a statement failed is
left out: it did not commit. So are statements about the session or the schema. The log does not show what was
read, and not whether a value is a number: what looks like a whole number is taken as one.
"""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO

from seriatim.frontends.sql.pieces import Kind, split
from seriatim.frontends.sql.refusal import HEADER
from seriatim.source import Diagnostic, InputError

_LINE = re.compile(
    r"^(?P<prefix>.*?)\b(?P<severity>LOG|ERROR|FATAL|PANIC|WARNING|NOTICE|INFO|DEBUG\d?|DETAIL|HINT|CONTEXT|STATEMENT"
    r"|QUERY|LOCATION):  (?P<message>.*)$"
)
_MORE = {"DETAIL": "detail", "STATEMENT": "statement", "HINT": "", "CONTEXT": "", "QUERY": "", "LOCATION": ""}
_SESSION = re.compile(
    r"\b(?P<session>[0-9a-f]{6,}\.[0-9a-f]{1,8})\b|\[(?P<pid>\d+)(?:-\d+)?\]|\bpid[=:] ?(?P<named>\d+)"
)
_MESSAGE = re.compile(
    r"^(?:duration: [\d.]+ ms +)?(?:statement|(?P<prepared>execute) [^:]*?): (?P<statement>.*)$", re.DOTALL
)
_PARAMETERS = re.compile(r"^parameters: (?P<values>.*)$", re.DOTALL | re.IGNORECASE)
_PARAMETER = re.compile(
    r"\$(?P<number>\d+) = (?:(?P<null>NULL)|'(?P<value>(?:[^']|'')*)'(?P<cut>\.\.\.)?)(?:, |$)", re.DOTALL
)

_ABOUT_SESSIONS = frozenset(
    (
        *("SET", "SHOW", "RESET", "DISCARD", "PREPARE", "DEALLOCATE", "LISTEN", "UNLISTEN", "NOTIFY", "LOAD"),
        *("VACUUM", "ANALYZE", "CHECKPOINT", "EXPLAIN", "REINDEX", "CLUSTER"),
        *("CREATE", "ALTER", "DROP", "GRANT", "REVOKE", "COMMENT"),
    )
)
"""What a client says about its session or the schema, outside of transactions."""

BEGINS, COMMITS, ENDS = ("BEGIN", "START"), ("COMMIT", "END"), ("COMMIT", "END", "ROLLBACK", "ABORT")

_CSV_COLUMNS = {"pid": 3, "session": 5, "severity": 11, "message": 13, "detail": 14, "statement": 19}


@dataclass(frozen=True, slots=True)
class Said:
    """What a server has logged for a session."""

    line: int
    session: str | None
    severity: str
    message: str
    detail: str = ""
    statement: str = ""
    """The statement that failed, if it did."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A statement with the values of its parameters, from 1 on."""

    line: int
    statement: str
    values: tuple[int | str | None, ...] = ()

    @property
    def words(self) -> list[str]:
        return self.statement.upper().rstrip(";").split() or [""]

    def is_one_of(self, words: Sequence[str]) -> bool:
        """Whether the statement begins with one of these words, and is about the whole transaction."""
        mine = self.words
        return mine[0] in words and "TO" not in mine and "PREPARED" not in mine


@dataclass
class Session:
    """What is known of a session so far."""

    open: list[Sent] | None = None
    """The transaction that has begun."""
    has_failed: bool = False
    message: str = ""
    """The last message."""
    ended: list[list[Sent]] = field(default_factory=list)
    """The transactions that ended with the last message."""

    def take(self, sent: Sent) -> None:
        if sent.is_one_of(BEGINS):
            self.open, self.has_failed = [sent], False
        elif sent.is_one_of(ENDS):
            if (
                self.open is not None
                and len(self.open) > 1
                and not self.has_failed
                and sent.is_one_of(COMMITS)
            ):
                self.ended.append([*self.open, sent])
            self.open = None
        elif self.open is not None:
            self.open.append(sent)
        elif sent.words[0] and sent.words[0] not in _ABOUT_SESSIONS:  # It may be prepared.
            self.ended.append([sent])


def is_server_log(text: str) -> bool:
    """Whether a text looks like the log of a PostgreSQL server."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first.startswith("{"):
        return '"error_severity"' in first and '"message"' in first
    return _LINE.match(first) is not None or _is_csv(first)


def _is_csv(line: str) -> bool:
    row = next(csv.reader([line]), [])
    return len(row) >= 23 and re.fullmatch(r"[0-9a-f]+\.[0-9a-f]+", row[5]) is not None


def read_transactions(text: str, name: str) -> list[list[Sent]]:
    """The statements of each transaction that committed; one outside of BEGIN is a transaction of its own.
    Raises `InputError`."""
    sessions: dict[str, Session] = {}
    done: list[list[Sent]] = []
    count = 0
    for said in _said(text, name):
        if said.severity in ("ERROR", "FATAL", "PANIC"):
            if said.session in sessions:
                _fail(sessions[said.session], said.statement)
            continue
        found = _MESSAGE.match(said.message) if said.severity == "LOG" else None
        if found is None:
            continue
        if said.session is None:
            hint = "log_line_prefix needs %p, as in '%m [%p] '"
            raise _problem(f"{name}, line {said.line}: no session", hint)
        session = sessions.setdefault(said.session, Session())
        done += session.ended
        session.ended, session.message = [], found["statement"]
        count += 1
        for sent in _statements(said, found, session.open is not None, name):
            session.take(sent)
    if not count:
        hint = "set log_statement = all, and run the application again"
        raise _problem(f"{name} is a log of PostgreSQL without statements", hint)
    for session in sessions.values():
        done += session.ended
    return sorted(done, key=lambda transaction: transaction[0].line)


def _fail(session: Session, statement: str) -> None:
    """Notes that a statement failed: the last message, if it is not told."""
    if session.open is not None:
        session.has_failed = True
    if not statement or statement.strip() == session.message.strip():
        session.ended = []


def _statements(said: Said, found: re.Match[str], is_open: bool, name: str) -> list[Sent]:
    """The statements of a message. Raises `InputError`."""
    if found["prepared"] is not None:
        return [_with_values(Sent(said.line, found["statement"]), said.detail, name)]
    pieces = split(found["statement"], name)
    sent = [Sent(said.line, piece.text) for piece in pieces if piece.kind is Kind.STATEMENT]
    if not is_open:
        sent = [each for each in sent if each.words[0] not in _ABOUT_SESSIONS]
    if is_open or len(sent) < 2 or any(each.is_one_of((*BEGINS, *ENDS)) for each in sent):
        return sent
    return [Sent(said.line, "BEGIN"), *sent, Sent(said.line, "COMMIT")]


def _with_values(sent: Sent, detail: str, name: str) -> Sent:
    """The statement with the values of its parameters. Raises `InputError` if they are not there."""
    found = _PARAMETERS.match(detail)
    values: dict[int, int | str | None] = {}
    for each in _PARAMETER.finditer(found["values"]) if found is not None else ():
        if each["cut"]:
            hint = "set log_parameter_max_length = -1"
            raise _problem(f"{name}, line {sent.line}: the values of parameters are cut", hint)
        values[int(each["number"])] = None if each["null"] else _value(each["value"].replace("''", "'"))
    if sorted(values) != list(range(1, len(values) + 1)) or (not values and "$1" in sent.statement):
        hint = "set log_parameter_max_length = -1, so that DETAIL has them"
        raise _problem(f"{name}, line {sent.line}: the values of parameters are missing", hint)
    return Sent(sent.line, sent.statement, tuple(values[n] for n in sorted(values)))


def _value(text: str) -> int | str:
    return int(text) if re.fullmatch(r"-?(0|[1-9]\d*)", text) else text


def _problem(message: str, hint: str) -> InputError:
    return InputError([Diagnostic(HEADER, message, None, hint)])


# --- formats ------------------------------------------------------------------------------------------------


def _said(text: str, name: str) -> Iterator[Said]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first.startswith("{"):
        yield from _from_json(text, name)
    elif _is_csv(first):
        yield from _from_csv(text, name)
    else:
        yield from _from_text(text)


def _from_json(text: str, name: str) -> Iterator[Said]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found = json.loads(line)
                session = found.get("session_id") or found.get("pid")
                keys = ("error_severity", "message", "detail", "statement")
                told = [str(found.get(key, "")) for key in keys]
            except (ValueError, AttributeError):
                raise _problem(
                    f"{name}, line {number}: this is not a line of jsonlog", "is it cut?"
                ) from None
            yield Said(number, None if session is None else str(session), *told)


def _from_csv(text: str, name: str) -> Iterator[Said]:
    rows = csv.reader(StringIO(text, newline=""))
    try:
        for row in rows:
            if row:
                cells = {key: row[at] for key, at in _CSV_COLUMNS.items()}
                session = cells["session"] or cells["pid"]
                told = (cells[key] for key in ("severity", "message", "detail", "statement"))
                yield Said(rows.line_num, session, *told)
    except (csv.Error, IndexError):
        raise _problem(f"{name}, line {rows.line_num}: this is not a line of csvlog", "is it cut?") from None


def _from_text(text: str) -> Iterator[Said]:
    """Lines that go on begin with a tab; those after the first one of a message say more about it."""
    open_: Said | None = None
    more = "message"
    for number, line in enumerate(text.splitlines(), 1):
        found = None if line.startswith("\t") else _LINE.match(line)
        kind = "" if found is None else found["severity"]
        if found is not None and kind not in _MORE:
            if open_ is not None:
                yield open_
            session = _SESSION.search(found["prefix"])
            known = None if session is None else session["session"] or session["pid"] or session["named"]
            open_, more = Said(number, known, kind, found["message"]), "message"
        elif open_ is not None:
            more = _MORE[kind] if found is not None else more
            told = found["message"] if found is not None else line.removeprefix("\t")
            open_ = _with_more(open_, more, told)
    if open_ is not None:
        yield open_


def _with_more(said: Said, what: str, told: str) -> Said:
    match what:
        case "message":
            return replace(said, message=f"{said.message}\n{told}")
        case "detail":
            return replace(said, detail=f"{said.detail}\n{told}".lstrip("\n"))
        case "statement":
            return replace(said, statement=f"{said.statement}\n{told}".lstrip("\n"))
        case _:
            return said
