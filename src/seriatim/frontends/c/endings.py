"""What a thread does before it ends: handlers that it has pushed, and destructors of its own data.

`pthread_cleanup_push` and `pthread_cleanup_pop` enclose code, so the handlers that wait at a call of
`pthread_exit` are known. A key of thread-specific data is a variable of each thread, which starts as NULL. A
destructor is called once: one that stores a new value would be called again, and is refused.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.functions import Functions, each_function, functions_at
from seriatim.frontends.c.inlining import inline
from seriatim.frontends.c.operators import ZERO, Operand, convert
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Key, Scalar
from seriatim.frontends.c.types import INT, POINTER
from seriatim.program.threads.syntax import Assign
from seriatim.source import Span
from seriatim.terms.expressions import Constant, Variable, apply, fold

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

ARGUMENT = "$argument"


@dataclass(frozen=True, slots=True)
class Handler:
    """A function to call, and its argument."""

    functions: Functions
    argument: Operand


def ending_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """Handlers and thread-specific data; None for other functions."""
    match name, arguments:
        case "pthread_cleanup_push", [function, argument]:
            functions = functions_at(thread, uncast(function))
            thread.handlers.append(Handler(functions, thread.keep(thread.value(argument), node)))
        case "pthread_cleanup_pop", [whether]:
            pop(thread, whether, node)
        case "pthread_key_create", [_, _]:
            pass  # Keys and their destructors are known from the start.
        case "pthread_key_delete", [_]:
            pass
        case "pthread_getspecific", [which]:
            return Operand(Variable(own(thread, which, node)), POINTER, points_to="void")
        case "pthread_setspecific", [which, value]:
            stored = thread.value(value)
            name = own(thread, which, node)
            thread.graph.locally(Assign((name,), (convert(stored, POINTER),), thread.span(node)))
        case _:
            return None
    return Operand(ZERO, INT)


def uncast(node: c_ast.Node) -> c_ast.Node:
    return uncast(node.expr) if isinstance(node, c_ast.Cast) else node


def pop(thread: "Statements", whether: c_ast.Node, node: c_ast.Node) -> None:
    """Takes the last handler away, and calls it if that is wanted."""
    if not thread.handlers:
        refuse("`pthread_cleanup_pop` without a push before it", thread.span(node), "push a handler")
    handler = thread.handlers.pop()
    wanted = fold(thread.value(whether).expression)
    if isinstance(wanted, Constant):
        if wanted.value:
            call(thread, handler, node)
        return
    yes, end = thread.graph.place(), thread.graph.place()
    thread.graph.branch(apply("!=", wanted, ZERO), yes, end, thread.span(node), thread.told())
    thread.graph.here = yes
    call(thread, handler, node)
    thread.graph.join_at(end, thread.span(node))


def call(thread: "Statements", handler: Handler, node: c_ast.Node) -> None:
    """The body of the function, with the argument under a name that no program has."""
    name = thread.fresh(ARGUMENT)
    value = handler.argument
    thread.graph.locally(Assign((name,), (value.expression,), thread.span(node)))
    thread.scopes.enter()
    thread.scopes.declare(ARGUMENT, Scalar(name, value.type, shared=False, points_to=value.points_to))
    given = c_ast.ID(ARGUMENT, node.coord)
    made = c_ast.FuncCall(c_ast.ID("handler", node.coord), None, node.coord)
    each_function(thread, handler.functions, lambda each: inline(thread, each, [given], made), node)
    thread.scopes.leave()


def finish(thread: "Statements", node: c_ast.Node, has_left: bool) -> None:
    """All that happens before a thread ends: handlers if it calls `pthread_exit`, the last one first, and
    then destructors."""
    kept = list(thread.handlers)
    while has_left and thread.handlers:
        call(thread, thread.handlers.pop(), node)
    for key, function in thread.unit.destructors.items():
        name = own_name(thread, key)
        old = Operand(Variable(thread.fresh("$old")), POINTER, points_to="void")
        span = thread.span(node)
        assert isinstance(old.expression, Variable)
        thread.graph.locally(Assign((old.expression.name,), (Variable(name),), span))
        yes, end = thread.graph.place(), thread.graph.place()
        thread.graph.branch(apply("!=", old.expression, ZERO), yes, end, span, f"calls {function}")
        thread.graph.here = yes
        thread.graph.locally(Assign((name,), (ZERO,), span))
        call(thread, Handler(functions_at(thread, c_ast.ID(function, node.coord)), old), node)
        thread.graph.join_at(end, span)
    thread.handlers[:] = kept


def own(thread: "Statements", node: c_ast.Node, where: c_ast.Node) -> str:
    """The variable of a thread for a key."""
    cases = thread.cases(node)
    if len(cases) != 1 or not isinstance(cases[0][1], Key):
        refuse("this as a key of data of threads", thread.span(where), "name a variable of pthread_key_t")
    symbol = cases[0][1]
    assert isinstance(symbol, Key)
    return own_name(thread, symbol.name)


def own_name(thread: "Statements", key: str) -> str:
    if key not in thread.specific:
        refuse("a key that is a local", Span(1, 1, 1, 1, thread.source.file), "make it global")
    return thread.specific[key]


def begin(thread: "Statements", node: c_ast.Node) -> None:
    """Data of a thread starts as NULL."""
    for key in thread.unit.keys:
        name = thread.specific[key] = thread.fresh(f"$own.{key}")
        thread.graph.locally(Assign((name,), (ZERO,), thread.span(node)))
