"""Diagnostics as JSON, both ways; see `result.schema.json`."""

from typing import Any

from seriatim.source import Diagnostic, Severity, Span

Json = dict[str, Any]


def diagnostic_json(diagnostic: Diagnostic) -> Json:
    span = diagnostic.span
    file = {} if span is None or not span.file else {"file": span.file}
    return file | {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "line": None if span is None else span.line,
        "column": None if span is None else span.column,
        "end_line": None if span is None else span.end_line,
        "end_column": None if span is None else span.end_column,
        "hint": diagnostic.hint,
    }


def diagnostic_from(found: Json) -> Diagnostic:
    severity = Severity(found["severity"])
    return Diagnostic(found["code"], found["message"], _span(found), found["hint"], severity)


def _span(found: Json) -> Span | None:
    if found["line"] is None:
        return None
    places = (found["line"], found["column"], found["end_line"], found["end_column"])
    return Span(*places, found.get("file", ""))
