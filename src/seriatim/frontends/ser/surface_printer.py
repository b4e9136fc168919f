"""Programs as they are written to text, in either style; what is printed parses to an equal program."""

from typing import assert_never

from seriatim.frontends.ser.surface import (
    Constant,
    Declaration,
    Definition,
    Enumeration,
    Function,
    SurfaceProgram,
    Variable,
)
from seriatim.program.expression_printer import SPELLINGS, Spelling, Style
from seriatim.program.precedence import Level
from seriatim.program.printer import Statement, StatementPrinter, statements
from seriatim.program.recursion import deep_recursion


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
    return *definition.locals, *statements(definition.body)


class SurfacePrinter(StatementPrinter):
    """Prints what stands outside of blocks, too."""

    def __init__(self, spelling: Spelling) -> None:
        super().__init__(spelling)
        if spelling.before_condition.endswith("("):
            self.loosest_condition = Level.SEQUENCE

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
            self.put(", " if place > 0 else "", parameter.name)
            if parameter.values is not None:
                self.put(" in ")
                self.range(parameter.values)
        self.put(")")
