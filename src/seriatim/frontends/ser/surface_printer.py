"""Programs as they are written to text, in either style; what is printed parses to an equal program."""

from typing import assert_never

from seriatim.frontends.ser.lexer import MARK
from seriatim.frontends.ser.surface import (
    Assert,
    AssignElement,
    Await,
    Call,
    Choose,
    Constant,
    Declaration,
    Definition,
    Element,
    Enumeration,
    For,
    Function,
    Interval,
    Lock,
    Marked,
    NamedRange,
    Parameter,
    Policy,
    Range,
    Sugar,
    Surface,
    SurfaceProgram,
    Unlock,
    Variable,
)
from seriatim.program.expression_printer import SPELLINGS, Level, Spelling, Style
from seriatim.program.printer import StatementPrinter
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import Binary, Logical, Node, Sequence, Unary

Statement = Surface | Variable
"""What stands on a line of its own; variables are declared where a handler begins."""


def print_surface(program: SurfaceProgram, style: Style) -> str:
    """The program as text, one declaration or statement a line."""
    paragraphs = []
    if program.declarations:
        printer = SurfacePrinter(SPELLINGS[style])
        for declaration in program.declarations:
            printer.declaration(declaration)
            printer.put("\n")
        paragraphs.append(printer.text())
    with deep_recursion():
        for definition in program.definitions:
            printer = SurfacePrinter(SPELLINGS[style])
            printer.head(definition)
            printer.block(definition_lines(definition), "")
            paragraphs.append(printer.text() + "\n")
    return "\n".join(paragraphs)


def definition_lines(definition: Definition) -> tuple[Statement, ...]:
    """What stands in the block of a definition."""
    body = definition.body
    return *definition.locals, *(body.items if isinstance(body, Sequence) else (body,))


class SurfacePrinter(StatementPrinter[Statement]):
    """Prints sugar and declarations, too."""

    def __init__(self, spelling: Spelling) -> None:
        super().__init__(spelling)
        if spelling.before_condition.endswith("("):
            self.loosest_condition = Level.SEQUENCE

    def node(self, part: Statement) -> Node[Statement] | None:
        return None if isinstance(part, Sugar | Variable) else part

    def level(self, part: Statement) -> Level:
        match part:
            case Marked() | Variable():
                return Level.STATEMENT
            case AssignElement() | Await() | Assert() | For():
                return Level.ASSIGNMENT
            case Element() | Choose() | Lock() | Unlock() | Call():
                return Level.PRIMARY
            case _:
                return self.node_level(part)

    def bare(self, part: Statement) -> None:
        match part:
            case Element(name=name, index=index):
                self._element(name, index)
            case AssignElement(name=name, index=index, value=value):
                self._element(name, index)
                self.put(" := ")
                self.inline(value, Level.ASSIGNMENT)
            case Choose(values=values):
                self.put("choose(")
                self.range(values)
                self.put(")")
            case Await(condition=condition) | Assert(condition=condition):
                self.put("await " if isinstance(part, Await) else "assert ")
                # After a name, `-` would subtract.
                begins_with_sign = isinstance(_first_operand(condition), Unary)
                self.inline(condition, Level.PRIMARY if begins_with_sign else Level.OR)
            case Marked(statement=statement):
                self.put(f"{MARK} ")
                self.inline(statement, Level.ASSIGNMENT)
            case Lock(target=target) | Unlock(target=target):
                self.put("lock(" if isinstance(part, Lock) else "unlock(")
                self.inline(target, Level.PRIMARY)
                self.put(")")
            case Call(name=name, arguments=arguments):
                self.put(name, "(")
                for place, argument in enumerate(arguments):
                    self.put(", " if place > 0 else "")
                    self.inline(argument, Level.OR)
                self.put(")")
            case For(body=body):
                self.for_header(part)
                self.inline_block(body)
            case Variable():
                self.variable(part)
            case _:
                self.bare_node(part)

    def statement(self, statement: Statement, indentation: str) -> None:
        if isinstance(statement, For):
            self.begin(statement, indentation)
            self.loop(statement, indentation)
        else:
            super().statement(statement, indentation)

    def loop(self, loop: For, indentation: str) -> None:
        """A `for` on a line that has begun."""
        self.for_header(loop)
        self.block(self.statements(loop.body), indentation)

    def for_header(self, loop: For) -> None:
        self.put("for ")
        self._parameter(loop.variable)

    def _element(self, name: str, index: Surface) -> None:
        self.put(name, "[")
        self.inline(index, Level.OR)
        self.put("]")

    def range(self, values: Range) -> None:
        match values:
            case NamedRange(name=name):
                self.put(name)
            case Interval(low=low, high=high):
                self.inline(low, Level.SUM)
                self.put("..")
                self.inline(high, Level.SUM)
            case _:
                assert_never(values)

    def variable(self, variable: Variable) -> None:
        self.put(variable.name)
        if variable.index is not None:
            self.put(f"[{variable.index}: int]")
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

    def declaration(self, declaration: Declaration) -> None:
        match declaration:
            case Constant(name=name, value=value):
                self.put(f"const {name} := ")
                self.inline(value, Level.SUM)
            case Enumeration(name=name, members=members):
                names = ", ".join(member.name for member in members)
                self.put("enum ", f"{name} " if name else "", f"{{ {names} }}")
            case Variable():
                self.variable(declaration)
            case _:
                assert_never(declaration)

    def head(self, definition: Definition) -> None:
        """A definition up to its block."""
        is_function = isinstance(definition, Function)
        self.put("fun " if is_function else "request ", definition.name)
        if not (definition.parameters or is_function):
            return
        self.put("(")
        for place, parameter in enumerate(definition.parameters):
            self.put(", " if place > 0 else "")
            self._parameter(parameter)
        self.put(")")

    def _parameter(self, parameter: Parameter) -> None:
        self.put(parameter.name)
        if parameter.values is not None:
            self.put(" in ")
            self.range(parameter.values)
        elif parameter.kind is not None:
            self.put(f": {parameter.kind}")


def _first_operand(expression: Surface) -> Surface:
    """What an expression begins with, unless that stands in parentheses."""
    while isinstance(expression, Binary | Logical):
        expression = expression.left
    return expression
