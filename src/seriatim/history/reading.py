"""Logs from text: JSON lines, CSV, and histories of Jepsen in EDN.

JSON lines: an object a line, with `request` and `answer`, and optionally `arguments`, `start`, `end`,
`process`; or an event a line, with `type` (invoke, ok, fail, info), `process`, `f` or `request`, and `value`.
CSV has the same names as columns. Of Jepsen, what clients did counts; the nemesis is left out.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from seriatim.history.edn import BadEdn, read_forms
from seriatim.history.log import Entry, Invoked, Record, Returned, Time, request_text, text_of
from seriatim.source import Diagnostic, InputError, Span


class Format(StrEnum):
    JSON_LINES = "jsonl"
    CSV = "csv"
    EDN = "edn"


def format_named(name: str) -> Format:
    """The format by the suffix of a name; JSON lines by default."""
    suffix = name.rpartition(".")[2].lower()
    return Format(suffix) if suffix in set(Format) else Format.JSON_LINES


def wrong(line: int, message: str, hint: str | None = None) -> InputError:
    return InputError([Diagnostic("SER571", message, Span(line, 1, line, 1), hint)])


def read_records(lines: Iterable[str], form: Format) -> Iterator[Record]:
    """One by one, as lines come; raises `InputError`."""
    match form:
        case Format.JSON_LINES:
            yield from _json_lines(lines)
        case Format.CSV:
            yield from _csv(lines)
        case Format.EDN:
            yield from _edn("".join(lines))


def _json_lines(lines: Iterable[str]) -> Iterator[Record]:
    loads = json.loads
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found = loads(line)
        except (ValueError, RecursionError) as error:
            raise wrong(number, f"this line is not JSON: {error}", "write one object per line") from None
        if not isinstance(found, dict):
            raise wrong(number, "this line is not a JSON object", 'such as {"request": "read", "answer": 1}')
        if "request" in found and "type" not in found:
            yield _entry(found, number)
        else:
            yield from _event(found, number)


def _csv(lines: Iterable[str]) -> Iterator[Record]:
    rows = csv.DictReader(lines)
    try:
        if rows.fieldnames is None or "request" not in rows.fieldnames:
            raise wrong(1, "there is no column `request`", "the first line names the columns")
        for row in rows:
            given = {key: value for key, value in row.items() if key is not None and value not in (None, "")}
            yield _entry(given, rows.line_num)
    except csv.Error as error:
        raise wrong(rows.line_num, f"this is not CSV: {error}") from None


def _edn(text: str) -> Iterator[Record]:
    try:
        for form, line in read_forms(text):
            if not isinstance(form, dict):
                raise wrong(line, "this is not an operation", "a history is a list of maps with :type and :f")
            yield from _event(form, line)
    except BadEdn as bad:
        line = text.count("\n", 0, bad.place) + 1
        raise wrong(line, f"this is not EDN: {bad}") from None


def _entry(found: Mapping[str, object], line: int) -> Entry:
    request = found.get("request")
    if not isinstance(request, str) or not request:
        raise wrong(line, "`request` is not text", 'such as "write(3)"')
    arguments = found.get("arguments", ())
    if not isinstance(arguments, list | tuple):
        raise wrong(line, "`arguments` is not a list")
    start, end = (_time(found.get(name), name, line) for name in ("start", "end"))
    answer = text_of(found["answer"]) if "answer" in found else None
    if end is not None and (start is None or end < start):
        raise wrong(line, "`end` comes before `start`", "times are numbers, or dates as in ISO 8601")
    if answer is not None and start is not None and end is None:
        raise wrong(line, "this was answered, but has no `end`")
    if answer is None and end is not None:
        raise wrong(line, "this has an `end`, but no `answer`", "leave `end` out if the answer is not known")
    return Entry(line, _request(request, arguments, line), answer, start, end)


def _request(name: str, arguments: Sequence[object], line: int) -> str:
    """The text of a request, in which commas separate arguments."""
    if any("," in text_of(each) for each in arguments):
        raise wrong(line, "an argument has a comma", "write another name for this value, here and in answers")
    return request_text(name, arguments)


def _time(value: object, name: str, line: int) -> Time | None:
    match value:
        case None:
            return None
        case bool():
            pass
        case int() | float() if value == value and abs(value) != float("inf"):
            return value
        case str():
            try:
                return float(value) if _is_number(value) else datetime.fromisoformat(value).timestamp()
            except (ValueError, OverflowError):
                pass
    raise wrong(line, f"`{name}` is not a time", "times are numbers, or dates as in ISO 8601")


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).lstrip("-").isdecimal()


def _event(found: Mapping[str, object], line: int) -> Iterator[Record]:
    """An operation of Jepsen; other processes than clients, which have numbers, are left out."""
    kind, process = found.get("type"), found.get("process")
    if kind not in ("invoke", "ok", "fail", "info"):
        hint = "give `request` and `answer`, or `type`, `process` and `f`"
        raise wrong(line, "this is neither an entry nor an event", hint)
    if process == "nemesis":
        return
    if process is None:
        raise wrong(line, "this event has no `process`")
    name = text_of(process)
    if kind != "invoke":
        answer = text_of(found.get("value", found.get("answer")))
        happened = {"ok": True, "fail": False, "info": None}[str(kind)]
        yield Returned(line, name, answer, happened)
        return
    operation = found.get("f", found.get("request"))
    if not isinstance(operation, str):
        raise wrong(line, "this event has no `f`")
    value = found.get("value")
    arguments = value if isinstance(value, list) else [] if value is None else [value]
    if isinstance(value, dict):
        transfer = ("from", "to", "amount")
        arguments = [value[key] for key in (transfer if {*transfer} <= {*value} else value)]
    yield Invoked(line, name, _request(operation, arguments, line))
