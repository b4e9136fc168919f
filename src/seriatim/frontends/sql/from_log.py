"""Transactions from a log: of SQLAlchemy's engine (`echo=True`), of Django's `django.db.backends`, or of a
PostgreSQL server (`postgres_log`).

A log shows statements and their values. Transactions with the same statements are one request. A value that
differs among them becomes a parameter, with the values that the log shows; two places with equal values in
all of them share one parameter. A log does not show what the application computes between statements: a value
that it computes from what it read is taken as an argument.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from seriatim.frontends.sql.pieces import Kind, Piece
from seriatim.frontends.sql.postgres_log import Sent, is_server_log, read_transactions
from seriatim.frontends.sql.refusal import HEADER
from seriatim.frontends.sql.requests import value_text
from seriatim.frontends.sql.terms import Moment, Value
from seriatim.source import Diagnostic, InputError, Span

_ALCHEMY = re.compile(r"^.*?\bsqlalchemy\.engine\.\S+\s(?P<text>.*)$")


_ALCHEMY_VALUES = re.compile(
    r"^\[(?:generated in|cached since|no key|raw sql|dialect|caching)[^\]]*\]\s*(?P<values>.*)$"
)


_DJANGO = re.compile(r"^.*?\(\d+\.\d+\)\s(?P<text>.*?);\s+args=(?P<values>.*?)(?:;\s+alias=\S+)?$")


_MARK = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|%\((?P<named>\w+)\)s|(?P<place>%s|\?)|\$(?P<number>\d+)(?:::\w+)?|%%"""
    r"""|(?<!:):(?P<colon>[A-Za-z_]\w*)"""
)


@dataclass(frozen=True, slots=True)
class Logged:
    """A statement of a log, split into its values and the text between them."""

    template: tuple[str, ...]
    """The text before, between and after the values."""
    values: tuple[Value, ...]
    line: int


@dataclass
class Group:
    """The transactions with the same statements."""

    first: list[Logged]
    values: list[tuple[Value, ...]] = field(default_factory=list)
    """The values in each of the transactions, in the order of the statements."""


def read_log(text: str, name: str = "--from-log") -> list[Piece]:
    """The transactions of a log, as pieces of a script; raises `InputError`."""
    groups: dict[tuple[tuple[str, ...], ...], Group] = {}
    is_of_server = is_server_log(text)
    found = _of_server(text, name) if is_of_server else _transactions(_statements(text, name), name)
    for transaction in found:
        key = tuple(each.template for each in transaction)
        group = groups.setdefault(key, Group(transaction))
        group.values.append(tuple(value for each in transaction for value in each.values))
    if not groups:
        hint = "log SQLAlchemy's engine with echo=True, django.db.backends at level DEBUG, or PostgreSQL with"
        hint += " log_statement = all"
        if is_of_server:
            hint = "set log_statement = all; transactions that were rolled back do not count"
        raise InputError([Diagnostic(HEADER, f"{name} has no transactions", None, hint)])
    pieces: list[Piece] = []
    names: set[str] = set()
    for group in groups.values():
        pieces += _pieces(group, name, names)
    return pieces


def _of_server(text: str, name: str) -> Iterator[list[Logged]]:
    for transaction in read_transactions(text, name):
        yield [_split_sent(sent, name) for sent in transaction]


def _split_sent(sent: Sent, name: str) -> Logged:
    """Splits a statement that a server has received at its values: those of its parameters, or else those in
    its text."""
    text = sent.statement.strip().rstrip(";")
    if sent.values:
        return _split_at_marks(text, sent.values, sent.line, name)
    between, values = _split_literals(text)
    return Logged(tuple(between), tuple(values), sent.line)


def _pieces(group: Group, name: str, names: set[str]) -> Iterator[Piece]:
    """The header and the statements of one request."""
    columns = list(zip(*group.values, strict=True))
    parameters: dict[tuple[Value, ...], str] = {}
    for column in columns:
        if len(set(map(repr, column))) > 1:
            parameters.setdefault(column, f"p{len(parameters) + 1}")
    listed = [
        f"{parameter} in {{{', '.join(value_text(each) for each in dict.fromkeys(column))}}}"
        for column, parameter in parameters.items()
    ]
    own = _unused_name(_title(group.first), names)
    header = f"transaction: {own}({', '.join(listed)})" if listed else f"transaction: {own}"
    yield Piece(Kind.COMMENT, header, _span(group.first[0].line, name))
    place = 0
    for each in group.first:
        text = each.template[0]
        for rest in each.template[1:]:
            column = columns[place]
            text += f":{parameters[column]}" if column in parameters else value_text(column[0])
            text += rest
            place += 1
        yield Piece(Kind.STATEMENT, text, _span(each.line, name))


def _title(statements: list[Logged]) -> str:
    """Names a transaction after its first statement that writes."""
    words = [re.findall(r"\w+", " ".join(each.template).lower()) for each in statements]
    writing = [each for each in words if each and each[0] in ("insert", "update", "delete")]
    chosen = next(iter(writing or words), ["transaction"])
    skipped = {"into", "from", "only"}
    return "_".join([each for each in chosen if each not in skipped][:2]) if writing else chosen[0]


