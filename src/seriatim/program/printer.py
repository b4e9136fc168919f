"""Core programs to text, in either style; what is printed parses to an equal program."""

from collections.abc import Sequence as Items

from seriatim.program.expression_printer import SPELLINGS, ExpressionPrinter, Level, Style
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
            printer = CorePrinter(SPELLINGS[style])
            printer.put(f"request {handler.name}")
            printer.block(printer.statements(handler.body), "")
            paragraphs.append(printer.text() + "\n")
    return "\n".join(paragraphs)


def print_expression(expression: Expression) -> str:
    """The expression on one line, in the style of braces."""
    printer = CorePrinter(SPELLINGS[Style.BRACES])
    with deep_recursion():
        printer.inline(expression, Level.SEQUENCE)
    return printer.text()


class StatementPrinter(ExpressionPrinter[Inner]):
    """Prints blocks, each of their statements on a line of its own."""

    loosest_condition = Level.OR
    """The loosest level of a condition without its own parentheses. Digests depend on it."""

    def statements(self, body: Inner) -> Items[Inner]:
        """The statements of a block, each on its own line."""
        node = self.node(body)
        return node.items if isinstance(node, Sequence) else (body,)

    def block(self, items: Items[Inner], indentation: str) -> None:
        """A block whose header is already written, at an indentation."""
        self.put(self._spelling.block_opening)
        self.lines(items, indentation + INDENTATION)
        if self._spelling.block_closing:
            self.put("\n", indentation, self._spelling.block_closing)

    def lines(self, items: Items[Inner], indentation: str) -> None:
        for index, item in enumerate(items):
            if index > 0:
                self.put(self._spelling.separator)
            self.statement(item, indentation)

    def statement(self, statement: Inner, indentation: str) -> None:
        """A statement, starting with the line break before it."""
        self.begin(statement, indentation)
        node = self.node(statement)
        if isinstance(node, If | While):
            self.construct(node, indentation)
        else:
            self.inline(statement, Level.STATEMENT)

    def construct(self, construct: If[Inner] | While[Inner], indentation: str) -> None:
        """An `if` or `while`, on a line that has already begun."""
        if isinstance(construct, If):
            self._conditional(construct, indentation)
        else:
            self._header("while", construct.condition)
            self.block(self.statements(construct.body), indentation)

    def begin(self, statement: Inner, indentation: str) -> None:  # noqa: ARG002 - a formatter asks where
        """Begins a new line for a statement."""
        self.put("\n", indentation)

    def begin_else(self, body: Inner, indentation: str) -> None:  # noqa: ARG002 - a formatter asks where
        """The text between a block and `else`, for the given body of the `else`."""
        if self._spelling.else_follows_closing:
            self.put(" ")
        else:
            self.put("\n", indentation)

    def _header(self, word: str, condition: Inner) -> None:
        self.put(word, self._spelling.before_condition)
        self.inline(condition, self.loosest_condition)
        self.put(self._spelling.after_condition)

    def _conditional(self, conditional: If[Inner], indentation: str) -> None:
        self._header("if", conditional.condition)
        self.block(self.statements(conditional.then), indentation)
        otherwise = conditional.otherwise
        while (further := self.find_chained(otherwise)) is not None:
            self.begin_else(further.then, indentation)
            self._header(self._spelling.else_if, further.condition)
            self.block(self.statements(further.then), indentation)
            otherwise = further.otherwise
        if otherwise is not None:
            self.begin_else(otherwise, indentation)
            self.put("else")
            self.block(self.statements(otherwise), indentation)


class CorePrinter(StatementPrinter[Expression]):
    """Prints core programs, whose parts are all nodes."""

    def node(self, part: Expression) -> Expression:
        return part

    def level(self, part: Expression) -> Level:
        return self.node_level(part)

    def bare(self, part: Expression) -> None:
        self.bare_node(part)
