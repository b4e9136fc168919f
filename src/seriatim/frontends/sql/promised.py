"""What SQLite and InnoDB promise: transactions that run as if one at a time, whatever they compute.

Claim: if `accept` accepts a script, then on SQLite, and on InnoDB at SERIALIZABLE, every run of its requests
has the answers and final rows of some order of the same requests one at a time.

Why. Each request is one transaction, and everything in it reads and writes tables of the script alone: no
clock, no chance, no setting, no lock by name. So what it answers depends on the rows that it sees. SQLite has
one writer at a time; a transaction sees a snapshot, and may write only if nothing was committed since, or has
to start over. So it takes effect at its commit, or at its snapshot if it writes nothing. InnoDB at
SERIALIZABLE locks all that a transaction reads, gaps included, up to its end, which orders transactions by
their ends; a single SELECT sees what is committed when it starts. In both, a transaction that fails or rolls
back has seen the state of one moment.

Not covered: what reads past locks or does not wait (SKIP LOCKED, NOWAIT), errors that are passed over
(IGNORE), savepoints of InnoDB, whose rollback gives up locks on keys that were looked for, and its numbers
(AUTO_INCREMENT), which are not part of a transaction.

The promise itself is not proved, so the verdict says that it rests on it, and pairs of requests run on the
database before it is printed.
"""

import re
from collections.abc import Iterator

from seriatim.budget import Deadline
from seriatim.frontends.protocol import (
    COMPARED,
    Approximation,
    ApproximationKind,
    Comparison,
    Settings,
    Translation,
    provenance,
)
from seriatim.frontends.sql.autocommit import warn_of_single_statements
from seriatim.frontends.sql.choosing import complete
from seriatim.frontends.sql.engines import MARIADB, SQLITE, kind_of, level_of, place_named, read_source
from seriatim.frontends.sql.exploring import STAGES, explore
from seriatim.frontends.sql.live.footprints import KNOWN_CALLS, SERIALIZABLE, Footprints
from seriatim.frontends.sql.live.places import Impossible
from seriatim.frontends.sql.live.server import NoServer
from seriatim.frontends.sql.live.text import Assign, Call, Statement, Test, Text, Unreadable
from seriatim.frontends.sql.live.wire import ConnectionLost, Failed
from seriatim.frontends.sql.refusal import SYNTAX, UNSUPPORTED, no_transactions
from seriatim.frontends.sql.seen import refuse_mistakes
from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.source import Diagnostic, InputError, SourceText, Span

NAMES = {SQLITE: "SQLite", MARIADB: "InnoDB"}

_WORD = re.compile(r"\w+")

PURE = KNOWN_CALLS | frozenset(
    _WORD.findall("""
    cast concat char_length dense_rank exists first_value group_concat iif instr json json_array
    json_array_length json_extract json_insert json_object json_remove json_replace json_set json_unquote
    json_value lag last_value lead left length ltrim mod over partition printf rank replace right row_number
    rtrim sign substr substring total trim typeof unicode within char varchar decimal numeric
    """)
)
"""Words before a parenthesis that are no functions, or functions of values alone."""

