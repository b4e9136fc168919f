"""Addresses of elements: `&a[i]` is `a + i`, and that may lie just behind the last element.

Arrays of arrays keep the numbers of their rows; there, an index has to be inside.
"""

from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.cases import OUTSIDE
from seriatim.frontends.c.effects import is_plain
from seriatim.frontends.c.operators import ZERO, Operand
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Array, Symbol
from seriatim.terms.expressions import Constant, apply, fold

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements


def address_of(thread: "Statements", operand: c_ast.Node, node: c_ast.Node) -> Operand:
    """`&x`; `&*p` is `p`, wherever that points to."""
    if isinstance(operand, c_ast.UnaryOp) and operand.op == "*" and not thread.is_alias(operand.expr):
        return thread.value(operand.expr)
    if not isinstance(operand, c_ast.ArrayRef) or is_row(thread, operand):
        return thread.address(thread.cases(operand), node)
    sizes = {len(each.elements) for each in named(thread, operand.name) if isinstance(each, Array)}
    pointer = thread.value(operand.name)
    if not is_plain(operand.subscript):
        pointer = thread.keep(pointer, node)
    index = thread.keep(thread.value(operand.subscript), operand.subscript)
    if len(sizes) == 1:
        number, most = index.expression, Constant(sizes.pop())
        inside = apply("&&", apply("<=", ZERO, number), apply("<=", number, most))
        thread.demand(fold(inside), OUTSIDE, node)
    return thread.moved(pointer, index, node)


def is_inside(thread: "Statements", operand: c_ast.Node) -> bool:
    """Whether an operand of `&` is one variable, and not what may lie behind an array, or nowhere."""
    if isinstance(operand, c_ast.UnaryOp) and operand.op == "*":
        return thread.is_alias(operand.expr)
    if not isinstance(operand, c_ast.ArrayRef):
        return True
    arrays, number = named(thread, operand.name), thread.known_number(operand.subscript)
    if number is None or len(arrays) != 1 or not isinstance(arrays[0], Array):
        return False
    return 0 <= number < len(arrays[0].elements)


def is_row(thread: "Statements", node: c_ast.ArrayRef) -> bool:
    """Whether an element is an array."""
    found = named(thread, node.name)
    return any(isinstance(each, Array) and isinstance(each.elements[0], Array) for each in found)


def named(thread: "Statements", node: c_ast.Node) -> list[Symbol]:
    """The variables that an expression names; none for values."""
    if not isinstance(node, c_ast.ID | c_ast.StructRef | c_ast.ArrayRef) or thread.is_alias(node):
        return []
    return [symbol for _, symbol in thread.without_effect(lambda: thread.cases(node))]


def look_at_overlap(thread: "Statements", node: c_ast.Node) -> None:
    """Raises `InputError` where pointers of unknown types are compared that may point to a structure and to
    its first member, which have the same address."""
    if thread.addresses.overlap():
        what = "a comparison of pointers without types, to variables and to parts of them,"
        refuse(what, thread.span(node), "compare pointers of the same type")


def look_at_moves(thread: "Statements", node: c_ast.Node) -> None:
    """Raises `InputError` where something is added to the address of a whole array, or of no known size."""
    for each in (node.left, node.right) if isinstance(node, c_ast.BinaryOp) else ():
        if isinstance(each, c_ast.Cast) and thread.pointer_to(each.to_type) == "void":
            refuse("arithmetic on a pointer without a type", thread.span(node), "cast it to its type")
        is_address = isinstance(each, c_ast.UnaryOp) and each.op == "&"
        if is_address and any(isinstance(symbol, Array) for symbol in named(thread, each.expr)):
            refuse(
                "arithmetic on the address of an array", thread.span(node), "use that of its first element"
            )
