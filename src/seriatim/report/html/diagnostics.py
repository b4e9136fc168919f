"""Diagnostics as HTML: what is wrong, the line with the place marked, what to do."""

from collections.abc import Sequence

from seriatim.report.html.markup import Markup, element, together
from seriatim.report.html.prose import inline
from seriatim.source import Diagnostic, SourceText, Span


def diagnostics_html(diagnostics: Sequence[Diagnostic], source: SourceText) -> Markup:
    return together(*(_diagnostic(each, source) for each in diagnostics))


def _diagnostic(diagnostic: Diagnostic, source: SourceText) -> Markup:
    span = diagnostic.span
    name = span.file if span is not None and span.file else source.name
    where = name if span is None else f"{name}, line {span.line}, column {span.column}"
    kind = element("strong", f"{diagnostic.severity} {diagnostic.code}")
    parts = [
        element("p", kind, " ", element("span", where, class_="hint")),
        element("p", *inline(diagnostic.message)),
    ]
    if span is not None and name == source.name:
        parts.append(_excerpt(source.line(span.line), span))
    if diagnostic.hint is not None:
        parts.append(element("p", "Hint: ", *inline(diagnostic.hint)))
    return element("div", *parts, class_=f"diagnostic {diagnostic.severity}")


def _excerpt(line: str, span: Span) -> Markup:
    start = span.column - 1
    end = max(start + 1, span.end_column - 1 if span.end_line == span.line else len(line))
    marked = element("mark", line[start:end] or " ")
    return element("pre", element("code", line[:start], marked, line[end:]), tabindex=0)
