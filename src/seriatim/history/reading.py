"""Reads logs: JSON lines, CSV, spans of OpenTelemetry, and Jepsen's histories in EDN, or as it prints them
while it runs.

JSON lines have one object per line. It is an entry with `request` and `answer`, and optionally `arguments`,
`start`, `end`, `process`; or an event with `type` (invoke, ok, fail, info), `process`, `f` or `request`, and
`value`. CSV has the same names as columns. Events of Jepsen's nemesis are left out.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum

from seriatim.history.edn import BadEdn, read_forms
from seriatim.history.log import Entry, Invoked, Record, Returned, Time, request_text, text_of
from seriatim.history.spans import ANSWER, BadSpan, entries_in, has_spans
from seriatim.source import Diagnostic, InputError, Span

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_FRACTION = re.compile(r"([T ][0-9]{2}:?[0-9]{2}:?[0-9]{2})[.,]([0-9]+)")
"""The fraction of a second, with what comes before it."""


_PRINTED = re.compile(
    r"(?:^|\s)(?P<process>\d+|:nemesis)\s+:(?P<kind>invoke|ok|fail|info)\s+:(?P<operation>[\w-]+)\s+(?P<value>.*)"
)


NEMESIS = frozenset(
    (
        "start",
        "stop",
        "kill",
        "pause",
        "resume",
        "heal",
        "start-partition",
        "stop-partition",
        "start-kill",
        "start-pause",
        "reset-clock",
        "bump-clock",
        "strobe-clock",
        "check-clock-offsets",
    )
)
"""Actions of Jepsen's nemesis; events of the type `info` with these names are left out."""


class Format(StrEnum):
    JSON_LINES = "jsonl"
    CSV = "csv"
    EDN = "edn"
    JEPSEN_LOG = "jepsen-log"


def format_by_suffix(name: str) -> Format:
    """The format for the suffix of a file name; JSON lines by default."""
    suffix = name.rpartition(".")[2].lower()
    return Format(suffix) if suffix in set(Format) else Format.JSON_LINES


def problem_at(line: int, message: str, hint: str | None = None) -> InputError:
    return InputError([Diagnostic("SER571", message, Span(line, 1, line, 1), hint)])


def read_records(lines: Iterable[str], form: Format) -> Iterator[Record]:
    """Reads records one by one, as lines come; raises `InputError`."""
    match form:
        case Format.JSON_LINES:
            yield from _json_lines(lines)
        case Format.CSV:
            yield from _csv(lines)
        case Format.EDN:
            yield from _edn(lines)
        case Format.JEPSEN_LOG:
            yield from _jepsen_log(lines)


def _json_lines(lines: Iterable[str]) -> Iterator[Record]:
    spans = others = told = 0
    for number, found in read_objects(lines):
        is_span = has_spans(found)
        spans += is_span
        others += not is_span
        if is_span:
            try:
                for entry in entries_in(found):
                    told += 1
                    yield _entry(entry, number)
            except BadSpan as bad:
                raise problem_at(number, str(bad), "export them as OTLP in JSON") from None
        elif "request" in found and "type" not in found:
            yield _entry(found, number)
        else:
            yield from _event(found, number)
    if spans and not others and not told:
        raise problem_at(1, "no span says what was answered", f"give spans the attribute `{ANSWER}`")


_BETWEEN = " \t\r\n,[]"
"""What may stand between objects: brackets around them and commas between them do no harm."""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


_DECODER = json.JSONDecoder(parse_float=Decimal, object_pairs_hook=_object)