_STRING = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.S)
_CALLED = re.compile(r"(\w+)\s*\(")
_QUOTED_CALL = re.compile(r"[\"`\]]\s*\(")
_DATA = re.compile(r"\s*(select|insert|replace|update|delete|with|values)\b", re.I)
_SETUP = re.compile(r"\s*(create\s+table|create\s+(unique\s+)?index|insert|replace)\b", re.I)
_BEGIN = {
    SQLITE: re.compile(
        r"\s*(begin(\s+(deferred|immediate|exclusive))?(\s+transaction)?|start\s+transaction)"
        r"(\s+isolation\s+level\s+[a-z ]+)?\s*",
        re.I,
    ),
    MARIADB: re.compile(
        r"\s*(begin(\s+work)?|start\s+transaction)(?P<level>\s+isolation\s+level\s+serializable)?\s*", re.I
    ),
}
_END = re.compile(r"\s*(commit|end|rollback)(\s+(work|transaction))?\s*", re.I)
_SAVEPOINT = re.compile(r"\s*(savepoint|release|rollback\s+(transaction\s+)?to)\b", re.I)
_NAMED = re.compile(r"\b(?:from|join|into|(?<!key\s)update)\s+[\"`]?(\w+)", re.I)
_QUERY_NAME = re.compile(
    r"[\"`]?(\w+)[\"`]?\s*(?:\([\w\s,]*\))?\s+as\s+(?:(?:not\s+)?materialized\s+)?\(", re.I
)
_OUTSIDE = re.compile(
    r"\b(now|sysdate|clock_timestamp|current_timestamp|current_date|current_time|localtime\w*|utc_\w+"
    r"|information_schema|performance_schema|mysql|sys|sqlite_\w+|pragma_\w+)\b|@",
    re.I,
)
"""Clocks, variables of sessions, and tables of the database itself."""
_PASSES = re.compile(
    r"\b(skip|nowait|wait|ignore|auto_increment|last_insert_id|row_count|found_rows)\b", re.I
)
"""Words of MariaDB that the promise does not cover."""
_TABLES = re.compile(
    r"\b(temp|temporary|virtual|fulltext|spatial|sequence|system\s+versioning)\b|\bengine\s*=?\s*(?!innodb\b)\w"
    r"|\bdefault\s*\(?\s*\w+\s*\(",
    re.I,
)


