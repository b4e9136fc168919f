"""The grammar of declarations: constants, names for values, variables with their ranges and sizes."""

from dataclasses import replace

from seriatim.frontends.ser.expressions import Expressions
from seriatim.frontends.ser.layout import ASSIGNMENT, Cursor, StatementLost, describe
from seriatim.frontends.ser.lexer import Kind, Token
from seriatim.frontends.ser.surface import (
    Constant,
    Declaration,
    Enumeration,
    Member,
    Parameter,
    Policy,
    Range,
    Surface,
    Variable,
)
from seriatim.program.expression_printer import Level
from seriatim.program.syntax import Number
from seriatim.source import quote

ANY_INTEGER = "int"
"""The word after a parameter and a colon."""

_POLICIES = {"wrap": Policy.WRAP, "saturate": Policy.SATURATE}


class Declarations:
    """Reads declarations from a cursor."""

    def __init__(self, cursor: Cursor, expressions: Expressions) -> None:
        self.cursor = cursor
        self.findings = cursor.findings
        self.expressions = expressions

    # Before the first handler

    @property
    def at_declaration(self) -> bool:
        """Whether a constant, an `enum` or a variable is declared here."""
        after = self.cursor.following
        match self.cursor.current.text:
            case "const" if after.kind is Kind.NAME and after.text != "in":
                return True
            case "enum" if (after.kind is Kind.NAME and after.text != "in") or after.text == "{":
                return True
        return self.cursor.at_assignment or self.at_variable

    def read_declaration(self) -> Declaration | None:
        """Reads a declaration; None if it declares something that cannot have a name."""
        match self.cursor.current.text, self.cursor.following.text:
            case _, ":=" | "=" | "in":
                pass
            case "const", _:
                return self._constant(self.cursor.advance())
            case "enum", _:
                return self._enumeration(self.cursor.advance())
        is_name = self.cursor.current.kind is Kind.NAME
        variable = self.read_variable()
        return variable if is_name else None

    def _constant(self, word: Token) -> Constant:
        name = self.cursor.advance()
        if self.cursor.current.text not in ASSIGNMENT:
            raise self.cursor.lost(
                "SER046",
                f"expected `:=` and the value of {quote(name.text)}, found {describe(self.cursor.current)}",
                "a constant is written `const N := 3`",
            )
        self.cursor.advance()
        value = self._constant_value()
        return Constant(name.text, value, word.span.to(self.cursor.previous.span))

    def _enumeration(self, word: Token) -> Enumeration:
        name = self.cursor.advance().text if self.cursor.current.kind is Kind.NAME else None
        if self.cursor.current.text != "{":
            message = f"expected `{{` and names for values, found {describe(self.cursor.current)}"
            raise self.cursor.lost("SER046", message, "names for 0, 1, … are written `enum { FREE, HELD }`")
        members = self.cursor.read_bracketed(self._members)
        return Enumeration(name, tuple(members), word.span.to(self.cursor.previous.span))

    def _members(self) -> list[Member]:
        members: list[Member] = []
        try:
            while self.cursor.current.kind is Kind.NAME:
                token = self.cursor.advance()
                members.append(Member(token.text, token.span))
                if not self.cursor.take(","):
                    break
            if self.cursor.current.text != "}" or not members:
                message = f"expected a name for a value, found {describe(self.cursor.current)}"
                raise self.cursor.lost("SER046", message, "write names with `,` between them")
        except StatementLost:
            self.cursor.skip()
        return members

    # Variables

    @property
    def at_variable(self) -> bool:
        """Whether a range or a size is declared here, as far as the text tells."""
        if self.cursor.current.kind is not Kind.NAME:
            return False
        if self.cursor.following.text == "in":
            return True
        return self.cursor.following.text == "[" and self.cursor.after_index().text in (*ASSIGNMENT, "in")

    def read_variable(self) -> Variable:
        """`X := 3`, with a size and a range if they are there."""
        if self.cursor.at_assignment:
            name = self.cursor.read_target()
            return self._parse_initialized(name, None, None, Policy.REFUSE)
        name = self.cursor.advance()
        index = self._open_index() if self.cursor.at_open_index else None
        size = self.expressions.read_index() if self.cursor.current.text == "[" else None
        values: Range | None = None
        policy = Policy.REFUSE
        if self.cursor.take("in"):
            values = self.expressions.read_range()
            if self.cursor.current.text in _POLICIES:
                policy = _POLICIES[self.cursor.advance().text]
        if self.cursor.current.text not in ASSIGNMENT:
            found = describe(self.cursor.current)
            raise self.cursor.lost(
                "SER046",
                f"expected `:=` and the initial value of {quote(name.text)}, found {found}",
                "write it after the size and the range, as in `X in 0..3 := 0`",
            )
        self.cursor.advance()
        return replace(self._parse_initialized(name, size, values, policy), index=index)

    def _open_index(self) -> str:
        """Reads `[account: int]`: the name of the index of an array with a cell for each integer."""
        self.cursor.advance()
        name = self.cursor.advance()
        self.cursor.advance()
        if self.cursor.current.text != ANY_INTEGER or self.cursor.following.text != "]":
            message = f"expected `int` and `]`, found {describe(self.cursor.current)}"
            raise self.cursor.lost(
                "SER046", message, "an array with a cell for each integer is `A[n: int] := 0`"
            )
        self.cursor.advance()
        self.cursor.advance()
        return name.text

    def _parse_initialized(
        self, name: Token, size: Surface | None, values: Range | None, policy: Policy
    ) -> Variable:
        lacks_value = self.cursor.at_statement_end or self.cursor.current.text == ","
        initial: Surface = Number(0, self.cursor.end) if lacks_value else self._constant_value()
        if self.at_declaration:
            self.findings.report(
                "SER006",
                f"expected `,` before {describe(self.cursor.current)}",
                self.cursor.end,
                "write `,` or `;` between two initial values, or begin a new line",
            )
        elif lacks_value or not (self.cursor.at_statement_end or self.cursor.current.text == ","):
            raise self.cursor.lost(
                "SER021",
                f"the initial value of {quote(name.text)} is not an integer constant",
                "write a number, a constant, or a sum or product of them",
            )
        return Variable(name.text, size, values, policy, initial, name.span.to(self.cursor.previous.span))

    def _constant_value(self) -> Surface:
        return self.expressions.read_operators(Level.SUM)

    # Parameters

    def read_parameters(self) -> tuple[Parameter, ...]:
        """Reads the parameters in parentheses after the name of a handler, if there are any."""
        return tuple(self.cursor.read_bracketed(self._parameters)) if self.cursor.current.text == "(" else ()

    def _kind(self) -> str | None:
        """Reads the kind after `:`, if there is one: `int`, or the name of an array's index."""
        if not self.cursor.take(":"):
            return None
        if self.cursor.current.kind is not Kind.NAME:
            message = f"expected `int`, found {describe(self.cursor.current)}"
            raise self.cursor.lost("SER044", message, "a parameter is written `v in 0..2`, or `v: int`")
        return self.cursor.advance().text

    def _parameters(self) -> list[Parameter]:
        parameters: list[Parameter] = []
        try:
            while self.cursor.current.text != ")":
                name = self.cursor.current
                if name.kind is not Kind.NAME:
                    message = f"expected the name of a parameter, found {describe(name)}"
                    raise self.cursor.lost("SER044", message, "a parameter is written `v in 0..2`")
                self.cursor.advance()
                values = self.expressions.read_range() if self.cursor.take("in") else None
                kind = self._kind() if values is None else None
                parameters.append(Parameter(name.text, values, name.span.to(self.cursor.previous.span), kind))
                if not self.cursor.take(","):
                    break
            if not self.cursor.at_statement_end:
                message = f"{describe(self.cursor.current)} cannot follow a parameter"
                raise self.cursor.lost("SER044", message, "write `,` between two parameters")
        except StatementLost:
            self.cursor.skip()
        return _of_one_kind(parameters)


def _of_one_kind(parameters: list[Parameter]) -> list[Parameter]:
    """Applies one kind to several parameters, as in `a, b: account`."""
    found: list[Parameter] = []
    kind: str | None = None
    for parameter in reversed(parameters):
        kind = parameter.kind or (kind if parameter.values is None else None)
        found.append(replace(parameter, kind=kind))
    return found[::-1]
