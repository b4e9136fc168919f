"""Memory of C programs: what they ask for is a variable, if they ask once; whole variables are copied."""

from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.initial import string_values
from seriatim.frontends.c.lvalues import Case
from seriatim.frontends.c.operators import ZERO, Operand
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.structures import copy_members, is_unique, members
from seriatim.frontends.c.symbols import Array, Scalar, Structure, Symbol, scalars
from seriatim.frontends.c.types import INT
from seriatim.program.threads.syntax import Action, Assert, Assign
from seriatim.terms.expressions import TRUE, Constant, Expression, Variable, apply, fold

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements


FREED_TWICE = "memory is freed that was freed before, or that was not asked for"

BLOCKS = ("memset", "memcpy", "memmove")


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
    address = thread.address([(TRUE, symbol)], node)
    if thread.unit.frees and isinstance(address.expression, Constant):
        thread.unit.note_heap(symbol, int(address.expression.value))
    if len(arguments) == 1:
        thread.forget(symbol, node)
    return address


def free(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    """Memory is freed at most once, and only if it was asked for; to free NULL does nothing."""
    span = thread.span(node)
    pointer = thread.keep(thread.value(argument), node).expression
    allowed: Expression = apply("==", pointer, ZERO)
    changes: list[Action] = []
    for name, address in thread.addresses.heap.items():
        thread.unit.note_freed(name)
        is_meant = apply("==", pointer, Constant(address))
        is_there = apply("==", Variable(name), ZERO)
        allowed = apply("||", allowed, apply("&&", is_meant, is_there))
        changes.append(Assign((name,), (apply("?", is_meant, Constant(1), Variable(name)),), span))
    demand = Assert(fold(allowed), span, FREED_TWICE, is_about_memory=True)
    thread.graph.shared((demand, *changes), span, thread.told())
    return Operand(ZERO, INT)


def block_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """`memset` to 0, `memcpy` and `memmove` of whole variables: member by member, as assignments do it."""
    if name not in BLOCKS or len(arguments) != 3:
        return None
    span = thread.span(node)
    if thread.unit.uses_result(name):
        refuse(f"the result of `{name}`", span, "use the address itself")
    target, given, size = arguments
    targets = region(thread, target, size, node)
    if name == "memset":
        if fold(thread.value(given).expression) != ZERO:
            refuse("`memset` with another value than 0", span, "write a loop")
        for each in members(tuple(targets)):
            thread.write(each, ZERO, node)
        return Operand(ZERO, INT)
    sources = region(thread, given, size, node)
    if len({tuple(each.type.kind for each in scalars(symbol)) for _, symbol in (*targets, *sources)}) != 1:
        refuse(f"`{name}` between variables of different types", span, "assign member by member")
    copy_members(thread, targets, sources, node)
    return Operand(ZERO, INT)


def region(thread: "Statements", node: c_ast.Node, size: c_ast.Node, call: c_ast.FuncCall) -> list[Case]:
    """The whole variables to which a pointer leads, if they have this size."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    named = isinstance(node, c_ast.ID | c_ast.StructRef | c_ast.ArrayRef) and not thread.is_alias(node)
    whole = thread.without_effect(lambda: thread.cases(node)) if named else []
    is_array = bool(whole) and all(isinstance(symbol, Array) for _, symbol in whole)
    cases = thread.cases(node) if is_array else thread.pointed(node)
    wanted = thread.known_number(size)
    for _, symbol in cases:
        found = size_and_alignment(symbol)
        if wanted is None or found is None or found[0] != wanted or is_unique(symbol):
            refuse("a part of a variable", thread.span(call), "use whole variables: &x, sizeof(x)")
    return cases


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


def bytes_of(thread: "Statements", node: c_ast.Node, where: c_ast.Node, is_alignment: bool = False) -> int:
    """`sizeof` or `_Alignof`: of a type, a variable, or the value of an expression that is not evaluated."""
    if isinstance(node, c_ast.Typename):
        symbol: Symbol = thread.unit.symbol_like(node.type, "$size", lambda _name, _type: False, where)
    elif string_values(node) is not None:
        return 1 if is_alignment else len(string_values(node) or []) + 1
    elif is_lvalue(node) and not thread.is_alias(node) and not thread.is_constant(node):
        symbol = thread.without_effect(lambda: thread.cases(node))[0][1]
    else:
        value = thread.unevaluated(node)
        if not value.cases:
            return (value.type.bits + 7) // 8
        symbol = value.cases[0][1]
    found = size_and_alignment(symbol)
    if found is None:
        refuse("the size of this", thread.span(where), "use a number")
    return found[is_alignment]


def is_lvalue(node: c_ast.Node) -> bool:
    """Whether an expression stands for a variable."""
    match node:
        case c_ast.UnaryOp(op=op):
            return bool(op == "*")
        case _:
            return isinstance(node, c_ast.ID | c_ast.StructRef | c_ast.ArrayRef | c_ast.CompoundLiteral)


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
