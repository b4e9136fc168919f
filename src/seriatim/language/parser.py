"""Text to a `Program`: initial values, then handlers; all mistakes that do not follow from one another."""

from seriatim.language import names
from seriatim.language.blocks import StatementLost, report_depth
from seriatim.language.expressions import ExpressionParser
from seriatim.language.findings import Findings
from seriatim.language.layout import CLOSING, SAME_LINE, describe
from seriatim.language.lexer import Kind, quote, tokenize
from seriatim.language.recursion import deep_recursion
from seriatim.language.syntax import MAX_DEPTH, Expression, Handler, InitialValue, Program, children

_HANDLER_HINT = "handlers are written `request name { … }`, or `request name:` with an indented block"


def parse(text: str) -> Program:
    """The program that a text stands for; raises `InputError` with everything that is wrong with it."""
    findings = Findings()
    parser = _ProgramParser(tokenize(text, findings), findings)
    with deep_recursion():
        program = parser.read_program()
    for handler in program.handlers:
        _check_depth(handler.body, findings)
    if program.handlers or not findings:
        for diagnostic in names.check(program):
            findings.add(diagnostic)
    if findings:
        raise findings.error()
    return program


def _check_depth(body: Expression, findings: Findings) -> None:
    """Refuses chains of operators and of `elif`, which nest in the tree though not in the text."""
    pending = [(body, 1)]
    while pending:
        expression, depth = pending.pop()
        if depth > MAX_DEPTH:
            report_depth(expression.span, findings)
            return
        pending.extend((child, depth + 1) for child in children(expression))


class _ProgramParser(ExpressionParser):
    def read_program(self) -> Program:
        initial_values = self._initial_values()
        handlers: list[Handler] = []
        while self.ahead.kind is not Kind.END:
            found = len(self.findings)
            handler = self._handler()
            if handler is not None:
                handlers.append(handler)
            # What follows a faulty handler may well be its rest: unless it was closed, say nothing more.
            is_complete = len(self.findings) == found or self.previous.text == "}"
            if is_complete and not self.at_handler_end():
                self._tell_stray_text()
            self.skip_to_request()
        return Program(tuple(initial_values), tuple(handlers))

    # Initial values

    def _initial_values(self) -> list[InitialValue]:
        values: list[InitialValue] = []
        while not self.at_handler_end():
            self.begin_line()
            if self.take(",") or self.take(";"):
                continue
            if not self.at_assignment:
                self._tell_stray_text()
                self.skip_to_request()
                break
            is_name = self.current.kind is Kind.NAME
            try:
                value = self._initial_value()
                if is_name:
                    values.append(value)
            except StatementLost:
                self.skip(",")
        return values

    def _initial_value(self) -> InitialValue:
        name = self.read_target()
        sign = -1 if self.take("-") else 1
        number = self.current
        if number.kind is Kind.NUMBER:
            self.advance()
        if number.kind is Kind.NUMBER and self.at_assignment:
            self.findings.report(
                "SER006",
                f"expected `,` before {describe(self.current)}",
                self.end,
                "write `,` or `;` between two initial values, or begin a new line",
            )
        elif number.kind is not Kind.NUMBER or not (self.at_statement_end or self.current.text == ","):
            raise self.lost(
                "SER021",
                f"the initial value of {quote(name.text)} is not an integer constant",
                "write a number, with `-` before it if negative; compute other values in a handler",
            )
        return InitialValue(name.text, sign * int(number.text), name.span.to(number.span))

    def _tell_stray_text(self) -> None:
        self.begin_line()
        token = self.current
        if token.kind is Kind.WRONG:
            return
        if token.text in CLOSING.values():
            self.tell_stray_bracket(token)
        elif self.at_assignment:
            self.findings.report(
                "SER022",
                "only initial values before the first request can stand outside a handler",
                token.span,
                "move it before the first `request`, or into a handler (indented, or between `{` and `}`)",
            )
        else:
            self.findings.report(
                "SER019",
                f"expected `request`, found {describe(token)}",
                token.span,
                _HANDLER_HINT,
            )

    # Handlers

    def _handler(self) -> Handler | None:
        keyword = self.advance()
        self.block = SAME_LINE
        name = self.current
        if name.kind is Kind.NAME:
            self.advance()
        elif name.kind is Kind.KEYWORD:
            self.advance()
            self.findings.report(
                "SER009",
                f"`{name.text}` is a reserved word and cannot name a handler",
                name.span,
                f"choose another name, such as `{name.text}_`",
            )
        elif name.kind is not Kind.WRONG:
            self.findings.report(
                "SER020", f"expected the name of a handler, found {describe(name)}", self.here, _HANDLER_HINT
            )
            if self.ahead.text not in ("{", ":"):
                return None
        span = keyword.span.to(self.previous.span)
        try:
            body = self._body()
        except StatementLost:
            return None
        return Handler(name.text, body, span) if name.kind is Kind.NAME else None

    def _body(self) -> Expression:
        after = "the name of the handler"
        try:
            if self.current.text == "(":
                message = f"expected `{{` or `:` after {after}, found `(`"
                raise self.lost("SER013", message, "handlers have no parameters")
            return self._block(after)
        except StatementLost:
            self.skip(":", "{")
            if self.current.text not in (":", "{"):
                raise
            return self._block(after)

    def _block(self, after: str) -> Expression:
        has_braces = self.ahead.text == "{"
        body = self.read_block(after, begins_line=True)
        token = self.ahead
        if token.text == "request" and token.indentation is None and not has_braces:
            self.findings.report(
                "SER006",
                f"expected a new line before {describe(token)}",
                self.end,
                "a block after `:` goes on to the end of its line; begin a new line, or write `{ … }`",
            )
        return body
