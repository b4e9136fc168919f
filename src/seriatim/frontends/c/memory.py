"""Memory of C programs: what they ask for are variables, as many as they may ask for; whole variables are
copied.

How much memory there is has a limit where a program may ask for more: what lies beyond is not looked at
(`seriatim.program.threads.limits`).
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.effects import is_plain
from seriatim.frontends.c.initial import string_values
from seriatim.frontends.c.lvalues import Case
from seriatim.frontends.c.operators import ONE, ZERO, Operand
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.structures import copy_members, is_unique, members
from seriatim.frontends.c.symbols import Array, Scalar, Structure, Symbol, name_of, scalars
from seriatim.frontends.c.types import INT
from seriatim.program.threads.syntax import Action, Assert, Assign
from seriatim.source import Diagnostic, Severity
from seriatim.terms.expressions import TRUE, Constant, Expression, Variable, apply, fold

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements


MAX_BLOCKS = 4
"""How often a program may ask for memory at one place where it can come again."""
MAX_LENGTH = 8
"""Elements of memory of variable size."""
FREED_TWICE = "memory is freed that was freed before, or that was not asked for"

BLOCKS = ("memset", "memcpy", "memmove")


def allocate(thread: "Statements", arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
    """What is asked for once is a variable. Where a program may ask more often, there are a few, which it
    gets one after the other; what it holds at first is arbitrary, unless `calloc` says 0."""
    amount = amount_of(thread, arguments[-1], node)
    is_empty = len(arguments) == 2
    if is_empty:
        amount = amount.times(thread, arguments[0], node)
    length = None if amount.factor is None else thread.keep(thread.value(amount.factor), node).expression
    known = None if length is None else thread.graph.constant(length)
    if length is None or known is not None:
        count, length = amount.count * (1 if known is None else int(known.value)), None
    else:
        count, length = MAX_LENGTH, fold(apply("*", length, Constant(amount.count)))
    if not thread.unit.frees:
        note_leak(thread, node)
    is_repeated = not thread.runs_once() or thread.is_in_loop()
    blocks = [
        thread.unit.allocated(amount.type, count, thread.span(node))
        for _ in range(MAX_BLOCKS if is_repeated else 1)
    ]
    for each in blocks:
        address = thread.address_of(each, node)
        if thread.unit.frees and address:
            thread.unit.note_heap(each, address)
    which = next_block(thread, blocks, length, node) if is_repeated or length is not None else ZERO
    if not is_empty:
        for each in blocks:
            thread.unit.leave_open(each)
    cases: list[Case] = [
        (apply("==", which, Constant(number)) if is_repeated else TRUE, each)
        for number, each in enumerate(blocks)
    ]
    return thread.address(cases, node)


def note_leak(thread: "Statements", node: c_ast.FuncCall) -> None:
    """Notes memory that nobody frees, since the program never calls `free`."""
    span = thread.span(node)
    message = f"memory that line {span.line} asks for is never freed"
    hint = "call `free` when no thread uses it any more"
    leak = Diagnostic("SER726", message, span, hint, severity=Severity.NOTE)
    thread.unit.leaks.setdefault(span.line, leak)


def next_block(
    thread: "Statements", blocks: list[Symbol], length: Expression | None, node: c_ast.FuncCall
) -> Expression:
    """The number of the block that a program gets now: one step. Blocks of which the length is not known
    before have a variable for it."""
    span, which = thread.span(node), thread.fresh("$block")
    actions: list[Action] = []
    if len(blocks) > 1:
        asked = f"$asked.{name_of(blocks[0])}"
        thread.unit.note_number(asked)
        count = Variable(asked)
        says = f"memory that is asked for more than {len(blocks)} times in line {span.line} is not looked at"
        actions += [
            Assert(apply("<", count, Constant(len(blocks))), span, says, is_limit=True),
            Assign((which,), (count,), span),
            Assign((asked,), (apply("+", count, ONE),), span),
        ]
    else:
        actions.append(Assign((which,), (ZERO,), span))
    if length is not None:
        says = f"memory for more than {MAX_LENGTH} elements in line {span.line} is not looked at"
        actions.append(Assert(is_possible(length, ZERO), span, says, is_limit=True))
        for number, block in enumerate(blocks):
            name = thread.unit.note_length(block)
            is_meant = apply("==", Variable(which), Constant(number))
            actions.append(Assign((name,), (apply("?", is_meant, length, Variable(name)),), span))
    thread.graph.shared(tuple(actions), span, thread.told())
    return Variable(which)


def is_possible(length: Expression, least: Expression) -> Expression:
    """Whether a length is one that is looked at."""
    return apply("&&", apply("<=", least, length), apply("<=", length, Constant(MAX_LENGTH)))


def free(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    """Memory is freed at most once, and only if it was asked for; to free NULL does nothing."""
    span = thread.span(node)
    pointer = thread.keep(thread.value(argument), node).expression
    allowed: Expression = apply("==", pointer, ZERO)
    changes: list[Action] = []
    for name, address in thread.addresses.heap.items():
        thread.unit.note_number(name)
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


@dataclass(frozen=True, slots=True)
class Amount:
    """How much memory is asked for: so many times a number that is not known before."""

    type: c_ast.Node
    count: int = 1
    factor: c_ast.Node | None = None

    def times(self, thread: "Statements", node: c_ast.Node, call: c_ast.FuncCall) -> "Amount":
        """So many times as much."""
        number = thread.known_number(node)
        if number is not None:
            return replace(self, count=self.count * number)
        if self.factor is not None or not is_plain(node):
            refuse("memory of this size", thread.span(call), "write n * sizeof(type)")
        return replace(self, factor=node)


def amount_of(thread: "Statements", node: c_ast.Node, call: c_ast.FuncCall) -> Amount:
    """What a size in bytes stands for; a plain number for so many characters."""
    match node:
        case c_ast.UnaryOp(op="sizeof", expr=c_ast.Typename() as named):
            return Amount(named.type)
        case c_ast.UnaryOp(op="sizeof", expr=c_ast.UnaryOp(op="*", expr=pointer)):
            kind = thread.unevaluated(pointer).points_to
            if kind not in thread.unit.seen:
                refuse("memory of this size", thread.span(call), "write n * sizeof(type)")
            return Amount(thread.unit.seen[kind])
        case c_ast.BinaryOp(op="*", left=left, right=c_ast.UnaryOp(op="sizeof") as right):
            return amount_of(thread, right, call).times(thread, left, call)
        case c_ast.BinaryOp(op="*", left=c_ast.UnaryOp(op="sizeof") as left, right=right):
            return amount_of(thread, left, call).times(thread, right, call)
        case _ if (number := thread.known_number(node)) is not None:
            word = c_ast.IdentifierType(["char"], node.coord)
            return Amount(c_ast.TypeDecl(None, [], None, word, node.coord), number)
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
        if name_of(symbol) in thread.lengths:
            refuse("the size of an array of variable length", thread.span(where), "use its length")
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
