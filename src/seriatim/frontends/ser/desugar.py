"""Translates a surface program to a core program, with one handler for each choice of arguments.

What uses none of the surface's additions stays as it is, node by node.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from seriatim.frontends.ser import names
from seriatim.frontends.ser.scope import EXAMPLE_CELLS, Frame, Scope, Size, Values, cells, read_scope
from seriatim.frontends.ser.surface import Parameter, Request, SurfaceProgram, Variable
from seriatim.frontends.ser.translation import Translation
from seriatim.program.recursion import deep_recursion
from seriatim.program.state import Names
from seriatim.program.syntax import (
    Expression,
    Handler,
    InitialValue,
    Number,
    OpenArray,
    Program,
    Read,
    UnboundedHandler,
)
from seriatim.source import Findings


def desugar(surface: SurfaceProgram, findings: Findings) -> Program:
    """The core program; raises `InputError` if anything is wrong, also with what was found before."""
    scope = read_scope(surface, findings)
    names.check(surface, scope, findings)
    if findings:
        raise findings.error()
    size = Size(findings)
    with deep_recursion():
        requests = [each for each in surface.definitions if isinstance(each, Request)]
        handlers = [handler for request in requests for handler in expand(request, scope, size)]
        unbounded: list[UnboundedHandler] = []
        if scope.kinds or any(map(takes_any_integer, requests)):
            unbounded = [each for request in requests for each in keep_open(request, scope, size)]
    initial = tuple(initial_values(surface, scope))
    return Program(
        initial,
        tuple(handlers),
        value_names=value_names(scope),
        unbounded_handlers=tuple(unbounded),
        open_arrays=open_arrays(scope),
    )


def open_arrays(scope: Scope) -> "tuple[OpenArray, ...]":
    shapes = scope.globals.items()
    found = [(name, shape.index, shape.initial) for name, shape in shapes if shape.index is not None]
    if not found:
        return ()
    return tuple(OpenArray(*each) for each in found)


def takes_any_integer(request: Request) -> bool:
    return any(parameter.is_any_integer for parameter in request.parameters)


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


def expand(request: Request, scope: Scope, size: Size) -> Iterator[Handler]:
    """A handler for each choice of arguments; for a few integers where arguments may be any integer."""
    few = FEW[min(sum(parameter.is_any_integer for parameter in request.parameters), len(FEW) - 1)]
    ranges = [
        EXAMPLES if each.kind in scope.kinds else few if each.is_any_integer else range_of(each, scope, size)
        for each in request.parameters
    ]
    for arguments in product(*(values.all() for values in ranges)):
        given = [
            (parameter, Number(value, parameter.span))
            for parameter, value in zip(request.parameters, arguments, strict=True)
        ]
        name = label(request.name, ranges, arguments)
        yield Handler(name, body_of(request, given, scope, size, is_open=False), request.span)


def keep_open(request: Request, scope: Scope, size: Size) -> "Iterator[UnboundedHandler]":
    """A handler for each choice of those arguments that have a range."""
    own = tuple(each.name for each in request.parameters if each.is_any_integer)
    choices: list[list[Number | Read]] = [
        [Read(each.name, each.span)]
        if each.is_any_integer
        else [Number(value, each.span) for value in range_of(each, scope, size).all()]
        for each in request.parameters
    ]
    for arguments in product(*choices):
        shown = ", ".join(each.name if isinstance(each, Read) else str(each.value) for each in arguments)
        given: list[tuple[Parameter, Expression]] = list(zip(request.parameters, arguments, strict=True))
        name = f"{request.name}({shown})" if arguments else request.name
        yield UnboundedHandler(name, own, body_of(request, given, scope, size, is_open=True))


def range_of(parameter: Parameter, scope: Scope, size: Size) -> Values:
    assert parameter.values is not None, "parameters have been checked"
    values = scope.range(parameter.values, size.findings)
    assert values is not None, "ranges have been checked"
    return values


def body_of(
    request: Request, given: Sequence[tuple[Parameter, Expression]], scope: Scope, size: Size, is_open: bool
) -> Expression:
    translation = Translation(scope, size, is_open)
    return translation.body(request, Frame("", translation.shapes(request)), given)


EXAMPLES = Values(0, EXAMPLE_CELLS - 1)
"""The indices to try, for arrays with a cell for each integer."""

FEW = (Values(0, 0), Values(-1, 3), Values(0, 2), Values(0, 1))
"""The integers to try for parameters without range, by the number of such parameters."""


def label(name: str, ranges: list[Values], arguments: tuple[int, ...]) -> str:
    """The name of a request with these arguments, such as `transfer(0, 2)`."""
    if not ranges:
        return name
    shown = (values.name(value) for values, value in zip(ranges, arguments, strict=True))
    return f"{name}({', '.join(shown)})"
