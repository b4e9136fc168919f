"""What an editor shows about a text: diagnostics, hints and lenses, from a result and from names."""

import json
from collections.abc import Iterator
from typing import Any, assert_never

from lsprotocol import types

from seriatim.explain.timeline import ShownRun, find_interrupted
from seriatim.explain.why import Fails
from seriatim.lsp.names import DocumentNames, NamedSymbol, Occurrence, Sort
from seriatim.report.result_from_json import result_from_json
from seriatim.report.text_look import TextLook
from seriatim.report.why_text import suspicion_texts, why_texts
from seriatim.result import Faulty, Holds, Lost, Recorded, Refused, Result, Undecided, Unusable, Violated
from seriatim.source import Diagnostic, Severity, Span

SOURCE = "seriatim"

SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}

SYMBOLS = {
    Sort.REQUEST: types.SymbolKind.Method,
    Sort.FUNCTION: types.SymbolKind.Function,
    Sort.CONSTANT: types.SymbolKind.Constant,
    Sort.VALUE: types.SymbolKind.EnumMember,
    Sort.SHARED: types.SymbolKind.Variable,
    Sort.LOCAL: types.SymbolKind.Variable,
}

UNBROKEN = TextLook(width=1_000_000)


class DocumentText:
    """A text with places as the protocol counts them: lines from 0, columns in UTF-16 units."""

    def __init__(self, uri: str, text: str) -> None:
        self.uri = uri
        self.text = text
        self.lines = text.split("\n")

    def _column(self, line: int, column: int) -> int:
        before = self.lines[line - 1][: column - 1] if line <= len(self.lines) else ""
        return len(before.encode("utf-16-le", "surrogatepass")) // 2

    def range(self, span: Span | None) -> types.Range:
        """The range of a span; the first line if there is no span."""
        if span is None:
            return self.line(1)
        start = types.Position(span.line - 1, self._column(span.line, span.column))
        return types.Range(
            start, types.Position(span.end_line - 1, self._column(span.end_line, span.end_column))
        )

    def line(self, number: int) -> types.Range:
        """The text of a line, without white space around it."""
        line = self.lines[number - 1] if 0 < number <= len(self.lines) else ""
        begins = len(line) - len(line.lstrip()) + 1
        return self.range(Span(number, begins, number, len(line.rstrip()) + 1))

    def whole(self) -> types.Range:
        last = len(self.lines)
        return self.range(Span(1, 1, last, len(self.lines[-1]) + 1))

    def place(self, position: types.Position) -> tuple[int, int]:
        """Line and column, as spans count them."""
        line = self.lines[position.line] if position.line < len(self.lines) else ""
        units = line.encode("utf-16-le", "surrogatepass")[: 2 * position.character]
        return position.line + 1, len(units.decode("utf-16-le", "ignore")) + 1


def diagnostics(text: DocumentText, found: dict[str, Any]) -> list[types.Diagnostic]:
    """The diagnostics of a verdict, at their places."""
    result = result_from_json(json.dumps(found["result"]))
    told = [_diagnostic(text, each) for each in result.warnings]
    return [*_verdict(text, result, found["headline"]), *told]


def read_diagnostics(text: DocumentText, read: dict[str, Any]) -> list[types.Diagnostic]:
    """Tells what reading alone shows, as a result about a text that is not decided."""
    answer = result_from_json(json.dumps(read)).answer
    return mistakes(text, answer.diagnostics) if isinstance(answer, Unusable) else []


def mistakes(text: DocumentText, found: tuple[Diagnostic, ...]) -> list[types.Diagnostic]:
    return [_diagnostic(text, each) for each in found]


def _diagnostic(text: DocumentText, found: Diagnostic) -> types.Diagnostic:
    hint = "" if found.hint is None else f"\n{found.hint}"
    return types.Diagnostic(
        text.range(found.span),
        f"{found.message}{hint}",
        severity=SEVERITIES[found.severity],
        code=found.code,
        source=SOURCE,
    )


def _verdict(text: DocumentText, result: Result, headline: str) -> Iterator[types.Diagnostic]:
    answer = result.answer
    match answer:
        case Violated(run=run, why=why):
            place, related = _places(text, run)
            place = text.range(why.diagnostic.span) if isinstance(why, Fails) else place
            texts = why_texts(why, result.property, UNBROKEN, "")
            arguments = "\n".join(each.strip() for each in texts)
            yield types.Diagnostic(
                place,
                f"{headline}\n{arguments}".strip(),
                severity=types.DiagnosticSeverity.Error,
                code=answer.certificate.verdict.replace("_", "-"),
                source=SOURCE,
                related_information=related,
            )
        case Faulty(diagnostic=diagnostic, run=run):
            _, related = _places(text, run)
            found = _diagnostic(text, diagnostic)
            found.related_information = related
            yield found
        case Undecided():
            yield _explain_undecided(text, result, answer)
        case Unusable(diagnostics=wrong):
            yield from mistakes(text, wrong)
        case Refused():
            yield types.Diagnostic(
                text.line(1), answer.complaint, severity=types.DiagnosticSeverity.Error, source=SOURCE
            )
        case Holds() | Lost() | Recorded():
            return
        case _:
            assert_never(answer)


