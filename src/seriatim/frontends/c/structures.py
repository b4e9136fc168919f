"""Structures as values: what is assigned, passed or returned is copied member by member, in order.

Each access to a member that others can see is a step of its own, as everywhere: a thread can see a structure
of which only a part has been copied. What a pointer or an index leads to is decided once, before the copy
begins.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.lvalues import Case, Lvalue, Lvalues
from seriatim.frontends.c.operators import ZERO, Operand, convert
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Array, Attributes, Scalar, Structure, Symbol, holds_opaque, scalars
from seriatim.frontends.c.types import INT
from seriatim.program.threads.symbolic import conjunction
from seriatim.program.threads.syntax import Integers, Type
from seriatim.terms.expressions import TRUE, Expression, negation

if TYPE_CHECKING:
    from seriatim.frontends.c.expressions import Expressions


def structure_value(cases: list[Case]) -> Operand:
    """A structure, which is read where it is copied to."""
    return Operand(ZERO, INT, cases=tuple(cases))


def copy(thread: Lvalues, targets: list[Case], value: Operand, node: c_ast.Node) -> Operand:
    """`a = b` of structures."""
    kinds = {symbol.kind if isinstance(symbol, Structure) else "" for _, symbol in (*targets, *value.cases)}
    if not value.cases or len(kinds) != 1:
        refuse("this as a value of a structure", thread.span(node), "use a structure of the same type")
    if any(is_unique(symbol) for _, symbol in (*targets, *value.cases)):
        what = "a copy of a structure with a lock or an id of a thread in it"
        refuse(what, thread.span(node), "copy its other members one by one")
    copy_members(thread, targets, list(value.cases), node)
    return structure_value(targets)


def copy_members(thread: Lvalues, targets: list[Case], sources: list[Case], node: c_ast.Node) -> None:
    """One variable after the other, each with its own type."""
    for source, target in zip(members(tuple(sources)), members(tuple(targets)), strict=True):
        read = thread.read(source, node)
        thread.write(target, convert(read, target.type), node)


def members(cases: tuple[Case, ...]) -> list[Lvalue]:
    """The variables in a structure, of which there may be several."""
    listed = [[(condition, scalar) for scalar in scalars(symbol)] for condition, symbol in cases]
    return [Lvalue(found) for found in zip(*listed, strict=True)]


def is_unique(symbol: Symbol) -> bool:
    """Whether a copy of it would be something else: objects of pthreads have no copies."""
    match symbol:
        case Attributes():
            return True
        case Structure(members=inside):
            return any(map(is_unique, inside.values()))
        case Array(elements=elements):
            return any(map(is_unique, elements))
        case _:
            return holds_opaque(symbol)


def local_like(symbol: Symbol, name: str, note: Callable[[str, Type], bool]) -> Symbol:
    """New variables of the same types."""
    match symbol:
        case Scalar():
            return replace(symbol, name=name, shared=note(name, Integers()))
        case Structure(kind=kind, members=inside):
            copies = {key: local_like(member, f"{name}.{key}", note) for key, member in inside.items()}
            return Structure(name, kind, copies)
        case Array(elements=elements):
            found = (local_like(each, f"{name}[{n}]", note) for n, each in enumerate(elements))
            return Array(name, tuple(found))
        case _:
            return symbol


def either(test: Expression, one: Operand, other: Operand) -> Operand:
    """The structure that `test ? one : other` is; the test is on what nobody changes."""
    found = chain(
        ((conjunction((test, condition)), symbol) for condition, symbol in one.cases),
        ((conjunction((negation(test), condition)), symbol) for condition, symbol in other.cases),
    )
    return structure_value(list(found))


def choose(
    thread: "Expressions",
    condition: c_ast.Node,
    parts: tuple[c_ast.Node, c_ast.Node],
    like: Operand,
    node: c_ast.Node,
) -> Operand:
    """`condition ? one : other`, where evaluating one of them does something: it is copied on its way."""
    found: list[Case] = [(TRUE, thread.temporary(like.cases[0][1]))]
    yes, no, end = (thread.graph.place() for _ in range(3))
    thread.condition(condition, yes, no)
    for place, part in zip((yes, no), parts, strict=True):
        thread.graph.here = place
        copy(thread, found, thread.value(part), node)
        thread.graph.go(end, thread.span(node))
    thread.graph.here = end
    return structure_value(found)
