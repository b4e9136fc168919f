"""The grammar of statements and expressions, by recursive descent.

All recursion passes through a bracket or through `if` or `while`, and both are counted; chains of prefixes,
of operators and of `elif` are loops. So the parser's stack is bounded, whatever the input.
"""

from seriatim.frontends.ser.blocks import StatementLost
from seriatim.frontends.ser.layout import CLOSING, describe
from seriatim.frontends.ser.lexer import MARK, Kind, Token, report_no_operator
from seriatim.frontends.ser.operands import OPERAND_HINT, OperandParser, side_by_side
from seriatim.frontends.ser.surface import Assert, AssignElement, Await, Marked, Surface
from seriatim.frontends.ser.words import meant_word
from seriatim.program.expression_printer import LEVELS, Level
from seriatim.program.syntax import (
    Assign,
    Binary,
    Connective,
    Logical,
    Number,
    Operator,
    Prefix,
    Return,
    Unary,
)
from seriatim.source import quote

ASSIGNMENT = (":=", "=")
"""The signs of an assignment, right and wrong; the lexer has reported the wrong one."""

LOCK_HINT = "a lock has no block: write `lock(L)`, then what it guards, then `unlock(L)`"

_OPERATORS: dict[str, Operator | Connective] = {operator.value: operator for operator in LEVELS} | {
    "or": Connective.OR,
    "and": Connective.AND,
    "=": Operator.EQUAL,
}
_BEGINS_EXPRESSION = frozenset(("?", "(", "{", "!", "if", "while", "yield", "return", "not"))