class NotPromised(Exception):
    """Raised for a script about which the promise says nothing; gives the reason and the line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def accept(text: Text, kind: str, level: str) -> None:
    """Raises `NotPromised` if the promise does not cover a script."""
    footprints = Footprints(text, SERIALIZABLE)
    for each in text.setup:
        plain = _STRING.sub("''", each.text)
        if not _SETUP.match(plain) or _TABLES.search(plain) or footprints.opaque:
            raise NotPromised("only tables and indexes are covered", each.line)
        _accept_words(plain, each.line, kind)
    for call in text.calls:
        _accept_call(call, kind, level, footprints.tables)


def _accept_call(call: Call, kind: str, level: str, tables: set[str]) -> None:
    statements = list(call.statements)
    if not statements:
        raise NotPromised("the request sends nothing", call.line)
    first = next(each for each in call.code if not isinstance(each, Assign))
    begin = _BEGIN[kind].fullmatch(first.text) if isinstance(first, Statement) else None
    is_serializable = kind == SQLITE or level == SERIALIZABLE
    if begin is not None:
        is_serializable = is_serializable or bool(begin.group("level"))
        statements.pop(0)
        while statements and _END.fullmatch(statements[-1].text):
            statements.pop()
    elif len(statements) > 1:
        raise NotPromised("a request of several transactions is not covered", statements[1].line)
    if not is_serializable:
        raise NotPromised(f"only SERIALIZABLE is covered, not {level.upper()}", call.line)
    for each in statements:
        if _SAVEPOINT.match(each.text) and kind == SQLITE and begin is not None:
            continue
        if not _DATA.match(each.text):
            word = each.text.split()[0].upper()
            raise NotPromised(f"{word} in the middle of a request is not covered", each.line)
        _accept_query(_STRING.sub("''", each.text), each.line, kind, tables)
    for other in call.code:
        if isinstance(other, Assign | Test):
            _accept_query(_STRING.sub("''", other.text), other.line, kind, tables)


def _accept_query(text: str, line: int, kind: str, tables: set[str]) -> None:
    _accept_words(text, line, kind)
    known = tables | {name.lower() for name in _QUERY_NAME.findall(text)}
    for name in _NAMED.findall(text):
        if name.lower() not in known | {"set", "select"}:
            raise NotPromised(f"`{name}` is no table of this file", line)
    if _QUOTED_CALL.search(text):
        raise NotPromised("a quoted name before a parenthesis is not covered", line)
    for name in _CALLED.findall(text):
        if name.lower() not in PURE | known:
            raise NotPromised(f"`{name}()` is not covered", line)


def _accept_words(text: str, line: int, kind: str) -> None:
    found = _OUTSIDE.search(text) or (_PASSES.search(text) if kind == MARIADB else None)
    if found is not None:
        raise NotPromised(f"`{found.group()}` is not covered", line)


def translate_promised(source: SourceText, settings: Settings) -> Translation:
    """The translation of a file that runs on SQLite or MariaDB: each request is one step. Raises `InputError`
    if the promise does not cover the file."""
    kind = kind_of(settings["engine"])
    try:
        text = read_source(source)
        accept(text, kind, level_of(settings).replace("-", " "))
    except Unreadable as wrong:
        raise InputError([_about(SYNTAX, wrong.message, wrong.line)]) from None
    except NotPromised as wrong:
        message = f"{NAMES[kind]}'s promise says nothing about this file (line {wrong.line}: {wrong.message})"
        raise InputError([Diagnostic(UNSUPPORTED, message, hint=HINT)]) from None
    titles = tuple(dict.fromkeys(call.title for call in text.calls))
    if not titles:
        raise InputError([no_transactions()])
    recorded = {
        name: value for name, value in settings.items() if name not in ("engine", "compare", COMPARED)
    }
    return Translation(
        _one_step_each(titles, source),
        approximations=tuple(_assumed(source, kind)),
        comparer=f"{settings.get('compare', 'quick')}:{settings['engine']}",
        provenance=provenance("sql", source, {**recorded, "engine": kind}),
        questions=("serializable",),
        scope_report=tuple((f"line {call.line}: {call.title}", "is one transaction") for call in text.calls),
    )


HINT = "make each request one transaction that reads and writes tables of the file alone"


def _about(code: str, message: str, line: int) -> Diagnostic:
    return Diagnostic(code, message, Span(line, 1, line, 1))


def _assumed(source: SourceText, kind: str) -> Iterator[Approximation]:
    sentences = (
        f"{NAMES[kind]} promises to run these transactions as if one at a time: not proved here",
        f"a transaction that {NAMES[kind]} aborts is started again",
    )
    for each in sentences:
        yield Approximation(ApproximationKind.ASSUMPTION, each)
    for chosen in complete(source)[1]:
        yield Approximation(ApproximationKind.CHOSEN, chosen.sentence)


def _one_step_each(titles: tuple[str, ...], source: SourceText) -> NetworkSystem:
    """The system in which each request is a single step."""
    numbers = range(len(titles))
    return NetworkSystem(
        globals=("the rows of all tables",),
        locals=tuple(LocalState(f"{title} {what}") for title in titles for what in ("arrives", "has run")),
        requests=titles,
        responses=("what it gives alone",),
        initial=0,
        req=tuple((n, 2 * n) for n in numbers),
        resp=tuple((2 * n + 1, 0) for n in numbers),
        delta=tuple((2 * n, 0, 2 * n + 1, 0) for n in numbers),
        warnings=warn_of_single_statements(source),
    )


def compare_promised(
    source: SourceText, engine: str, effort: str, level: str, deadline: Deadline
) -> Comparison:
    """Runs requests on the database, and looks for what none of their orders gives."""
    name = NAMES[kind_of(engine)]
    try:
        with place_named(engine, read_source(source), level) as place:
            refuse_mistakes(place)
            found = explore(place, deadline, STAGES[:1] if effort == "quick" else STAGES)
            if found.violation is not None and not found.doubt:
                return Comparison(place.engine, "", f"{found.explored}, against the promise")
            return Comparison(place.engine, f"Compared with {place.engine}: {found.explored}.")
    except InputError as wrong:
        return Comparison(name, "", wrong.diagnostics[0].message)
    except (Impossible, Unreadable) as wrong:
        return Comparison(name, "", f"in line {wrong.line}: {wrong.message}")
    except NoServer as missing:
        return Comparison(None, f"Not compared with a server: {missing.reason}. To fix this: {missing.hint}.")
    except (ConnectionLost, Failed) as lost:
        return Comparison(None, f"Not compared with a server: the connection was lost ({lost}).")
