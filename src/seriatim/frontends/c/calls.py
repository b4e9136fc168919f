"""Functions that are known without a body: pthreads, and what verification tools define."""

import re
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.expressions import is_plain
from seriatim.frontends.c.operators import ONE, ZERO, Operand, truth
from seriatim.frontends.c.preprocessing import ASSERTION
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Cells, Condition, Mutex
from seriatim.frontends.c.types import INT, named
from seriatim.program.threads.expressions import FALSE, Binary, Constant, Expression, Variable
from seriatim.program.threads.syntax import Assert, Assign, Assume, Fork, Join

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

NOTHING = Operand(ZERO, INT)
"""What functions return that succeed."""

NONDET = re.compile(r"__VERIFIER_nondet_(\w+)")
SPECIAL = frozenset(
    (
        *("assert", ASSERTION, "reach_error", "__VERIFIER_error", "__assert_fail", "abort", "exit", "_exit"),
        *("__VERIFIER_assume", "assume_abort_if_not", "__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"),
        *("__VERIFIER_assert", "pthread_exit", "pthread_create", "pthread_join", "pthread_mutex_lock"),
        *("pthread_mutex_unlock", "pthread_mutex_trylock", "pthread_mutex_init", "pthread_mutex_destroy"),
        *("pthread_cond_wait", "pthread_cond_signal", "pthread_cond_broadcast", "pthread_cond_init"),
        *("pthread_cond_destroy", "printf", "puts", "fflush", "sched_yield", "pthread_detach"),
    )
)
"""Their own bodies, if the program has any, are not looked at."""

SILENT = ("printf", "puts", "fflush", "sched_yield", "pthread_mutex_destroy", "pthread_cond_destroy")


def special_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """What a call does; None if nobody knows the function."""
    if name in ("assert", ASSERTION, "__VERIFIER_assert"):
        return claim(thread, truth(thread.value(arguments[0])), node)
    if name in ("reach_error", "__VERIFIER_error", "__assert_fail"):
        return claim(thread, FALSE, node)
    if name in ("__VERIFIER_assume", "assume_abort_if_not"):
        condition = truth(thread.value(arguments[0]))
        thread.graph.locally(Assume(condition, thread.span(node)))
        return NOTHING
    if name in ("abort", "exit", "_exit"):
        thread.graph.stop(thread.span(node), thread.told())
        return NOTHING
    if name in ("__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"):
        thread.graph.mark(1 if name.endswith("begin") else -1, thread.span(node))
        return NOTHING
    nondet = NONDET.fullmatch(name)
    if nondet is not None:
        return any_number(thread, nondet.group(1), node)
    if name in SILENT:
        return silence(thread, name, arguments, node)
    return pthread_call(thread, name, arguments, node)


def claim(thread: "Statements", condition: Expression, node: c_ast.FuncCall) -> Operand:
    thread.graph.locally(Assert(condition, thread.span(node)))
    thread.graph.settle(thread.span(node), thread.told())
    return NOTHING


def any_number(thread: "Statements", kind: str, node: c_ast.FuncCall) -> Operand:
    words = {
        "uint": ["unsigned", "int"],
        "uchar": ["unsigned", "char"],
        "ushort": ["unsigned", "short"],
        "ulong": ["unsigned", "long"],
        "bool": ["_Bool"],
        "_Bool": ["_Bool"],
    }.get(kind, [kind])
    type_ = named(words)
    if type_ is None:
        return refuse(f"an arbitrary value of the type `{kind}`", thread.span(node), "use an integer type")
    return thread.any_value(type_, node)


