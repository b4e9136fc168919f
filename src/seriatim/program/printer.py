"""Core programs to text, in either style; what is printed parses to an equal program."""

from collections.abc import Sequence as Items
from typing import Generic

from seriatim.program.expression_printer import SPELLINGS, CoreForms, ExpressionPrinter, Level, Style
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import Expression, If, Inner, Program, Sequence, While

INDENTATION = "    "


def print_program(program: Program, style: Style) -> str:
    """The program as text, one statement a line."""
    paragraphs = []
    if program.initial_values:
        paragraphs.append("".join(f"{value.name} := {value.value}\n" for value in program.initial_values))
    with deep_recursion():
        for handler in program.handlers:
            printer = StatementPrinter(ExpressionPrinter(SPELLINGS[style], CoreForms()))
            printer.put(f"request {handler.name}")
            printer.block(printer.statements(handler.body), "")
            paragraphs.append(printer.text() + "\n")
    return "\n".join(paragraphs)


def print_expression(expression: Expression) -> str:
    """The expression on one line, in the style of braces."""
    printer = ExpressionPrinter(SPELLINGS[Style.BRACES], CoreForms())
    with deep_recursion():
        printer.inline(expression, Level.SEQUENCE)
    return printer.text()


class StatementPrinter(Generic[Inner]):
    """Prints blocks, each of their statements on a line of its own.

    `loosest_condition` is the loosest level of a condition without its own parentheses. Digests depend on it.
    """

    def __init__(self, expressions: ExpressionPrinter[Inner], loosest_condition: Level = Level.OR) -> None:
        self.expressions = expressions
        self.spelling = expressions.spelling
        self.put = expressions.put
        self.text = expressions.text
        self.loosest_condition = loosest_condition

    def statements(self, body: Inner) -> Items[Inner]:
        """The statements of a block, each on its own line."""
        node = self.expressions.forms.node(body)
        return node.items if isinstance(node, Sequence) else (body,)

    def block(self, items: Items[Inner], indentation: str) -> None:
        """A block whose header is already written, at an indentation."""
        self.put(self.spelling.block_opening)
        self.lines(items, indentation + INDENTATION)
        if self.spelling.block_closing:
            self.put("\n", indentation, self.spelling.block_closing)

    def lines(self, items: Items[Inner], indentation: str) -> None:
        for index, item in enumerate(items):
            if index > 0:
                self.put(self.spelling.separator)
            self.statement(item, indentation)

    def statement(self, statement: Inner, indentation: str) -> None:
        """A statement, starting with the line break before it."""
        self.begin(statement, indentation)
        if not self.construct(statement, indentation):
            self.expressions.inline(statement, Level.STATEMENT)

    def construct(self, statement: Inner, indentation: str) -> bool:
        """Prints what has blocks, on a line that has already begun; returns False for other statements."""
        node = self.expressions.forms.node(statement)
        match node:
            case If():
                self._conditional(node, indentation)
            case While(condition=condition, body=body):
                self._header("while", condition)
                self.block(self.statements(body), indentation)
            case None if (inner := self.expressions.forms.header(statement, self.expressions)) is not None:
                self.block(self.statements(inner), indentation)
            case _:
                return False
        return True

    def begin(self, statement: Inner, indentation: str) -> None:  # noqa: ARG002 - a formatter asks where
        """Begins a new line for a statement."""
        self.put("\n", indentation)

    def begin_else(self, body: Inner, indentation: str) -> None:  # noqa: ARG002 - a formatter asks where
        """The text between a block and `else`, for the given body of the `else`."""
        if self.spelling.else_follows_closing:
            self.put(" ")
        else:
            self.put("\n", indentation)

    def _header(self, word: str, condition: Inner) -> None:
        self.put(word, self.spelling.before_condition)
        self.expressions.inline(condition, self.loosest_condition)
        self.put(self.spelling.after_condition)

    def _conditional(self, conditional: If[Inner], indentation: str) -> None:
        self._header("if", conditional.condition)
        self.block(self.statements(conditional.then), indentation)
        otherwise = conditional.otherwise
        while (further := self.expressions.find_chained(otherwise)) is not None:
            self.begin_else(further.then, indentation)
            self._header(self.spelling.else_if, further.condition)
            self.block(self.statements(further.then), indentation)
            otherwise = further.otherwise
        if otherwise is not None:
            self.begin_else(otherwise, indentation)
            self.put("else")
            self.block(self.statements(otherwise), indentation)
