"""Memory that a C program asks for: a variable, if it asks once."""

from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.operators import Operand
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Array, Scalar, Structure, Symbol
from seriatim.program.threads.expressions import TRUE

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements


def allocate(thread: "Statements", arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
    """Memory that is asked for once is a variable; what it holds at first is arbitrary."""
    span = thread.span(node)
    if not thread.runs_once() or thread.is_in_loop():
        remedy = "ask for it outside loops, in main or in a thread that is started once, or use variables"
        refuse("memory that may be asked for more than once", span, remedy)
    type_, count = size_of(thread, arguments[-1], node)
    if len(arguments) == 2:  # calloc
        count *= thread.unit.constant(arguments[0])
    symbol = thread.unit.allocated(type_, count, span)
    if len(arguments) == 1:
        thread.forget(symbol, node)
    return thread.address([(TRUE, symbol)], node)


def size_of(thread: "Statements", node: c_ast.Node, call: c_ast.FuncCall) -> tuple[c_ast.Node, int]:
    """The type whose size an expression is, and how many of them."""
    match node:
        case c_ast.UnaryOp(op="sizeof", expr=c_ast.Typename() as named):
            return named.type, 1
        case c_ast.UnaryOp(op="sizeof", expr=c_ast.UnaryOp(op="*", expr=pointer)):
            kind = thread.unevaluated(pointer).points_to
            if kind not in thread.unit.seen:
                refuse("memory of this size", thread.span(call), "write n * sizeof(type)")
            return thread.unit.seen[kind], 1
        case c_ast.BinaryOp(op="*", left=left, right=c_ast.UnaryOp(op="sizeof") as right):
            type_, count = size_of(thread, right, call)
            return type_, count * thread.unit.constant(left)
        case c_ast.BinaryOp(op="*", left=c_ast.UnaryOp(op="sizeof") as left, right=right):
            type_, count = size_of(thread, left, call)
            return type_, count * thread.unit.constant(right)
        case _:
            return refuse("memory of this size", thread.span(call), "write n * sizeof(type)")


def bytes_of(thread: "Statements", node: c_ast.Node, where: c_ast.Node) -> int:
    """`sizeof`: of a type, of a variable, or of the value of an expression that is not evaluated."""
    if isinstance(node, c_ast.Typename):
        symbol: Symbol = thread.unit.symbol_like(node.type, "$size", lambda _name, _type: False, where)
    elif isinstance(node, c_ast.ID | c_ast.StructRef | c_ast.ArrayRef) and not thread.is_alias(node):
        symbol = thread.without_effect(lambda: thread.cases(node))[0][1]
    else:
        return (thread.unevaluated(node).type.bits + 7) // 8
    found = size_and_alignment(symbol)
    return refuse("the size of this", thread.span(where), "use a number") if found is None else found[0]


def size_and_alignment(symbol: Symbol) -> tuple[int, int] | None:
    """In bytes, on 64-bit systems; None where it depends on the library."""
    match symbol:
        case Scalar(type=type_):
            return (type_.bits + 7) // 8, (type_.bits + 7) // 8
        case Array(elements=elements):
            inner = size_and_alignment(elements[0])
            return None if inner is None else (inner[0] * len(elements), inner[1])
        case Structure(members=members):
            place, widest = 0, 1
            for member in members.values():
                inner = size_and_alignment(member)
                if inner is None:
                    return None
                size, alignment = inner
                place = -(-place // alignment) * alignment + size
                widest = max(widest, alignment)
            return -(-place // widest) * widest, widest
        case _:
            return None
