"""A program as it is written, as a program of the core: one handler for each choice of arguments.

What uses none of the surface's additions stays as it is, node by node.
"""

from collections.abc import Iterator
from itertools import product

from seriatim.frontends.ser import names
from seriatim.frontends.ser.findings import Findings
from seriatim.frontends.ser.frames import Frame, Size, cells
from seriatim.frontends.ser.scope import Scope, Values, read_scope
from seriatim.frontends.ser.surface import Request, SurfaceProgram, Variable
from seriatim.frontends.ser.translation import Translation
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import Handler, InitialValue, Names, Number, Program


def desugar(surface: SurfaceProgram, findings: Findings) -> Program:
    """The core program; raises `InputError` if anything is wrong, also with what was found before."""
    scope = read_scope(surface, findings)
    names.check(surface, scope, findings)
    if findings:
        raise findings.error()
    size = Size(findings)
    with deep_recursion():
        handlers = [
            handler
            for definition in surface.definitions
            if isinstance(definition, Request)
            for handler in expanded(definition, scope, size)
        ]
    initial = tuple(initial_values(surface, scope))
    return Program(initial, tuple(handlers), value_names=value_names(scope))


def value_names(scope: Scope) -> Names:
    """The names of the values of those globals whose range is an `enum`."""
    return {
        cell: dict(enumerate(shape.values.names))
        for name, shape in scope.globals.items()
        if shape.values is not None and shape.values.names
        for cell in cells(name, shape)
    }


def initial_values(surface: SurfaceProgram, scope: Scope) -> Iterator[InitialValue]:
    for declaration in surface.declarations:
        if isinstance(declaration, Variable):
            shape = scope.globals[declaration.name]
            for name in cells(declaration.name, shape):
                yield InitialValue(name, shape.initial, declaration.span)


def expanded(request: Request, scope: Scope, size: Size) -> Iterator[Handler]:
    """A handler for each choice of arguments."""
    ranges: list[Values] = []
    for parameter in request.parameters:
        assert parameter.values is not None, "parameters have been checked"
        values = scope.range(parameter.values, size.findings)
        assert values is not None, "ranges have been checked"
        ranges.append(values)
    for arguments in product(*(values.all() for values in ranges)):
        translation = Translation(scope, size)
        frame = Frame("", translation.shapes(request))
        given = [
            (parameter, Number(value, parameter.span))
            for parameter, value in zip(request.parameters, arguments, strict=True)
        ]
        body = translation.body(request, frame, given)
        yield Handler(label(request.name, ranges, arguments), body, request.span)


def label(name: str, ranges: list[Values], arguments: tuple[int, ...]) -> str:
    """What a request with these arguments is called: `transfer(0, 2)`."""
    if not ranges:
        return name
    shown = (values.name(value) for values, value in zip(ranges, arguments, strict=True))
    return f"{name}({', '.join(shown)})"