class ExpressionParser(OperandParser):
    """Reads statements; reports mistakes and goes on with the next statement."""

    # Statements

    def read_line(self) -> list[Surface]:
        items: list[Surface] = []
        separator_told = False
        while not self._at_line_end():
            if self.current.text in CLOSING.values():
                self._stray_bracket()
                continue
            try:
                statement = self.read_statement()
                if statement is not None:
                    items.append(statement)
                if self.at_statement_end:
                    separator_told = False
                elif self.block_may_follow and self.current.text == "{":
                    break  # The condition's parenthesis was not closed; the caller says so.
                elif not (separator_told and self._at_expression()):
                    self._missing_separator()
                    separator_told = True
            except StatementLost:
                self.skip()
            self.take(";")
        return items

    def _at_line_end(self) -> bool:
        token = self.current
        if token.kind is Kind.LINE_END or self.at_handler_end():
            return True
        return token.text in CLOSING.values() and any(
            CLOSING[opening.text] == token.text for opening in reversed(self.open)
        )

    def _stray_bracket(self) -> None:
        self.tell_stray_bracket(self.advance())
        self.skip()
        self.take(";")

    def tell_stray_bracket(self, bracket: Token) -> None:
        self.findings.report(
            "SER008",
            f"this {quote(bracket.text)} closes nothing",
            bracket.span,
            "remove it, or write what it is to close",
        )

    def _at_expression(self) -> bool:
        token = self.current
        return token.kind in (Kind.NAME, Kind.NUMBER) or token.text in (*_BEGINS_EXPRESSION, MARK)

    def _missing_separator(self) -> None:
        token = self.current
        if token.text == ":=":
            raise self.lost(
                "SER010",
                "only a variable can be on the left of `:=`",
                "put parentheses around an assignment that is part of an expression",
            )
        if token.text in ("else", "elif"):
            self._tell_stray_else(token)
            raise StatementLost
        self._tell_misspelled()
        if not self._at_expression():
            hint = LOCK_HINT if self.previous.text == ")" and token.text in (":", "{") else OPERAND_HINT
            raise self.lost("SER005", f"{describe(token)} cannot follow an expression", hint)
        hint = "write `;` between two statements"
        if self.previous.text == "}":
            hint += ", also after the `}` of a block"
        if self.block is not None:
            hint += ", or begin a new line"
        self.findings.report("SER006", f"expected `;` before {describe(token)}", self.end, hint)

    def _tell_misspelled(self) -> None:
        """Ends the statement if the word before was meant to be a reserved one, such as `retrun X`."""
        word, token = self.previous, self.current
        if word.kind is not Kind.NAME or token.text in (":=", "="):
            return
        meant = meant_word(word.text)
        if meant is not None:
            message = f"{quote(word.text)} is no word of the language"
            self.findings.report("SER060", message, word.span, f"did you mean {quote(meant)}?")
            raise StatementLost
        if word.text == "with":
            self.findings.report("SER060", "`with` is no word of the language", word.span, LOCK_HINT)
            raise StatementLost

    def read_statement(self) -> Surface | None:
        """A statement; None if it is a declaration, which a subclass keeps."""
        token = self.current
        if token.text == MARK:
            self.advance()
            marked = self._expression()
            return Marked(marked, token.span.to(self.previous.span))
        if token.text not in ("else", "elif") or self.at_assignment:
            return self._expression()
        self._tell_stray_else(token)
        self.advance()
        if token.text == "elif" or self.take("if"):
            self.read_condition()
        return self.read_block(f"`{token.text}`", begins_line=token.indentation is not None)

    def _tell_stray_else(self, word: Token) -> None:
        if self.previous.text == ";":
            hint = "remove the `;` before it"
        else:
            hint = "put it after the `}` of the `if`, or at the start of a line aligned with the `if`"
        self.findings.report("SER014", f"`{word.text}` does not follow a block of an `if`", word.span, hint)

    # Expressions

    def _expression(self) -> Surface:
        """An assignment, a `return`, an `await`, an `assert`, or operands and operators."""
        prefixes: list[tuple[Token, Surface | None]] = []
        while True:
            token, index = self.current, None
            if self.at_assignment:
                self.read_target()
            elif self._at_element_assignment:
                self.advance()
                index = self.read_index()
                self.advance()
            elif token.text == "return":
                self.advance()
            else:
                break
            prefixes.append((token, index))
        if prefixes and prefixes[-1][0].text == "return" and self.at_statement_end:
            value: Surface = Number(0, self.end)
        elif self._at_word:
            word = self.advance()
            kind = Await if word.text == "await" else Assert
            value = kind(self.read_operators(Level.OR), word.span.to(self.previous.span))
        else:
            value = self.read_operators(Level.OR)
        for prefix, index in reversed(prefixes):
            span = prefix.span.to(self.previous.span)
            if index is not None:
                value = AssignElement(prefix.text, index, value, span)
            else:
                value = Return(value, span) if prefix.text == "return" else Assign(prefix.text, value, span)
        return value

    @property
    def _at_element_assignment(self) -> bool:
        is_element = self.current.kind is Kind.NAME and self.following.text == "["
        return is_element and self.after_index().text in ASSIGNMENT

    @property
    def _at_word(self) -> bool:
        """Whether `await` or `assert` is meant as one: something follows that could not follow a variable."""
        after = self.following
        return self.current.text in ("await", "assert") and (
            after.kind in (Kind.NAME, Kind.NUMBER) or after.text in _BEGINS_EXPRESSION
        )

    @property
    def at_assignment(self) -> bool:
        return self.current.kind in (Kind.NAME, Kind.KEYWORD) and self.following.text in ASSIGNMENT

    def read_target(self) -> Token:
        """The variable and the sign of an assignment."""
        name = self.advance()
        if name.kind is Kind.KEYWORD:
            self.findings.report(
                "SER009",
                f"`{name.text}` is a reserved word and cannot name a variable",
                name.span,
                f"choose another name, such as `{name.text}_`",
            )
        self.advance()
        return name

    def read_condition(self) -> Surface:
        try:
            condition = self.read_operators(Level.OR)
            if self.current.text != ":=":
                return condition
            raise self.lost(
                "SER012",
                "an assignment needs parentheses to be a condition",
                "write `(x := …)`; to compare, write `==`",
            )
        except StatementLost:
            self.skip(":", "{")
            if self.current.text not in (":", "{"):
                raise
            return Number(0, self.end)

    def read_operators(self, lowest: int) -> Surface:
        """Operands and binary operators that bind at least as tightly as a level."""
        start = self.current.span
        left = self._negation() if self.current.text == "not" and lowest <= Level.NOT else self._operand()
        compared = False
        while operator := _OPERATORS.get(self.current.text):
            level = LEVELS[operator]
            if level < lowest:
                break
            if compared and level is Level.COMPARISON:
                self.findings.report(
                    "SER011",
                    "comparisons cannot be chained",
                    self.current.span,
                    "put parentheses around one of them, or join two with `&&`",
                )
            compared = level is Level.COMPARISON
            self.advance()
            right = self.read_operators(level + 1)
            span = start.to(self.previous.span)
            if isinstance(operator, Connective):
                left = Logical(operator, left, right, span)
            else:
                left = Binary(operator, left, right, span)
        return left

    def _negation(self) -> Surface:
        words: list[Token] = []
        while self.current.text == "not":
            words.append(self.advance())
        return self._apply_prefixes(words, self.read_operators(Level.COMPARISON))

    def _operand(self) -> Surface:
        before = self.previous
        signs: list[Token] = []
        while self.current.text in ("!", "-"):
            signs.append(self.advance())
        if len(signs) == 1 and self.at_statement_end and _is_decrement(before, signs[0]):
            span = before.span.to(signs[0].span)
            report_no_operator("--", span, "write `x := x - 1`", self.findings)
            raise StatementLost
        return self._apply_prefixes(signs, self.read_primary())

    def _apply_prefixes(self, signs: list[Token], operand: Surface) -> Surface:
        for sign in reversed(signs):
            operator = Prefix.MINUS if sign.text == "-" else Prefix.NOT
            operand = Unary(operator, operand, sign.span.to(self.previous.span))
        return operand


def _is_decrement(first: Token, second: Token) -> bool:
    """Whether two signs look like `--`. The lexer cannot tell: before an operand, they mean something."""
    return first.text == second.text == "-" and side_by_side(first.span, second.span)
