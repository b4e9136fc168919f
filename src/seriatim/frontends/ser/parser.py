"""Parses text to a program: declarations, then handlers; reports all independent mistakes."""

from dataclasses import replace

from seriatim.frontends.ser.desugar import desugar
from seriatim.frontends.ser.foreign import foreign
from seriatim.frontends.ser.layout import CLOSING, SAME_LINE, Cursor, StatementLost, describe, report_depth
from seriatim.frontends.ser.lexer import Kind, tokenize
from seriatim.frontends.ser.statements import Statements
from seriatim.frontends.ser.surface import (
    Declaration,
    Definition,
    Function,
    Request,
    Surface,
    SurfaceProgram,
    parts,
)
from seriatim.frontends.ser.warnings import warnings
from seriatim.frontends.ser.words import meant_word
from seriatim.frontends.ser.wrong_words import wrong_words
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import MAX_DEPTH, Program
from seriatim.source import Findings, InputError, quote

_HANDLER_HINT = "handlers are written `request name { … }`, or `request name:` with an indented block"


def parse(text: str, file: str = "") -> Program:
    """Parses the text of a file to a program; raises `InputError` with all mistakes."""
    try:
        return _parse(text, file)
    except InputError:
        other = foreign(text)
        if other is None:
            raise
        raise InputError([other]) from None


def _parse(text: str, file: str) -> Program:
    findings = Findings()
    surface = _read(text, findings, file)
    program = desugar(surface, findings)
    if not findings:
        with deep_recursion():
            for found in wrong_words(surface):
                findings.add(found)
    if findings:
        raise findings.error()
    return replace(program, warnings=warnings(surface))


def parse_surface(text: str) -> SurfaceProgram:
    """Parses text to a surface program; raises `InputError` if it does not follow the grammar."""
    findings = Findings()
    surface = _read(text, findings)
    if findings:
        raise findings.error()
    return surface


def _read(text: str, findings: Findings, file: str = "") -> SurfaceProgram:
    parser = _Definitions(Cursor(tokenize(text, findings, file), findings))
    with deep_recursion():
        surface = parser.read_program()
    for definition in surface.definitions:
        _check_depth(definition.body, findings)
    return surface


def _check_depth(body: Surface, findings: Findings) -> None:
    """Refuses chains of operators and of `elif`, which nest in the tree though not in the text."""
    pending = [(body, 1)]
    while pending:
        expression, depth = pending.pop()
        if depth > MAX_DEPTH:
            report_depth(expression.span, findings)
            return
        pending.extend((child, depth + 1) for child in parts(expression))


class _Definitions:
    """Reads a program from a cursor."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.findings = cursor.findings
        self.statements = Statements(cursor)
        self.declarations = self.statements.declarations

    def read_program(self) -> SurfaceProgram:
        declarations = self._declarations()
        definitions: list[Definition] = []
        while self.cursor.ahead.kind is not Kind.END:
            found = len(self.findings)
            definition = self._definition()
            if definition is not None:
                definitions.append(definition)
            # What follows a faulty handler may well be its rest: unless it was closed, say nothing more.
            is_complete = len(self.findings) == found or self.cursor.previous.text == "}"
            if is_complete and not self.cursor.at_handler_end():
                self._tell_stray_text()
            self.cursor.skip_to_request()
        return SurfaceProgram(tuple(declarations), tuple(definitions))

    def _declarations(self) -> list[Declaration]:
        found: list[Declaration] = []
        while not self.cursor.at_handler_end():
            self.cursor.begin_line()
            if self.cursor.take(",") or self.cursor.take(";"):
                continue
            if not self.declarations.at_declaration:
                self._tell_stray_text()
                self.cursor.skip_to_request()
                break
            try:
                declaration = self.declarations.read_declaration()
                if declaration is not None:
                    found.append(declaration)
            except StatementLost:
                self.cursor.skip(",")
        return found

    def _tell_stray_text(self) -> None:
        self.cursor.begin_line()
        token = self.cursor.current
        if token.kind is Kind.WRONG:
            return
        if token.text in CLOSING.values():
            self.cursor.tell_stray_bracket(token)
        elif self.declarations.at_declaration:
            self.findings.report(
                "SER022",
                "only initial values before the first request can be outside a handler",
                token.span,
                "move it before the first `request`, or into a handler (indented, or between `{` and `}`)",
            )
        else:
            meant = meant_word(token.text, ("request", "fun", "const", "enum"))
            self.findings.report(
                "SER019",
                f"expected `request`, found {describe(token)}",
                token.span,
                _HANDLER_HINT if meant is None else f"did you mean {quote(meant)}?",
            )

    # Handlers

    def _definition(self) -> Definition | None:
        keyword = self.cursor.advance()
        self.cursor.block = SAME_LINE
        name = self.cursor.current
        if name.kind is Kind.NAME:
            self.cursor.advance()
        elif name.kind is Kind.KEYWORD:
            self.cursor.advance()
            self.findings.report(
                "SER009",
                f"`{name.text}` is a reserved word and cannot name a handler",
                name.span,
                f"choose another name, such as `{name.text}_`",
            )
        elif name.kind is not Kind.WRONG:
            self.findings.report(
                "SER020",
                f"expected the name of a handler, found {describe(name)}",
                self.cursor.here,
                _HANDLER_HINT,
            )
            if self.cursor.ahead.text not in ("{", ":"):
                return None
        parameters = self.declarations.read_parameters()
        span = keyword.span.to(self.cursor.previous.span)
        self.statements.locals, self.statements.is_at_start = [], True
        try:
            body = self._body()
        except StatementLost:
            return None
        if name.kind is not Kind.NAME:
            return None
        kind = Function if keyword.text == "fun" else Request
        return kind(name.text, parameters, tuple(self.statements.locals), body, span)

    def _body(self) -> Surface:
        after = "the name of the handler"
        try:
            return self._block(after)
        except StatementLost:
            self.cursor.skip(":", "{")
            if self.cursor.current.text not in (":", "{"):
                raise
            return self._block(after)

    def _block(self, after: str) -> Surface:
        has_braces = self.cursor.ahead.text == "{"
        body = self.statements.read_block(after, begins_line=True)
        token = self.cursor.ahead
        if (
            self.cursor.at_handler_end()
            and token.kind is not Kind.END
            and token.indentation is None
            and not has_braces
        ):
            self.findings.report(
                "SER006",
                f"expected a new line before {describe(token)}",
                self.cursor.end,
                "a block after `:` extends to the end of its line; start a new line, or write `{ … }`",
            )
        return body
