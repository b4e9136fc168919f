"""Core programs to text, in either style; what is printed parses to an equal program."""

from collections.abc import Sequence as Items

from seriatim.frontends.ser.surface import Policy, Surface, Variable
from seriatim.program.expression_printer import SPELLINGS, ExpressionPrinter, Style
from seriatim.program.precedence import Level
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import If, Program, Sequence, While

INDENTATION = "    "

Statement = Surface | Variable
"""What stands on a line of its own; variables are declared where a handler begins."""


def print_program(program: Program, style: Style) -> str:
    """The program as text, one statement a line."""
    paragraphs = []
    if program.initial_values:
        paragraphs.append("".join(f"{value.name} := {value.value}\n" for value in program.initial_values))
    with deep_recursion():
        for handler in program.handlers:
            printer = StatementPrinter(SPELLINGS[style])
            printer.put(f"request {handler.name}")
            printer.block(statements(handler.body), "")
            paragraphs.append(printer.text() + "\n")
    return "\n".join(paragraphs)


def statements(body: Surface) -> tuple[Surface, ...]:
    return body.items if isinstance(body, Sequence) else (body,)


class StatementPrinter(ExpressionPrinter):
    """Prints blocks, each of their statements on a line of its own."""

    loosest_condition = Level.OR
    """What may stand as a condition without parentheses of its own. Digests depend on it."""

    def block(self, items: Items[Statement], indentation: str) -> None:
        """A block whose header, already written, stands at an indentation."""
        self.put(self._spelling.block_opening)
        self.lines(items, indentation + INDENTATION)
        if self._spelling.block_closing:
            self.put("\n", indentation, self._spelling.block_closing)

    def lines(self, items: Items[Statement], indentation: str) -> None:
        for index, item in enumerate(items):
            if index > 0:
                self.put(self._spelling.separator)
            self.statement(item, indentation)

    def statement(self, statement: Statement, indentation: str) -> None:
        """A statement, from the line break before it on."""
        self.begin(statement, indentation)
        if isinstance(statement, If | While):
            self.construct(statement, indentation)
        else:
            self.plain(statement)

    def construct(self, construct: If[Surface] | While[Surface], indentation: str) -> None:
        """An `if` or `while` on a line that has begun."""
        if isinstance(construct, If):
            self._conditional(construct, indentation)
        else:
            self._header("while", construct.condition)
            self.block(statements(construct.body), indentation)

    def begin(self, statement: Statement, indentation: str) -> None:  # noqa: ARG002 - a formatter asks where
        """A new line for a statement."""
        self.put("\n", indentation)

    def begin_else(self, body: Surface, indentation: str) -> None:  # noqa: ARG002 - a formatter asks where
        """What stands between a block and `else`, of which the body is given."""
        if self._spelling.else_follows_closing:
            self.put(" ")
        else:
            self.put("\n", indentation)

    def plain(self, statement: Statement) -> None:
        """A statement within a line."""
        if isinstance(statement, Variable):
            self.variable(statement)
        else:
            self.inline(statement, Level.STATEMENT)

    def variable(self, variable: Variable) -> None:
        self.put(variable.name)
        if variable.size is not None:
            self.put("[")
            self.inline(variable.size, Level.OR)
            self.put("]")
        if variable.values is not None:
            self.put(" in ")
            self.range(variable.values)
        if variable.policy is not Policy.REFUSE:
            self.put(" ", variable.policy)
        self.put(" := ")
        self.inline(variable.initial, Level.SUM)

    def _header(self, word: str, condition: Surface) -> None:
        self.put(word, self._spelling.before_condition)
        self.inline(condition, self.loosest_condition)
        self.put(self._spelling.after_condition)

    def _conditional(self, conditional: If[Surface], indentation: str) -> None:
        self._header("if", conditional.condition)
        self.block(statements(conditional.then), indentation)
        otherwise = conditional.otherwise
        while isinstance(otherwise, If):
            self.begin_else(otherwise.then, indentation)
            self._header(self._spelling.else_if, otherwise.condition)
            self.block(statements(otherwise.then), indentation)
            otherwise = otherwise.otherwise
        if otherwise is not None:
            self.begin_else(otherwise, indentation)
            self.put("else")
            self.block(statements(otherwise), indentation)
