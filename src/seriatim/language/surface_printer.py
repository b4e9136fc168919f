"""Programs as they are written to text, in either style; what is printed parses to an equal program."""

from typing import assert_never

from seriatim.language.precedence import Level
from seriatim.language.printer import SPELLINGS, Printer, Style
from seriatim.language.recursion import deep_recursion
from seriatim.language.surface import (
    Constant,
    Declaration,
    Definition,
    Enumeration,
    Function,
    Parameter,
    Policy,
    SurfaceProgram,
    Variable,
)


def print_surface(program: SurfaceProgram, style: Style) -> str:
    """The program as text, one declaration or statement a line."""
    paragraphs = []
    if program.declarations:
        lines = (declaration_text(declaration, style) for declaration in program.declarations)
        paragraphs.append("".join(f"{line}\n" for line in lines))
    with deep_recursion():
        paragraphs.extend(definition_text(definition, style) for definition in program.definitions)
    return "\n".join(paragraphs)


def declaration_text(declaration: Declaration, style: Style) -> str:
    """A declaration, on one line."""
    printer = Printer(SPELLINGS[style])
    match declaration:
        case Constant(name=name, value=value):
            printer.put(f"const {name} := ")
            printer.inline(value, Level.SUM)
        case Enumeration(name=name, members=members):
            names = ", ".join(member.name for member in members)
            printer.put("enum ", f"{name} " if name else "", f"{{ {names} }}")
        case Variable(name=name, size=size, values=values, policy=policy, initial=initial):
            printer.put(name)
            if size is not None:
                printer.put("[")
                printer.inline(size, Level.OR)
                printer.put("]")
            if values is not None:
                printer.put(" in ")
                printer.range(values)
            if policy is not Policy.REFUSE:
                printer.put(" ", policy)
            printer.put(" := ")
            printer.inline(initial, Level.SUM)
        case _:
            assert_never(declaration)
    return printer.text()


def definition_text(definition: Definition, style: Style) -> str:
    printer = Printer(SPELLINGS[style])
    printer.put("fun " if isinstance(definition, Function) else "request ", definition.name)
    if definition.parameters or isinstance(definition, Function):
        printer.put("(", ", ".join(parameter_text(each, style) for each in definition.parameters), ")")
    declared = tuple(declaration_text(variable, style) for variable in definition.locals)
    printer.block(definition.body, "", declared)
    return printer.text() + "\n"


def parameter_text(parameter: Parameter, style: Style) -> str:
    if parameter.values is None:
        return parameter.name
    printer = Printer(SPELLINGS[style])
    printer.put(parameter.name, " in ")
    printer.range(parameter.values)
    return printer.text()
