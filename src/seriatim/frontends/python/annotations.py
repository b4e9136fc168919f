"""Values that annotations allow: `bool`, `Literal`, `Enum`, `X | None`, `Annotated[int, Range(0, 3)]`."""

import ast
from dataclasses import replace

from seriatim.frontends.python.domains import (
    BOOLEANS,
    INTEGERS,
    NONE,
    NOTHING,
    Atom,
    Domain,
    Unbounded,
    atomic,
    constant,
    integers,
    join,
    list_numbers,
)
from seriatim.frontends.python.places import Refused, quote_code

Enumerations = dict[str, tuple[str, ...]]
"""The members of each enumeration of the file."""


def read_annotation(node: ast.expr | None, enumerations: Enumerations) -> Domain | None:
    """The values of an annotation; None if it does not say, as `str` does not."""
    try:
        return _read(node, enumerations)
    except Unbounded:
        assert node is not None
        hint = "bound them: Annotated[int, Range(0, 3)] | None, or # ser: 0..3 | None"
        message = f"{quote_code(node)} has infinitely many integers beside other values"
        raise Refused("SER924", message, node, hint) from None


def _read(node: ast.expr | None, enumerations: Enumerations) -> Domain | None:
    match node:
        case ast.Constant(value=None):
            return atomic(NONE)
        case ast.Constant(value=str(text)):
            return _read(ast.copy_location(ast.parse(text, mode="eval").body, node), enumerations)
        case ast.Name(id="bool"):
            return BOOLEANS
        case ast.Name(id="int"):
            return INTEGERS
        case ast.Name(id=name) if name in enumerations:
            return atomic(*(Atom(f"{name}.{member}") for member in enumerations[name]))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _both(_read(left, enumerations), _read(right, enumerations))
        case ast.Subscript(value=base, slice=inner):
            return _subscript(_last_name(base), inner, enumerations)
        case _:
            return None


def _both(left: Domain | None, right: Domain | None) -> Domain | None:
    return None if left is None or right is None else join(left, right)


def _subscript(name: str, inner: ast.expr, enumerations: Enumerations) -> Domain | None:
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    match name:
        case "Literal":
            return literals(parts)
        case "Optional":
            return _both(_read(parts[0], enumerations), atomic(NONE))
        case "Final" | "ClassVar":
            return _read(parts[0], enumerations)
        case "Annotated":
            bounds = next((found for part in parts[1:] if (found := _range(part)) is not None), None)
            return bounds if bounds is not None else _read(parts[0], enumerations)
        case _:
            return None


def literals(parts: list[ast.expr]) -> Domain | None:
    """The values of `Literal[…]`."""
    found = NOTHING
    numbers: list[int] = []
    for part in parts:
        value = literal(part)
        if isinstance(value, int) and not isinstance(value, bool):
            numbers.append(value)
            continue
        known = constant(value)
        if known is None:
            return None
        found = join(found, known[0])
    return join(found, replace(list_numbers(numbers), is_scope=False)) if numbers else found


def literal(node: ast.expr) -> object:
    """The value of a constant, with its sign; `...` if it is not a constant."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return -value
        case _:
            return ...


def _range(node: ast.expr) -> Domain | None:
    """`Range(0, 3)`, or whatever looks like it."""
    match node:
        case ast.Call(func=func, args=[first, second], keywords=[]) if _last_name(func) == "Range":
            low, high = literal(first), literal(second)
            if isinstance(low, int) and isinstance(high, int):
                return integers(low, high, is_scope=True)
    return None


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def container(node: ast.expr | None) -> tuple[str, list[ast.expr]] | None:
    """The kind of a container and what it contains: `dict[K, V]`, `set[K]`, `list[V]`, `Queue[V]`."""
    match node:
        case ast.Subscript(value=base, slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _last_name(base), list(parts)
        case ast.Name() | ast.Attribute():
            return _last_name(node), []
        case _:
            return None
