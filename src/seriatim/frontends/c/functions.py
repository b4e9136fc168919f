"""Pointers to functions: a function whose address is used has a number, as a variable has one.

So pointers to functions are copied, compared and kept in arrays and structures like all others. A call
through one goes to the function with that number, among those of its type; if there is none, it fails like
an assertion.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.lvalues import Case
from seriatim.frontends.c.operators import ZERO, Operand
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.structures import copy, structure_value
from seriatim.frontends.c.symbols import Function
from seriatim.frontends.c.types import INT
from seriatim.program.threads.syntax import Assign
from seriatim.terms.expressions import TRUE, Expression, Variable

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

Functions = list[tuple[Expression, str]]
"""Where a condition holds, the function is meant; empty names stand for none."""


def name_called(thread: "Statements", node: c_ast.Node) -> str | None:
    """The name of a function that an expression is; None for pointers."""
    if not isinstance(node, c_ast.ID) or thread.scopes.find(node.name) is not None or thread.is_alias(node):
        return None
    return str(node.name)


def functions_at(thread: "Statements", node: c_ast.Node) -> Functions:
    """The functions that an expression may stand for, which is one or a pointer to one."""
    named = node.expr if isinstance(node, c_ast.UnaryOp) and node.op in ("&", "*") else node
    name = name_called(thread, named)
    if name is not None:
        if not thread.is_own(name):
            refuse(f"`{name}`, which has no body,", thread.span(node), "define the function")
        return [(TRUE, name)]
    is_followed = isinstance(node, c_ast.UnaryOp) and node.op == "*"
    cases = thread.pointed(named) if is_followed else thread.at(thread.value(node), node)
    found: Functions = []
    for condition, symbol in cases:
        if not isinstance(symbol, Function):
            refuse("a call of something that is not a function", thread.span(node), "name a function")
        found.append((condition, symbol.name))
    return found


def each_function(
    thread: "Statements", functions: Functions, work: Callable[[str], Operand], node: c_ast.Node
) -> Operand:
    """Does something with the function that is meant."""
    if len(functions) == 1:
        return do(functions[0][1], work)
    span = thread.span(node)
    result, end = thread.fresh("$answer"), thread.graph.place()
    found = Operand(ZERO, INT)
    structure: list[Case] = []
    for number, (condition, name) in enumerate(functions):
        otherwise = thread.graph.place()
        if number + 1 < len(functions):  # The last one is meant if no other is.
            here = thread.graph.place()
            thread.graph.branch(condition, here, otherwise, span, f"calls {name}")
            thread.graph.here = here
        found = do(name, work)
        if found.cases:
            structure = structure or [(TRUE, thread.temporary(found.cases[0][1]))]
            copy(thread, structure, found, node)
        thread.graph.locally(Assign((result,), (found.expression,), span))
        if thread.graph.here is not None:
            thread.graph.go(end, span)
        thread.graph.here = otherwise
    thread.graph.here = end
    if structure:
        return structure_value(structure)
    return Operand(Variable(result), found.type, points_to=found.points_to)


def do(name: str, work: Callable[[str], Operand]) -> Operand:
    """What points to no function has failed before."""
    return work(name) if name else Operand(ZERO, INT)
