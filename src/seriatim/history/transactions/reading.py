"""Reads logs of transactions: histories of Jepsen in EDN, and JSON lines with the same fields.

An event has `type` (invoke, ok, fail, info), `process`, and `value`: a list of operations `[:append k v]`,
`[:w k v]` and `[:r k v]`. Events of other operations, such as those of Jepsen's nemesis, are left out.

Most lines of EDN become JSON by a few replacements, which is many times faster than reading them form by
form. This is done only for lines without texts, fractions, truth values and comments.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from hashlib import sha256
from itertools import chain

from seriatim.budget import Deadline
from seriatim.checking.history.transactions import Operation, Scalar, Status, Transaction, TransactionLog
from seriatim.history.edn import BadEdn, read_typed_forms
from seriatim.history.log import DigestedLines, text_of
from seriatim.history.reading import Format, problem_at, read_objects
from seriatim.source import Diagnostic, InputError

CHECK_EVERY = 4_096

_START = re.compile(r"\s*(?:#jepsen[\w.]*\s*)?\{")
_PLAIN = r"[^\[\](){}\"#;\\]"
"""A character that begins no text, comment, tag or further form."""
_VECTOR = rf"\[{_PLAIN}*(?:\[{_PLAIN}*(?:\[{_PLAIN}*\]{_PLAIN}*)*\]{_PLAIN}*)*\]"
_FIELD = re.compile(rf"[\s,]*:([\w.-]+)\s+({_VECTOR}|[^\s,\[\](){{}}\"#;\\]+)(?![^\s,}}])")
"""A name and its value: an atom, or a list that is not nested deeper than operations that read lists."""
_END = re.compile(r"[\s,]*\}\s*")
_INTEGER = re.compile(r"-?[0-9]+")
_KEYWORD = re.compile(r":[A-Za-z][\w.*+!?<>=/-]*")
_NIL = re.compile(r"(?<![^\s,\[])nil(?![^\s,\]])")
_OTHER = re.compile(r"[.\\]|true|false|[0-9][A-Za-z]")

Event = tuple[int, str, str | None, object]
"""(line, type, process, value)."""


def read_transactions(
    lines: Iterable[str], form: Format, deadline: Deadline, any_initial: bool = False
) -> TransactionLog:
    """The transactions of a log; with `any_initial`, a value that nobody wrote may be the initial one. Raises
    `InputError`, `OutOfBudget`."""
    running: dict[str | None, tuple[int, int, object]] = {}
    found: list[Transaction] = []
    is_timed = False
    text = DigestedLines(lines)
    for position, (line, kind, process, value) in enumerate(_events(text, form)):
        if position % CHECK_EVERY == 0:
            deadline.check()
        if kind == "invoke":
            if process in running:
                who = "an event without `process`" if process is None else f"process {process}"
                raise problem_at(line, f"{who} begins again before its transaction has ended")
            is_timed = True
            running[process] = line, position, value
            continue
        begun = running.pop(process, None)
        if begun is None and is_timed:
            who = "an event without `process`" if process is None else f"process {process}"
            raise problem_at(line, f"{who} ends a transaction that never began")
        what = value if kind == "ok" or begun is None or isinstance(value, list) else begun[2]
        start = None if begun is None else begun[1]
        end = position if kind == "ok" else None
        found.append(Transaction(line, process, start, end, _status(kind), _operations(what, line, kind)))
    for process, (line, position, value) in running.items():
        found.append(Transaction(line, process, position, None, "info", _operations(value, line, "info")))
    if not found:
        raise problem_at(1, "the log has no transactions", "is it the right file, and in the right --format?")
    log = _log(found, is_timed, text.digest)
    return _with_initial_values(log) if any_initial else log


def _status(kind: str) -> Status:
    return "ok" if kind == "ok" else "fail" if kind == "fail" else "info"


def _log(transactions: list[Transaction], is_timed: bool, digest: str) -> TransactionLog:
    """Raises `InputError` if the transactions both append to lists and overwrite registers."""
    has_lists, has_registers = False, False
    for each in transactions:
        for kind, _, value in each.operations:
            has_lists |= kind == "append" or isinstance(value, tuple)
            has_registers |= kind == "w" or (kind == "r" and isinstance(value, int | str))
        if has_lists and has_registers:
            raise problem_at(each.line, "some operations are about lists, others about registers")
    if has_lists:
        transactions = [_with_lists(each) for each in transactions]
    return TransactionLog(tuple(transactions), has_lists, is_timed, digest)


def _with_lists(transaction: Transaction) -> Transaction:
    """Jepsen writes nil where it read an empty list."""
    if transaction.status != "ok" or all(value is not None for _, _, value in transaction.operations):
        return transaction
    operations = tuple((f, k, () if f == "r" and v is None else v) for f, k, v in transaction.operations)
    return Transaction(
        transaction.line,
        transaction.process,
        transaction.start,
        transaction.end,
        transaction.status,
        operations,
    )


def _with_initial_values(log: TransactionLog) -> TransactionLog:
    """The log with nil in place of the initial value of each register: of the value that was read there but
    written by nobody, if there is one, and nil was not read. Of two such values, one is not initial."""
    if log.has_lists:
        message = "the lists of a log begin empty"
        raise InputError([Diagnostic("SER572", message, hint="--initial any is for registers")])
    written = {(key, value) for each in log.transactions for f, key, value in each.operations if f == "w"}
    foreign: dict[Scalar, set[object]] = {}
    for each in log.transactions:
        if each.status == "ok":
            for f, key, value in each.operations:
                if f == "r" and (key, value) not in written:
                    foreign.setdefault(key, set()).add(value)
    initial = {(key, value) for key, values in foreign.items() if len(values) == 1 for value in values}
    transactions = tuple(
        replace(
            each,
            operations=tuple(
                (f, key, None if f == "r" and (key, value) in initial else value)
                for f, key, value in each.operations
            ),
        )
        for each in log.transactions
    )
    digest = sha256(f"{log.digest} with any initial values".encode()).hexdigest()
    return replace(log, transactions=transactions, digest=digest)


# --- operations ---------------------------------------------------------------------------------------------


def _operations(value: object, line: int, kind: str) -> tuple[Operation, ...]:
    if isinstance(value, str) and value.startswith("[") and kind != "ok":
        value = _value_of(value)
    if value in (None, "nil") and kind != "ok":
        return ()
    if not isinstance(value, list):
        hint = (
            "such as [[:append :x 1] [:r :y nil]]; for single requests name a model: ser history register LOG"
        )
        raise problem_at(line, "`value` is not a list of operations", hint)
    found: list[Operation] = []
    for each in value:
        match each:
            case ["append" | ":append" | "w" | ":w" as name, key, written]:
                if written is None or isinstance(written, list | dict):
                    raise problem_at(
                        line, "what is written is not a value", "write numbers, texts or keywords"
                    )
                found.append((name.removeprefix(":"), _scalar(key), _scalar(written)))
            case ["r" | ":r", key, [*elements]]:
                found.append(("r", _scalar(key), tuple(_scalar(element) for element in elements)))
            case ["r" | ":r", key, shown]:
                found.append(("r", _scalar(key), None if shown is None else _scalar(shown)))
            case _:
                shown_text = json.dumps(each, default=str)
                raise problem_at(line, f"this is not an operation: {shown_text}", "known are append, w and r")
    return tuple(found)


def _scalar(value: object) -> Scalar:
    """A value as it is told apart from others; texts of EDN and JSON come with their quotes."""
    if type(value) is int or isinstance(value, str):
        return value
    return text_of(value) if isinstance(value, Decimal) else json.dumps(value, sort_keys=True, default=str)


# --- events -------------------------------------------------------------------------------------------------


def _events(lines: Iterable[str], form: Format) -> Iterator[Event]:
    match form:
        case Format.EDN:
            yield from _edn_events(lines)
        case Format.JSON_LINES:
            yield from _json_events(lines)
        case _:
            raise problem_at(1, f"transactions are not read from {form.value}", "use edn or jsonl")


def _edn_events(lines: Iterable[str]) -> Iterator[Event]:
    """Events line by line while each line is a map of its own; the rest is read form by form."""
    number = 0
    iterator = iter(lines)
    for line in iterator:
        if not line.strip():
            number += 1
            continue
        event = _quick_event(line, number + 1)
        if event is None:
            yield from _slow_events(chain([line], iterator), number)
            return
        number += 1
        if event[1]:
            yield event


def _slow_events(lines: Iterable[str], before: int) -> Iterator[Event]:
    try:
        for found, line in read_typed_forms(lines):
            if not isinstance(found, dict):
                raise problem_at(before + line, "this is not an event", "events are maps")
            plain = {key.removeprefix(":"): value for key, value in found.items()}
            yield from _event(plain, before + line)
    except BadEdn as bad:
        raise problem_at(before + bad.line, f"this is not EDN: {bad}") from None


def _quick_event(line: str, number: int) -> Event | None:
    """An event on a line of its own, its type empty if it is to be left out; None if the line needs a full
    reader."""
    fields = _quick_fields(line)
    if fields is None:
        return None
    kind, process, text = fields.get("type"), fields.get("process"), fields.get("value")
    if process == ":nemesis":
        return number, "", None, None
    if kind not in (":invoke", ":ok", ":fail", ":info") or text is None:
        return None
    if (process is not None and not _INTEGER.fullmatch(process)) or (text != "nil" and text[0] != "["):
        return None
    has_others = _OTHER.search(text) is not None
    if kind == ":invoke" and not has_others:
        return number, "invoke", process, text
    try:
        return None if has_others else (number, kind[1:], process, _quick_value(text))
    except ValueError:
        return None


def _quick_fields(line: str) -> dict[str, str] | None:
    """The fields of a map on a line of its own; None if the line needs a full reader."""
    start = _START.match(line)
    if start is None:
        return None
    found: dict[str, str] = {}
    place, count = start.end(), 0
    while field := _FIELD.match(line, place):
        found[field[1]] = field[2]
        place, count = field.end(), count + 1
    return found if count == len(found) and _END.fullmatch(line, place) else None


def _value_of(text: str) -> object:
    """The value of an event of EDN that was put off until it is needed."""
    try:
        return _quick_value(text)
    except ValueError:
        ((found, _),) = read_typed_forms([f"{{:value {text}}}"])
        return found[":value"] if isinstance(found, dict) else None


def _quick_value(text: str) -> object:
    """The value of EDN without texts, by way of JSON."""
    plain = _NIL.sub("null", text) if "nil" in text else text
    words = " ".join(_KEYWORD.sub(r'"\g<0>"', plain).replace(",", " ").split())
    return json.loads(words.replace("[ ", "[").replace(" ]", "]").replace(" ", ","))


def _json_events(lines: Iterable[str]) -> Iterator[Event]:
    """Events of JSON lines, or of arrays."""
    for number, found in read_objects(lines):
        value = found.get("value")
        if isinstance(value, list):
            found["value"] = [_quoted(each) for each in value]
        yield from _event(found, number)


def _quoted(operation: object) -> object:
    """An operation of JSON whose texts are as EDN has them, except for its name."""
    if not isinstance(operation, list) or not operation:
        return operation
    name, *values = operation
    return [name, *(_quote(each) for each in values)]


def _quote(value: object) -> object:
    if isinstance(value, list):
        return [_quote(each) for each in value]
    return json.dumps(value) if isinstance(value, str) else value


def _event(found: Mapping[str, object], line: int) -> Iterator[Event]:
    kind = str(found.get("type", "ok")).removeprefix(":")
    if kind not in ("invoke", "ok", "fail", "info"):
        raise problem_at(line, "this is not an event", "its type is invoke, ok, fail or info")
    process, operation = found.get("process"), str(found.get("f", "txn")).strip(':"')
    value = found.get("value")
    is_nemesis = isinstance(process, str) and process.strip(':"') == "nemesis"
    if is_nemesis or (operation not in ("txn", "read", "write") and not isinstance(value, list)):
        return
    yield line, kind, None if process is None else str(process), value
