"""Spans of OpenTelemetry as entries of a log: what production records of each request.

A span is an entry if it has the attribute `ser.answer` or `ser.request`. The request is `ser.request`, or
else the name of the span; `ser.arguments` is an optional list. A span with `ser.request` alone was never
answered, as far as the log shows: it may have taken effect at any time after its start, or not at all. Other
spans, such as those of the database client below a request, are left out.

Spans come as OTLP in JSON (`resourceSpans`, as the collector's file exporter writes them, times in
nanoseconds), or one by one, as SDKs print them (`start_time`, `end_time`, as dates). An export without any
such attribute is refused: it says nothing about answers.
"""

from collections.abc import Iterator, Mapping
from typing import Any

REQUEST, ARGUMENTS, ANSWER = "ser.request", "ser.arguments", "ser.answer"

Json = Mapping[str, Any]

STARTS = ("startTimeUnixNano", "start_time", "startTime")
ENDS = ("endTimeUnixNano", "end_time", "endTime")


class BadSpan(ValueError):
    """Raised if an object is not what OpenTelemetry writes."""


def has_spans(found: Json) -> bool:
    """Whether an object is a span, or contains spans."""
    return "resourceSpans" in found or ("name" in found and any(each in found for each in STARTS))


def entries_in(found: Json) -> Iterator[dict[str, object]]:
    """The spans of an object that are entries, with the fields of an entry. Raises `BadSpan`."""
    for span in _spans(found):
        if not isinstance(span, dict):
            raise BadSpan("a span is not an object")
        attributes = _attributes(span.get("attributes") or {})
        if REQUEST not in attributes and ANSWER not in attributes:
            continue
        entry: dict[str, object] = {"request": attributes.get(REQUEST, span.get("name"))}
        if ARGUMENTS in attributes:
            entry["arguments"] = attributes[ARGUMENTS]
        entry["start"] = _first(span, STARTS)
        if ANSWER in attributes:
            entry |= {"answer": attributes[ANSWER], "end": _first(span, ENDS)}
        yield entry


def _spans(found: Json) -> Iterator[Json]:
    if "resourceSpans" not in found:
        yield found
        return
    try:
        for resource in found["resourceSpans"]:
            for scope in resource.get("scopeSpans", ()):
                yield from scope.get("spans", ())
    except (AttributeError, TypeError):
        raise BadSpan("`resourceSpans` is not what OTLP writes") from None


def _first(span: Json, names: tuple[str, ...]) -> object:
    value = next((span[name] for name in names if span.get(name) is not None), None)
    if value is None:
        raise BadSpan(f"a span has no `{names[0]}`")
    return value


def _attributes(found: object) -> dict[str, object]:
    """Attributes by name; OTLP has a list of them, with the type of each value."""
    if isinstance(found, dict):
        return found
    if not isinstance(found, list):
        raise BadSpan("`attributes` is neither a list nor an object")
    try:
        return {each["key"]: _value(each["value"]) for each in found}
    except (KeyError, TypeError, AttributeError):
        raise BadSpan("an attribute has no `key` and `value`") from None


def _value(typed: Json) -> object:
    match typed:
        case {"intValue": int() | str() as value}:
            try:
                return int(value)
            except ValueError:
                raise BadSpan(f"`intValue` is not an integer: {str(value)[:40]}") from None
        case {"arrayValue": value}:
            return [_value(each) for each in value.get("values", ())]
        case {"stringValue": value} | {"boolValue": value} | {"doubleValue": value}:
            return value
        case _:
            raise BadSpan(f"this value of an attribute is not known: {typed}")
