"""The grammar of declarations: constants, names for values, variables with their ranges and sizes."""

from dataclasses import replace

from seriatim.frontends.ser.blocks import StatementLost
from seriatim.frontends.ser.expressions import ASSIGNMENT, ExpressionParser
from seriatim.frontends.ser.layout import describe
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
from seriatim.program.syntax import Number, is_global
from seriatim.source import Findings, quote

ANY_INTEGER = "int"
"""The word after a parameter and a colon."""

_POLICIES = {"wrap": Policy.WRAP, "saturate": Policy.SATURATE}


class DeclarationParser(ExpressionParser):
    """Reads declarations, those of locals where a handler begins."""

    def __init__(self, tokens: list[Token], findings: Findings) -> None:
        super().__init__(tokens, findings)
        self.locals: list[Variable] = []
        """The locals that the handler being read has declared so far."""
        self.is_at_start = False
        """Whether only declarations have been read of the handler."""

    # Before the first handler

    @property
    def at_declaration(self) -> bool:
        """Whether a constant, an `enum` or a variable is declared here."""
        after = self.following
        match self.current.text:
            case "const" if after.kind is Kind.NAME and after.text != "in":
                return True
            case "enum" if (after.kind is Kind.NAME and after.text != "in") or after.text == "{":
                return True
        return self.at_assignment or self.at_variable

    def read_declaration(self) -> Declaration | None:
        """Reads a declaration; None if it declares something that cannot have a name."""
        match self.current.text, self.following.text:
            case _, ":=" | "=" | "in":
                pass
            case "const", _:
                return self._constant(self.advance())
            case "enum", _:
                return self._enumeration(self.advance())
        is_name = self.current.kind is Kind.NAME
        variable = self.read_variable()
        return variable if is_name else None

    def _constant(self, word: Token) -> Constant:
        name = self.advance()
        if self.current.text not in ASSIGNMENT:
            raise self.lost(
                "SER046",
                f"expected `:=` and the value of {quote(name.text)}, found {describe(self.current)}",
                "a constant is written `const N := 3`",
            )
        self.advance()
        value = self._constant_value()
        return Constant(name.text, value, word.span.to(self.previous.span))

    def _enumeration(self, word: Token) -> Enumeration:
        name = self.advance().text if self.current.kind is Kind.NAME else None
        if self.current.text != "{":
            message = f"expected `{{` and names for values, found {describe(self.current)}"
            raise self.lost("SER046", message, "names for 0, 1, … are written `enum { FREE, HELD }`")
        members = self.read_bracketed(self._members)
        return Enumeration(name, tuple(members), word.span.to(self.previous.span))

    def _members(self) -> list[Member]:
        members: list[Member] = []
        try:
            while self.current.kind is Kind.NAME:
                token = self.advance()
                members.append(Member(token.text, token.span))
                if not self.take(","):
                    break
            if self.current.text != "}" or not members:
                message = f"expected a name for a value, found {describe(self.current)}"
                raise self.lost("SER046", message, "write names with `,` between them")
        except StatementLost:
            self.skip()
        return members

    # Variables

    @property
    def at_variable(self) -> bool:
        """Whether a range or a size is declared here, as far as the text tells."""
        if self.current.kind is not Kind.NAME:
            return False
        if self.following.text == "in":
            return True
        return self.following.text == "[" and self.after_index().text in (*ASSIGNMENT, "in")

    def read_variable(self) -> Variable:
        """`X := 3`, with a size and a range if they are there."""
        if self.at_assignment:
            name = self.read_target()
            return self._parse_initialized(name, None, None, Policy.REFUSE)
        name = self.advance()
        index = self._open_index() if self.at_open_index else None
        size = self.read_index() if self.current.text == "[" else None
        values: Range | None = None
        policy = Policy.REFUSE
        if self.take("in"):
            values = self.read_range()
            if self.current.text in _POLICIES:
                policy = _POLICIES[self.advance().text]
        if self.current.text not in ASSIGNMENT:
            raise self.lost(
                "SER046",
                f"expected `:=` and the initial value of {quote(name.text)}, found {describe(self.current)}",
                "write it after the size and the range, as in `X in 0..3 := 0`",
            )
        self.advance()
        return replace(self._parse_initialized(name, size, values, policy), index=index)

    def _open_index(self) -> str:
        """Reads `[account: int]`: the name of the index of an array with a cell for each integer."""
        self.advance()
        name = self.advance()
        self.advance()
        if self.current.text != ANY_INTEGER or self.following.text != "]":
            message = f"expected `int` and `]`, found {describe(self.current)}"
            raise self.lost("SER046", message, "an array with a cell for each integer is `A[n: int] := 0`")
        self.advance()
        self.advance()
        return name.text

    def _parse_initialized(
        self, name: Token, size: Surface | None, values: Range | None, policy: Policy
    ) -> Variable:
        lacks_value = self.at_statement_end or self.current.text == ","
        initial: Surface = Number(0, self.end) if lacks_value else self._constant_value()
        if self.at_declaration:
            self.findings.report(
                "SER006",
                f"expected `,` before {describe(self.current)}",
                self.end,
                "write `,` or `;` between two initial values, or begin a new line",
            )
        elif lacks_value or not (self.at_statement_end or self.current.text == ","):
            raise self.lost(
                "SER021",
                f"the initial value of {quote(name.text)} is not an integer constant",
                "write a number, a constant, or a sum or product of them",
            )
        return Variable(name.text, size, values, policy, initial, name.span.to(self.previous.span))

    def _constant_value(self) -> Surface:
        return self.read_operators(Level.SUM)

    # Where a handler begins

    def read_statement(self) -> Surface | None:
        if not self.at_local:
            self.is_at_start = False
            return super().read_statement()
        if not self.is_at_start:
            self.findings.report(
                "SER042",
                f"{quote(self.current.text)} is declared in the middle of a handler",
                self.current.span,
                "declare locals where their handler begins, globals before the first one",
            )
        self.locals.append(self.read_variable())
        return None

    @property
    def at_local(self) -> bool:
        """Whether a local is declared here; the first `a[4] := 0` declares, the next one assigns."""
        if not self.at_variable:
            return False
        name = self.current.text
        if self.following.text == "in" or self.after_index().text == "in":
            return True
        is_declared = any(variable.name == name for variable in self.locals)
        return self.is_at_start and not is_global(name) and not is_declared

    # Parameters

    def read_parameters(self) -> tuple[Parameter, ...]:
        """Reads the parameters in parentheses after the name of a handler, if there are any."""
        return tuple(self.read_bracketed(self._parameters)) if self.current.text == "(" else ()

    def _kind(self) -> str | None:
        """Reads the kind after `:`, if there is one: `int`, or the name of an array's index."""
        if not self.take(":"):
            return None
        if self.current.kind is not Kind.NAME:
            message = f"expected `int`, found {describe(self.current)}"
            raise self.lost("SER044", message, "a parameter is written `v in 0..2`, or `v: int`")
        return self.advance().text

    def _parameters(self) -> list[Parameter]:
        parameters: list[Parameter] = []
        try:
            while self.current.text != ")":
                name = self.current
                if name.kind is not Kind.NAME:
                    message = f"expected the name of a parameter, found {describe(name)}"
                    raise self.lost("SER044", message, "a parameter is written `v in 0..2`")
                self.advance()
                values = self.read_range() if self.take("in") else None
                kind = self._kind() if values is None else None
                parameters.append(Parameter(name.text, values, name.span.to(self.previous.span), kind))
                if not self.take(","):
                    break
            if not self.at_statement_end:
                message = f"{describe(self.current)} cannot follow a parameter"
                raise self.lost("SER044", message, "write `,` between two parameters")
        except StatementLost:
            self.skip()
        return _of_one_kind(parameters)


def _of_one_kind(parameters: list[Parameter]) -> list[Parameter]:
    """Applies one kind to several parameters, as in `a, b: account`."""
    found: list[Parameter] = []
    kind: str | None = None
    for parameter in reversed(parameters):
        kind = parameter.kind or (kind if parameter.values is None else None)
        found.append(replace(parameter, kind=kind))
    return found[::-1]