def silence(thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
    """A call that changes nothing that the program looks at."""
    if not all(map(is_plain, arguments)):
        refuse(f"an argument of `{name}` that changes something", thread.span(node), "change it before")
    return NOTHING


# pthreads


def pthread_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    match name:
        case "pthread_create":
            return create(thread, arguments, node)
        case "pthread_join":
            return join(thread, arguments, node)
        case "pthread_exit":
            thread.leave_thread(node)
            return NOTHING
        case "pthread_detach":
            return NOTHING
        case "pthread_mutex_lock":
            return lock(thread, mutex(thread, arguments[0], node), node)
        case "pthread_mutex_unlock":
            return unlock(thread, mutex(thread, arguments[0], node), node)
        case "pthread_mutex_trylock":
            return try_lock(thread, mutex(thread, arguments[0], node), node)
        case "pthread_mutex_init":
            if not is_null(arguments[1]):
                refuse("a mutex with attributes", thread.span(node), "use a default mutex")
            return set_lock(thread, mutex(thread, arguments[0], node), 0, node)
        case "pthread_cond_wait":
            condition(thread, arguments[0], node)
            held = mutex(thread, arguments[1], node)
            unlock(thread, held, node)
            return lock(thread, held, node)
        case "pthread_cond_signal" | "pthread_cond_broadcast" | "pthread_cond_init":
            condition(thread, arguments[0], node)
            return NOTHING
        case _:
            return None


def mutex(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Mutex:
    symbol = thread.pointed(argument)
    if not isinstance(symbol, Mutex):
        refuse("this as a mutex", thread.span(node), "use a variable of the type pthread_mutex_t")
    return symbol


def condition(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> None:
    if not isinstance(thread.pointed(argument), Condition):
        refuse("this as a condition variable", thread.span(node), "use one of the type pthread_cond_t")


def lock(thread: "Statements", held: Mutex, node: c_ast.FuncCall) -> Operand:
    span = thread.span(node)
    free = Assume(Binary("==", Variable(held.name), ZERO), span)
    thread.graph.shared((free, Assign((held.name,), (ONE,), span)), span, thread.told())
    return NOTHING


def unlock(thread: "Statements", held: Mutex, node: c_ast.FuncCall) -> Operand:
    return set_lock(thread, held, 0, node)


def set_lock(thread: "Statements", held: Mutex, value: int, node: c_ast.FuncCall) -> Operand:
    span = thread.span(node)
    thread.graph.shared((Assign((held.name,), (Constant(value),), span),), span, thread.told())
    return NOTHING


def try_lock(thread: "Statements", held: Mutex, node: c_ast.FuncCall) -> Operand:
    """Takes the lock if it is free, in one step; EBUSY if it is not."""
    span = thread.span(node)
    before = thread.fresh("$before")
    read = Assign((before,), (Variable(held.name),), span)
    thread.graph.shared((read, Assign((held.name,), (ONE,), span)), span, thread.told())
    return Operand(Binary("*", Variable(before), Constant(16)), INT)


def is_null(node: c_ast.Node) -> bool:
    if isinstance(node, c_ast.Cast):
        return is_null(node.expr)
    return isinstance(node, c_ast.Constant) and node.value == "0"


def create(thread: "Statements", arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
    span = thread.span(node)
    target, attributes, function, argument = arguments
    if not is_null(attributes):
        refuse("a thread with attributes", span, "pass NULL")
    if isinstance(function, c_ast.UnaryOp) and function.op == "&":
        function = function.expr
    if not isinstance(function, c_ast.ID) or function.name not in thread.unit.functions:
        refuse("a thread that runs a function pointer", span, "name the function")
    if isinstance(target, c_ast.UnaryOp) and target.op == "&":
        identity = cell(thread, target.expr, node)
    else:
        identity = cell(thread, c_ast.ArrayRef(target, c_ast.Constant("int", "0")), node)
    if thread.unit.start(function.name, span):
        values: tuple[Expression, ...] = (thread.argument(argument),)
    else:
        values = ()
        if not (isinstance(argument, c_ast.UnaryOp) and argument.op == "&"):
            thread.value(argument)  # Nobody uses it, but evaluating it may do something.
    thread.graph.shared((Fork(identity, function.name, values, span),), span, thread.told())
    return NOTHING


def join(thread: "Statements", arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
    span = thread.span(node)
    if not is_null(arguments[1]):
        refuse("the result of a thread", span, "pass NULL, and use a global for the result")
    identity = cell(thread, arguments[0], node)
    thread.graph.shared((Join(identity, (), span),), span, thread.told())
    return NOTHING


def cell(thread: "Statements", node: c_ast.Node, call: c_ast.FuncCall) -> Expression:
    """The number of the variable that keeps the id of a thread."""
    match node:
        case c_ast.ArrayRef(name=c_ast.ID(name=name), subscript=subscript):
            symbol = thread.scopes.find(name)
            if isinstance(symbol, Cells) and symbol.count is not None:
                index = thread.value(subscript)
                if isinstance(index.expression, Constant):
                    return Constant(symbol.first + int(index.expression.value))
                inside = Binary(
                    "&&",
                    Binary("<=", ZERO, index.expression),
                    Binary("<", index.expression, Constant(symbol.count)),
                )
                thread.graph.locally(Assert(inside, thread.span(call)))
                return Binary("+", Constant(symbol.first), index.expression)
        case c_ast.ID(name=name):
            symbol = thread.scopes.find(name)
            if isinstance(symbol, Cells) and symbol.count is None:
                return Constant(symbol.first)
    remedy = "keep it in a variable of the type pthread_t, or in an array of them"
    return refuse("the id of a thread in this form", thread.span(call), remedy)
