"""Programs as they are written to text, in either style; what is printed parses to an equal program."""

from collections.abc import Callable
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
from seriatim.program.expression_printer import SPELLINGS, ExpressionPrinter, Forms, Level, Spelling, Style
from seriatim.program.printer import StatementPrinter
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import Binary, Logical, Node, Sequence, Unary

Statement = Surface | Variable
"""What stands on a line of its own; variables are declared where a handler begins."""


def print_surface(program: SurfaceProgram, style: Style) -> str:
    """The program as text, one declaration or statement a line."""
    paragraphs = []
    if program.declarations:
        printer = surface_printer(SPELLINGS[style])
        for declaration in program.declarations:
            put_declaration(declaration, printer)
            printer.put("\n")
        paragraphs.append(printer.text())
    with deep_recursion():
        for definition in program.definitions:
            printer = surface_printer(SPELLINGS[style])
            put_head(definition, printer)
            lines = StatementPrinter(printer, loosest_condition(printer.spelling))
            lines.block(definition_lines(definition), "")
            paragraphs.append(printer.text() + "\n")
    return "\n".join(paragraphs)


def definition_lines(definition: Definition) -> tuple[Statement, ...]:
    """Returns what stands in the block of a definition."""
    body = definition.body
    return *definition.locals, *(body.items if isinstance(body, Sequence) else (body,))


Printer = ExpressionPrinter[Statement]


def surface_printer(spelling: Spelling, is_written: Callable[[Statement], bool] = lambda _: True) -> Printer:
    """A printer of expressions and declarations."""
    return ExpressionPrinter(spelling, SurfaceForms(), is_written)


def loosest_condition(spelling: Spelling) -> Level:
    """How loosely a condition may bind: as it likes, where parentheses stand around it anyway."""
    return Level.SEQUENCE if spelling.before_condition.endswith("(") else Level.OR


class SurfaceForms(Forms[Statement]):
    """Sugar, and variables that are declared where a handler begins."""

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
                raise AssertionError(part)

    def bare(self, part: Statement, printer: Printer) -> None:
        match part:
            case Element(name=name, index=index):
                _put_element(name, index, printer)
            case AssignElement(name=name, index=index, value=value):
                _put_element(name, index, printer)
                printer.put(" := ")
                printer.inline(value, Level.ASSIGNMENT)
            case Choose(values=values):
                printer.put("choose(")
                put_range(values, printer)
                printer.put(")")
            case Await(condition=condition) | Assert(condition=condition):
                printer.put("await " if isinstance(part, Await) else "assert ")
                # After a name, `-` would subtract.
                begins_with_sign = isinstance(_first_operand(condition), Unary)
                printer.inline(condition, Level.PRIMARY if begins_with_sign else Level.OR)
            case Marked(statement=statement):
                printer.put(f"{MARK} ")
                printer.inline(statement, Level.ASSIGNMENT)
            case Lock(target=target) | Unlock(target=target):
                printer.put("lock(" if isinstance(part, Lock) else "unlock(")
                printer.inline(target, Level.PRIMARY)
                printer.put(")")
            case Call(name=name, arguments=arguments):
                printer.put(name, "(")
                for place, argument in enumerate(arguments):
                    printer.put(", " if place > 0 else "")
                    printer.inline(argument, Level.OR)
                printer.put(")")
            case For(body=body):
                _put_for(part, printer)
                printer.inline_block(body)
            case Variable():
                put_variable(part, printer)
            case _:
                raise AssertionError(part)

    def header(self, part: Statement, printer: Printer) -> Surface | None:
        if not isinstance(part, For):
            return None
        _put_for(part, printer)
        return part.body


def _put_for(loop: For, printer: Printer) -> None:
    """Prints the header of a `for`."""
    printer.put("for ")
    _put_parameter(loop.variable, printer)


def _put_element(name: str, index: Surface, printer: Printer) -> None:
    printer.put(name, "[")
    printer.inline(index, Level.OR)
    printer.put("]")


def put_range(values: Range, printer: Printer) -> None:
    match values:
        case NamedRange(name=name):
            printer.put(name)
        case Interval(low=low, high=high):
            printer.inline(low, Level.SUM)
            printer.put("..")
            printer.inline(high, Level.SUM)
        case _:
            assert_never(values)


def put_variable(variable: Variable, printer: Printer) -> None:
    printer.put(variable.name)
    if variable.index is not None:
        printer.put(f"[{variable.index}: int]")
    if variable.size is not None:
        printer.put("[")
        printer.inline(variable.size, Level.OR)
        printer.put("]")
    if variable.values is not None:
        printer.put(" in ")
        put_range(variable.values, printer)
    if variable.policy is not Policy.REFUSE:
        printer.put(" ", variable.policy)
    printer.put(" := ")
    printer.inline(variable.initial, Level.SUM)


def put_declaration(declaration: Declaration, printer: Printer) -> None:
    match declaration:
        case Constant(name=name, value=value):
            printer.put(f"const {name} := ")
            printer.inline(value, Level.SUM)
        case Enumeration(name=name, members=members):
            names = ", ".join(member.name for member in members)
            printer.put("enum ", f"{name} " if name else "", f"{{ {names} }}")
        case Variable():
            put_variable(declaration, printer)
        case _:
            assert_never(declaration)


def put_head(definition: Definition, printer: Printer) -> None:
    """A definition up to its block."""
    is_function = isinstance(definition, Function)
    printer.put("fun " if is_function else "request ", definition.name)
    if not (definition.parameters or is_function):
        return
    printer.put("(")
    for place, parameter in enumerate(definition.parameters):
        printer.put(", " if place > 0 else "")
        _put_parameter(parameter, printer)
    printer.put(")")


def _put_parameter(parameter: Parameter, printer: Printer) -> None:
    printer.put(parameter.name)
    if parameter.values is not None:
        printer.put(" in ")
        put_range(parameter.values, printer)
    elif parameter.kind is not None:
        printer.put(f": {parameter.kind}")


def _first_operand(expression: Surface) -> Surface:
    """Returns what an expression begins with, unless that stands in parentheses."""
    while isinstance(expression, Binary | Logical):
        expression = expression.left
    return expression