def _unused_name(title: str, names: set[str]) -> str:
    found, number = title, 1
    while found in names or found in ("begin", "commit"):
        number += 1
        found = f"{title}_{number}"
    names.add(found)
    return found


def _span(line: int, name: str) -> Span:
    return Span(line, 1, line, 2, name)


def _transactions(statements: Iterator[Logged], name: str) -> Iterator[list[Logged]]:
    """Splits statements into transactions; a statement outside of BEGIN is a transaction of its own."""
    open_: list[Logged] | None = None
    for each in statements:
        word = each.template[0].split()[0].upper() if each.template[0].split() else ""
        if word == "BEGIN":
            if open_ is not None:
                hint = "write the log with one worker, so that transactions come one after the other"
                raise InputError(
                    [Diagnostic(HEADER, f"{name}, line {each.line}: two transactions overlap", None, hint)]
                )
            open_ = [Logged(("BEGIN",), (), each.line)]
        elif word in ("COMMIT", "ROLLBACK") and open_ is not None and len(each.template[0].split()) == 1:
            if len(open_) > 1:
                yield [*open_, each]
            open_ = None
        elif open_ is not None:
            open_.append(each)
        elif word not in ("COMMIT", "ROLLBACK"):
            yield [each]


def _statements(text: str, name: str) -> Iterator[Logged]:
    """The statements of a log with their values, in order; raises `InputError`."""
    pending: list[str] = []
    start = 0
    for number, line in enumerate(text.splitlines(), 1):
        django, alchemy = _DJANGO.match(line), _ALCHEMY.match(line)
        if django is not None:
            yield Logged(
                tuple(_split_literals(django["text"])[0]), tuple(_split_literals(django["text"])[1]), number
            )
            continue
        if alchemy is None:
            if pending and line.strip():
                pending.append(line.strip())  # A statement of several lines.
            continue
        body = alchemy["text"].strip()
        values = _ALCHEMY_VALUES.match(body)
        if values is not None and pending:
            yield _with_values(" ".join(pending), values["values"], start, name)
            pending = []
            continue
        if pending:
            yield Logged((" ".join(pending),), (), start)
        pending, start = [re.sub(r"\s*\(implicit\)$", "", body)], number
        if pending[0].upper() in ("BEGIN", "COMMIT", "ROLLBACK"):
            yield Logged((pending[0],), (), number)
            pending = []
    if pending:
        yield Logged((" ".join(pending),), (), start)


_LITERAL = re.compile(r"""(?P<text>'(?:[^']|'')*')|"(?:[^"]|"")*"|(?<![\w.$])(?P<number>-?\d+)(?![\w.])""")


def _split_literals(text: str) -> tuple[list[str], list[Value]]:
    """Splits a statement of Django's log, which contains its values, into values and the text between
    them."""
    between: list[str] = [""]
    values: list[Value] = []
    at = 0
    for found in _LITERAL.finditer(text):
        if found["text"] is None and found["number"] is None:
            continue
        between[-1] += text[at : found.start()]
        between.append("")
        at = found.end()
        literal = found["text"]
        values.append(int(found["number"]) if literal is None else literal[1:-1].replace("''", "'"))
    between[-1] += text[at:]
    return between, values


def _with_values(text: str, written: str, line: int, name: str) -> Logged:
    """Splits a statement at the placeholders for its values; raises `InputError`."""
    try:
        given = ast.literal_eval(written) if written.strip() else ()
    except (ValueError, SyntaxError):
        raise _unreadable(written, line, name) from None
    return _split_at_marks(text, given, line, name)


def _split_at_marks(text: str, given: Any, line: int, name: str) -> Logged:
    """Splits a statement at the placeholders for values, which are listed or named; raises `InputError`."""
    between: list[str] = [""]
    values: list[Value] = []
    at = count = 0
    for mark in _MARK.finditer(text):
        key: object = mark["named"] or mark["colon"]
        if mark["place"] is not None:
            key, count = count, count + 1
        elif mark["number"] is not None:
            key = int(mark["number"]) - 1
        if key is None or (mark["colon"] is not None and not isinstance(given, dict)):
            continue
        try:
            value = dict(given if isinstance(given, dict) else enumerate(given))[key]
        except (KeyError, IndexError, TypeError):
            raise _unreadable(repr(given), line, name) from None
        if not (value is None or isinstance(value, bool | int | str | Moment)):
            raise _unreadable(repr(value), line, name)
        between[-1] += text[at : mark.start()]
        between.append("")
        values.append(value)
        at = mark.end()
    between[-1] += text[at:]
    return Logged(tuple(between), tuple(values), line)


def _unreadable(what: str, line: int, name: str) -> InputError:
    shortened = what if len(what) < 60 else what[:59] + "…"
    hint = "values are numbers, texts, booleans and None; executemany is not supported"
    return InputError(
        [Diagnostic(HEADER, f"{name}, line {line}: cannot read the values {shortened}", None, hint)]
    )