def read_objects(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects of JSON lines, or of arrays, each with its line. Raises `InputError`."""
    for number, line in enumerate(lines, 1):
        place = _skip(line, 0)
        while place < len(line):
            try:
                found, place = _DECODER.raw_decode(line, place)
                if "\\u" in line:
                    json.dumps(
                        found, ensure_ascii=False, default=str
                    ).encode()  # Halves of surrogate pairs are no text.
            except (ValueError, RecursionError) as error:
                hint = "write one object per line"
                raise problem_at(number, f"this line is not JSON: {error}", hint) from None
            if not isinstance(found, dict):
                hint = 'such as {"request": "read", "answer": 1}'
                raise problem_at(number, "this line is not a JSON object", hint)
            yield number, found
            place = _skip(line, place)


def _skip(line: str, place: int) -> int:
    while place < len(line) and line[place] in _BETWEEN:
        place += 1
    return place


def _csv(lines: Iterable[str]) -> Iterator[Record]:
    rows = csv.DictReader(lines)
    try:
        names = rows.fieldnames
        if names is None or "request" not in names:
            raise problem_at(1, "column `request` is missing", "the first line names the columns")
        if len(set(names)) < len(names):
            raise problem_at(1, "two columns have the same name")
        for row in rows:
            if None in row:
                hint = "put quotes around values that contain commas"
                raise problem_at(
                    rows.line_num, "this line has more values than the first line has names", hint
                )
            given = {key: value for key, value in row.items() if value not in (None, "")}
            yield _entry(given, rows.line_num)
    except csv.Error as error:
        raise problem_at(rows.line_num, f"this is not CSV: {error}") from None


def _edn(lines: Iterable[str]) -> Iterator[Record]:
    try:
        for form, line in read_forms(lines):
            if not isinstance(form, dict):
                raise problem_at(
                    line, "this is not an operation", "a history is a list of maps with :type and :f"
                )
            yield from _event(form, line)
    except BadEdn as bad:
        raise problem_at(bad.line, f"this is not EDN: {bad}") from None


def _jepsen_log(lines: Iterable[str]) -> Iterator[Record]:
    """The lines about operations in what Jepsen printed while it ran: process, type, operation and value."""
    for number, line in enumerate(lines, 1):
        found = _PRINTED.search(line)
        if found is None or found["process"] == ":nemesis":
            continue
        process, kind, operation = found["process"], found["kind"], found["operation"]
        if found["value"].strip() == ":timed-out":
            yield Returned(number, process, None, happened=False if operation == "read" else None)
            continue
        try:
            (value,) = (form for form, _ in read_forms([f"{{:value {found['value']}}}"]))
        except BadEdn as bad:
            raise problem_at(number, f"the value is not EDN: {bad}") from None
        event = {"type": kind, "process": process, "f": operation, **value} if isinstance(value, dict) else {}
        if operation == "cas" and kind == "fail":  # It compared, and found another value.
            event |= {"type": "ok", "value": False}
        yield from _event(event, number)


def _entry(found: Mapping[str, object], line: int) -> Entry:
    request = found.get("request")
    if not isinstance(request, str) or not request:
        raise problem_at(line, "`request` is not text", 'such as "write(3)"')
    arguments = found.get("arguments", ())
    if not isinstance(arguments, list | tuple):
        raise problem_at(line, "`arguments` is not a list")
    start, end = (_time(found.get(name), name, line) for name in ("start", "end"))
    answer = text_of(found["answer"]) if "answer" in found else None
    if end is not None and (start is None or end < start):
        raise problem_at(line, "`end` comes before `start`", "times are numbers, or dates as in ISO 8601")
    if answer is not None and start is not None and end is None:
        raise problem_at(line, "this was answered, but has no `end`")
    if answer is None and end is not None:
        raise problem_at(
            line, "this has an `end`, but no `answer`", "leave `end` out if the answer is not known"
        )
    process = "" if found.get("process") is None else text_of(found["process"])
    return Entry(line, _request(request, arguments, line), answer, start, end, process)


def _request(name: str, arguments: Sequence[object], line: int) -> str:
    """The text of a request, in which commas separate arguments."""
    if any("," in text_of(each) for each in arguments):
        hint = "write another name for this value, here and in answers"
        raise problem_at(line, "an argument has a comma", hint)
    return request_text(name, arguments)


def _time(value: object, name: str, line: int) -> Time | None:
    match value:
        case None:
            return None
        case bool():
            pass
        case int() | Decimal():
            return value
        case str() if _NUMBER.fullmatch(value):
            return Decimal(value) if "." in value else int(value)
        case str():
            try:
                return _seconds(value)
            except (ValueError, OverflowError):
                pass
    raise problem_at(line, f"`{name}` is not a time", "times are numbers, or dates as in ISO 8601")


def _seconds(date: str) -> Time:
    """A date as seconds, with all digits of its fraction; without a time zone, it is in UTC."""
    fraction = _FRACTION.search(date)
    whole = datetime.fromisoformat(date if fraction is None else _FRACTION.sub(r"\1", date))
    seconds = int((whole if whole.tzinfo else whole.replace(tzinfo=UTC)).timestamp())
    return seconds if fraction is None else seconds + Decimal(f"0.{fraction[2]}")


def _event(found: Mapping[str, object], line: int) -> Iterator[Record]:
    """Reads an event; leaves out those of Jepsen's nemesis."""
    kind, process = found.get("type"), found.get("process")
    if kind not in ("invoke", "ok", "fail", "info"):
        hint = "give `request` and `answer`, or `type`, `process` and `f`"
        raise problem_at(line, "this is neither an entry nor an event", hint)
    if process in ("nemesis", -1) or (kind == "info" and found.get("f") in NEMESIS):
        return
    if process is None:
        raise problem_at(line, "this event has no `process`")
    name = text_of(process)
    if kind != "invoke":
        answer = text_of(found.get("value", found.get("answer")))
        happened = {"ok": True, "fail": False, "info": None}[str(kind)]
        yield Returned(line, name, answer, happened)
        return
    operation = found.get("f", found.get("request"))
    if not isinstance(operation, str):
        raise problem_at(line, "this event has no `f`")
    value = found.get("value")
    if "key" in found:
        value = [found["key"]] if value is None else [found["key"], value]
    arguments = value if isinstance(value, list) else [] if value is None else [value]
    match arguments:
        case [key, [first, second]] if operation == "cas":  # Jepsen's independent keys: [key [old new]].
            arguments = [key, first, second]
    if isinstance(value, dict):
        transfer = ("from", "to", "amount")
        arguments = [value[key] for key in (transfer if {*transfer} <= {*value} else value)]
    key = None
    match value:
        case [first, None] if operation != "cas":
            key = text_of(first)
    request = _transaction(value) or _request(operation, arguments, line)
    yield Invoked(line, name, request, text_of(value), key)


def _transaction(value: object) -> str | None:
    """The request of several registers at once, `[[:read k nil] [:write k v]]`, as text without commas."""
    if not isinstance(value, list) or not value:
        return None
    words: list[str] = []
    for each in value:
        match each:
            case ["read" | "r", key, _]:
                words.append(f"read {text_of(key)}")
            case ["write" | "w", key, written] if written is not None:
                words.append(f"write {text_of(key)} {text_of(written)}")
            case _:
                return None
    return None if any(set(word) & set(",;()") for word in words) else f"txn({';'.join(words)})"
