"""The grammar of statements: lines, blocks in brackets or by indentation, and what has blocks."""

from seriatim.frontends.ser.declarations import Declarations
from seriatim.frontends.ser.expressions import OPERAND_HINT, Expressions
from seriatim.frontends.ser.layout import CLOSING, SAME_LINE, Cursor, Place, StatementLost, describe, place
from seriatim.frontends.ser.lexer import MARK, Kind, Token
from seriatim.frontends.ser.surface import (
    Assert,
    AssignElement,
    Await,
    For,
    Marked,
    Parameter,
    Surface,
    Variable,
)
from seriatim.frontends.ser.words import meant_word
from seriatim.program.expression_printer import LEVELS, Level
from seriatim.program.syntax import MAX_DEPTH, Assign, If, Number, Return, While, is_global, sequence
from seriatim.source import Span, quote

LOCK_HINT = "a lock has no block: write `lock(L)`, then what it guards, then `unlock(L)`"

_OPERATORS = frozenset(operator.value for operator in LEVELS)


class Statements:
    """Reads statements from a cursor; reports mistakes and goes on with the next statement."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.findings = cursor.findings
        self.expressions = Expressions(cursor, self)
        self.declarations = Declarations(cursor, self.expressions)
        self._constructs = 0
        """How many constructs are around."""
        self.locals: list[Variable] = []
        """The locals that the handler being read has declared so far."""
        self.is_at_start = False
        """Whether only declarations have been read of the handler."""

    # Lines

    def read_line(self) -> list[Surface]:
        items: list[Surface] = []
        separator_told = False
        while not self._at_line_end():
            if self.cursor.current.text in CLOSING.values():
                self._stray_bracket()
                continue
            try:
                statement = self.read_statement()
                if statement is not None:
                    items.append(statement)
                if self.cursor.at_statement_end:
                    separator_told = False
                elif self.cursor.block_may_follow and self.cursor.current.text == "{":
                    break  # The condition's parenthesis was not closed; the caller says so.
                elif not (separator_told and self.cursor.at_expression()):
                    self._missing_separator()
                    separator_told = True
            except StatementLost:
                self.cursor.skip()
            self.cursor.take(";")
        return items

    def _at_line_end(self) -> bool:
        token = self.cursor.current
        if token.kind is Kind.LINE_END or self.cursor.at_handler_end():
            return True
        return token.text in CLOSING.values() and any(
            CLOSING[opening.text] == token.text for opening in reversed(self.cursor.open)
        )

    def _stray_bracket(self) -> None:
        self.cursor.tell_stray_bracket(self.cursor.advance())
        self.cursor.skip()
        self.cursor.take(";")

    def _missing_separator(self) -> None:
        token = self.cursor.current
        if token.text == ":=":
            raise self.cursor.lost(
                "SER010",
                "only a variable can be on the left of `:=`",
                "put parentheses around an assignment that is part of an expression",
            )
        if token.text in ("else", "elif"):
            self._tell_stray_else(token)
            raise StatementLost
        self._tell_misspelled()
        if not self.cursor.at_expression():
            hint = (
                LOCK_HINT if self.cursor.previous.text == ")" and token.text in (":", "{") else OPERAND_HINT
            )
            raise self.cursor.lost("SER005", f"{describe(token)} cannot follow an expression", hint)
        hint = "write `;` between two statements"
        if self.cursor.previous.text == "}":
            hint += ", also after the `}` of a block"
        if self.cursor.block is not None:
            hint += ", or begin a new line"
        self.findings.report("SER006", f"expected `;` before {describe(token)}", self.cursor.end, hint)

    def _tell_misspelled(self) -> None:
        """Ends the statement if the word before was meant to be a reserved one, such as `retrun X`."""
        word, token = self.cursor.previous, self.cursor.current
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

    # One statement

    def read_statement(self) -> Surface | None:
        """Reads a statement, or a declaration of a local, which is kept; then returns None."""
        if not self.at_local:
            self.is_at_start = False
            return self._statement()
        if not self.is_at_start:
            self.findings.report(
                "SER042",
                f"{quote(self.cursor.current.text)} is declared in the middle of a handler",
                self.cursor.current.span,
                "declare locals where their handler begins, globals before the first one",
            )
        self.locals.append(self.declarations.read_variable())
        return None

    @property
    def at_local(self) -> bool:
        """Whether a local is declared here; the first `a[4] := 0` declares, the next one assigns."""
        if not self.declarations.at_variable:
            return False
        name = self.cursor.current.text
        if self.cursor.following.text == "in" or self.cursor.after_index().text == "in":
            return True
        is_declared = any(variable.name == name for variable in self.locals)
        return self.is_at_start and not is_global(name) and not is_declared

    def _statement(self) -> Surface:
        token = self.cursor.current
        if token.text == MARK:
            self.cursor.advance()
            marked = self._expression()
            return Marked(marked, token.span.to(self.cursor.previous.span))
        if token.text not in ("else", "elif") or self.cursor.at_assignment:
            return self._expression()
        self._tell_stray_else(token)
        self.cursor.advance()
        if token.text == "elif" or self.cursor.take("if"):
            self.read_condition()
        return self.read_block(f"`{token.text}`", begins_line=token.indentation is not None)

    def _tell_stray_else(self, word: Token) -> None:
        if self.cursor.previous.text == ";":
            hint = "remove the `;` before it"
        else:
            hint = "put it after the `}` of the `if`, or at the start of a line aligned with the `if`"
        self.findings.report("SER014", f"`{word.text}` does not follow a block of an `if`", word.span, hint)

    def _expression(self) -> Surface:
        """An assignment, a `return`, an `await`, an `assert`, or operands and operators."""
        prefixes: list[tuple[Token, Surface | None]] = []
        while True:
            token, index = self.cursor.current, None
            if self.cursor.at_assignment:
                self.cursor.read_target()
            elif self.cursor.at_element_assignment:
                self.cursor.advance()
                index = self.expressions.read_index()
                self.cursor.advance()
            elif token.text == "return":
                self.cursor.advance()
            else:
                break
            prefixes.append((token, index))
        if prefixes and prefixes[-1][0].text == "return" and self.cursor.at_statement_end:
            value: Surface = Number(0, self.cursor.end)
        elif self.cursor.at_word:
            word = self.cursor.advance()
            kind = Await if word.text == "await" else Assert
            value = kind(self.expressions.read_operators(Level.OR), word.span.to(self.cursor.previous.span))
        else:
            value = self.expressions.read_operators(Level.OR)
        for prefix, index in reversed(prefixes):
            span = prefix.span.to(self.cursor.previous.span)
            if index is not None:
                value = AssignElement(prefix.text, index, value, span)
            else:
                value = Return(value, span) if prefix.text == "return" else Assign(prefix.text, value, span)
        return value

    # Brackets

    def read_parentheses(self) -> Surface:
        block_may_follow = self.cursor.previous.text in ("if", "elif", "while")
        opening = self.cursor.ahead
        found = len(self.findings)
        items = self.cursor.read_bracketed(self.read_line, block_may_follow)
        if not items and len(self.findings) == found:
            self.findings.report(
                "SER005",
                "expected an expression between `(` and `)`",
                self.cursor.previous.span,
                "write what is meant, or remove the parentheses",
            )
        return _join(items, opening.span.to(self.cursor.previous.span))

    def read_braces(self) -> Surface:
        opening = self.cursor.ahead
        items = self.cursor.read_bracketed(self.read_line)
        return _join(items, opening.span.to(self.cursor.previous.span))

    # Constructs

    def read_construct(self) -> Surface:
        """An `if`, a `while` or a `for`."""
        keyword = self.cursor.advance()
        if self._constructs == MAX_DEPTH:
            raise self.cursor.too_deep(keyword)
        self._constructs += 1
        try:
            match keyword.text:
                case "if":
                    return self._conditional(keyword)
                case "for":
                    return self._for_each(keyword)
                case _:
                    return self._loop(keyword)
        finally:
            self._constructs -= 1

    def _loop(self, keyword: Token) -> While[Surface]:
        condition = self.read_condition()
        body = self.read_block("the condition", begins_line=keyword.indentation is not None)
        return While(condition, body, keyword.span.to(self.cursor.previous.span))

    def _for_each(self, keyword: Token) -> For:
        name = self.cursor.advance()
        if not self.cursor.take("in"):
            found = describe(self.cursor.current)
            hint = "a loop is written `for i in 0..2 { … }`"
            raise self.cursor.lost(
                "SER058", f"expected `in` and a range after `for {name.text}`, found {found}", hint
            )
        variable = Parameter(
            name.text, self.expressions.read_range(), name.span.to(self.cursor.previous.span)
        )
        body = self.read_block("the range", begins_line=keyword.indentation is not None)
        return For(variable, body, keyword.span.to(self.cursor.previous.span))

    def _conditional(self, keyword: Token) -> If[Surface]:
        begins_line = keyword.indentation is not None
        indentation = self.cursor.line_indentation
        arms: list[tuple[Token, Surface, Surface]] = []
        otherwise: Surface | None = None
        word = keyword
        while True:
            condition = self.read_condition()
            arms.append((word, condition, self.read_block("the condition", begins_line)))
            if not self._else_follows(indentation):
                break
            word = self.cursor.advance()
            if word.text == "else" and not self.cursor.take("if"):
                otherwise = self.read_block("`else`", begins_line)
                break
        word, condition, then = arms.pop()
        conditional = If(condition, then, otherwise, word.span.to(self.cursor.previous.span))
        for word, condition, then in reversed(arms):
            conditional = If(condition, then, conditional, word.span.to(self.cursor.previous.span))
        return conditional

    def _else_follows(self, indentation: str) -> bool:
        token = self.cursor.ahead
        if token.text not in ("else", "elif") or self.cursor.following.text in (":=", "="):
            return False
        if self.cursor.block is None or token.indentation is None:
            return True
        if self.cursor.block == SAME_LINE or token.indentation != indentation:
            return False
        self.cursor.begin_line()
        return True

    def read_condition(self) -> Surface:
        try:
            condition = self.expressions.read_operators(Level.OR)
            if self.cursor.current.text != ":=":
                return condition
            raise self.cursor.lost(
                "SER012",
                "an assignment needs parentheses to be a condition",
                "write `(x := …)`; to compare, write `==`",
            )
        except StatementLost:
            self.cursor.skip(":", "{")
            if self.cursor.current.text not in (":", "{"):
                raise
            return Number(0, self.cursor.end)

    # Blocks

    def read_block(self, after: str, begins_line: bool) -> Surface:
        """`{ … }`, or `:` and the rest of the line or deeper lines, where the header begins its line."""
        outer = self.cursor.line_indentation
        if self.cursor.ahead.text == "{":
            return self.read_braces()
        if self.cursor.current.text == ":":
            self._allow_colon(begins_line)
            self.cursor.advance()
            return (
                self._rest_of_line() if self.cursor.ahead.indentation is None else self._parse_indented(outer)
            )
        if self.cursor.block is not None and begins_line:
            usual, expected, hint = "`:`", "`{` or `:`", "a block is `{ … }`, or `:` and an indented block"
        else:
            usual, expected, hint = "`{`", "`{`", "a block is `{ … }` here"
        if self._deeper_line_follows(outer):
            self.findings.report("SER013", f"expected {usual} after {after}", self.cursor.end, hint)
            return self._parse_indented(outer)
        raise self.cursor.lost(
            "SER013", f"expected {expected} after {after}, found {describe(self.cursor.current)}", hint
        )

    def _allow_colon(self, begins_line: bool) -> None:
        if self.cursor.block is None:
            raise self.cursor.lost("SER015", "a block after `:` cannot be inside brackets", "write `{ … }`")
        if not begins_line:
            raise self.cursor.lost(
                "SER015",
                "a block after `:` belongs to a word that begins its line",
                "begin a new line before that word, or write `{ … }`",
            )

    def _rest_of_line(self) -> Surface:
        around, self.cursor.block = self.cursor.block, SAME_LINE
        items = self.read_line()
        self.cursor.block = around
        return _join(items, self.cursor.end)

    def _deeper_line_follows(self, outer: str) -> bool:
        if self.cursor.current.kind is not Kind.LINE_END or self.cursor.at_handler_end():
            return False
        return place(self.cursor.ahead.indentation or "", outer, outer) is Place.DEEPER

    def _parse_indented(self, outer: str) -> Surface:
        first = self.cursor.ahead
        inner = first.indentation or ""
        if self.cursor.at_handler_end() or outer.startswith(inner):
            self.findings.report(
                "SER016",
                "expected an indented block after `:`",
                self.cursor.end,
                "indent its statements deeper than the line before; a block that does nothing is `0`",
            )
            return Number(0, self.cursor.end)
        told = {Place.INSIDE}
        if not inner.startswith(outer):
            self._tell_place(Place.MIXED, first)
            told.add(Place.MIXED)
        around, self.cursor.block = self.cursor.block, inner
        items: list[Surface] = []
        while (found := self._next_line(outer, inner)) is not Place.OUTSIDE:
            # A misaligned `else` belongs to no `if`; this is reported where it is read.
            if found not in told and self.cursor.ahead.text not in ("else", "elif"):
                self._tell_place(found, first)
                told.add(found)
            self.cursor.begin_line()
            if found is Place.DEEPER and self.cursor.ahead.text in _OPERATORS:
                self.cursor.skip()  # Meant to continue the expression of the line before; already reported.
                self.cursor.take(";")
            items += self.read_line()
        self.cursor.block = around
        return _join(items, self.cursor.end)

    def _next_line(self, outer: str, inner: str) -> Place:
        if self.cursor.at_handler_end():
            return Place.OUTSIDE
        return place(self.cursor.ahead.indentation or "", outer, inner)

    def _tell_place(self, found: Place, first: Token) -> None:
        """Reports that the next line is not aligned with the first line of the block."""
        line = self.cursor.ahead.span
        if found is Place.MIXED:
            self.findings.report(
                "SER018",
                "the tabs and spaces before this line do not match those of the lines around it",
                Span(line.line, 1, line.line, line.column, line.file),
                "indent all lines of a block with the same characters",
            )
        else:
            what = "is indented deeper than" if found is Place.DEEPER else "is not aligned with"
            self.findings.report(
                "SER017",
                f"this line {what} its block",
                line,
                f"align it with line {first.span.line}; to continue an expression, use parentheses",
            )


def _join(items: list[Surface], span: Span) -> Surface:
    return sequence(*items) if items else Number(0, span)