def _explain_undecided(text: DocumentText, result: Result, answer: Undecided) -> types.Diagnostic:
    """Why there is no verdict. A possible violation is shown at the places of its run."""
    more = "" if answer.hint is None else f"\n{answer.hint}"
    message = f"undecided: {answer.reason}{more}"
    if answer.suspicion is None:
        place, related, severity = text.line(1), None, types.DiagnosticSeverity.Information
    else:
        place, related = _places(text, answer.suspicion.run)
        severity = types.DiagnosticSeverity.Warning
        argued = suspicion_texts(answer.suspicion, result.property, UNBROKEN, "")
        message = "\n".join([message, *(each.strip() for each in argued)]).strip()
    return types.Diagnostic(
        place, message, severity=severity, code="undecided", source=SOURCE, related_information=related
    )


def _places(
    text: DocumentText, run: ShownRun
) -> tuple[types.Range, list[types.DiagnosticRelatedInformation]]:
    """Where the run first switches to another request, and all of its steps in order."""
    related = []
    for turn in run.timeline.turns:
        for moment in turn.moments:
            if moment.line is None:
                continue
            changes = ", ".join(f"{each.name} = {each.show(each.new)}" for each in moment.changes)
            more = f": {changes}" if changes else ""
            message = f"{run.timeline.actor} {turn.request} ({turn.handler}){more}"
            place = types.Location(text.uri, text.line(moment.line))
            related.append(types.DiagnosticRelatedInformation(place, message))
    first = next((each.line for each in find_interrupted(run.timeline) if each.line is not None), 1)
    return text.line(first), related


def lens(text: DocumentText, found: dict[str, Any]) -> types.CodeLens:
    """The verdict, above the first line; it opens the report."""
    return types.CodeLens(
        text.line(1), types.Command(found["headline"], "seriatim.showReport", arguments=[text.uri])
    )


def commit_hints(text: DocumentText, found: dict[str, Any]) -> list[types.InlayHint]:
    """Hints at the ends of lines: where requests take effect."""
    hints = []
    for point in found["points"]:
        words = f"← {point['handler']} takes effect here"
        answers = ", ".join(point["answers"])
        place = text.line(point["line"]).end
        hints.append(types.InlayHint(place, words, padding_left=True, tooltip=f"then it answers {answers}"))
    return hints


def hover_text(names: DocumentNames, line: int, column: int, found: dict[str, Any] | None) -> str | None:
    """The text that the editor shows when hovering over a place."""
    pause = next((each for each in names.pauses if _is_at(each, line, column)), None)
    if pause is not None:
        return _pause_text(names)
    here = names.at(line, column)
    return None if here is None else _symbol_text(names, here.symbol, found)


def _is_at(span: Span, line: int, column: int) -> bool:
    return span.line == line and span.column <= column <= span.end_column


def _pause_text(names: DocumentNames) -> str:
    """Says what other requests may write during a pause, and where."""
    written: dict[str, set[int]] = {}
    for each in names.occurrences:
        if each.is_write and each.symbol.sort is Sort.SHARED and not each.is_definition:
            written.setdefault(each.symbol.name, set()).add(each.span.line)
    if not written:
        return "Other requests may run here. None of them writes a shared variable."
    changes = "\n".join(f"- `{name}` ({_lines(lines)})" for name, lines in sorted(written.items()))
    return f"Other requests may run here, any number of them. They may write:\n\n{changes}"


def _symbol_text(names: DocumentNames, symbol: NamedSymbol, found: dict[str, Any] | None) -> str:
    places = names.of(symbol)
    whose = f" of `{symbol.owner}`" if symbol.owner else ""
    parts = [f"**`{symbol.name}`**: {symbol.sort}{whose}"]
    if symbol.sort in (Sort.SHARED, Sort.LOCAL):
        parts += [
            f"{verb} in {_lines(lines)}"
            for verb, lines in (("written", _where(places, True)), ("read", _where(places, False)))
            if lines
        ]
    if symbol.sort is Sort.SHARED and found is not None:
        values = found["values"]
        if symbol.name in values:
            parts.append(f"its values in any run: {values[symbol.name]}")
        elements = {name: each for name, each in values.items() if name.startswith(f"{symbol.name}[")}
        parts += [f"`{name}`: {each}" for name, each in elements.items()]
    return "\n\n".join(parts)


def _where(places: tuple[Occurrence, ...], is_write: bool) -> set[int]:
    return {each.span.line for each in places if each.is_write is is_write}


def _lines(lines: set[int]) -> str:
    word = "line" if len(lines) == 1 else "lines"
    return f"{word} {', '.join(map(str, sorted(lines)))}"


def symbols(text: DocumentText, names: DocumentNames) -> list[types.DocumentSymbol]:
    """The outline: declarations, and handlers with their contents."""
    found = []
    for each in names.occurrences:
        if each.is_definition and each.symbol.sort not in (Sort.REQUEST, Sort.FUNCTION):
            place = text.range(each.span)
            found.append(types.DocumentSymbol(each.symbol.name, SYMBOLS[each.symbol.sort], place, place))
    for definition in names.definitions:
        own = names.definition(definition.symbol)
        place = text.range(definition.span)
        chosen = place if own is None else text.range(own.span)
        sort = SYMBOLS[definition.symbol.sort]
        found.append(types.DocumentSymbol(definition.symbol.name, sort, place, chosen))
    return found


def show_blame(text: DocumentText, sets: list[list[int]]) -> list[types.Diagnostic]:
    """Hints at the yields to blame: without them, the program would be serializable."""
    found = []
    for lines in sets:
        for line in lines:
            others = [str(each) for each in lines if each != line]
            also = f", together with that in line {' and '.join(others)}," if others else ""
            found.append(
                types.Diagnostic(
                    text.line(line),
                    f"this pause{also} is to blame: without it, the handlers are serializable",
                    severity=types.DiagnosticSeverity.Hint,
                    code="blame",
                    source=SOURCE,
                )
            )
    return found
