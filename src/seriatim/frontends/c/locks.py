"""Mutexes, spin locks and semaphores of C: one step each."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.operators import ONE, ZERO, Operand
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Condition, Mutex, Semaphore
from seriatim.frontends.c.types import INT
from seriatim.program.threads.syntax import Action, Assign, Assume
from seriatim.terms.expressions import Constant, Expression, Variable, apply

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

NOTHING = Operand(ZERO, INT)
"""What functions return that succeed."""

TIMED_OUT = Constant(110)

WORDS = {
    Mutex: ("this as a mutex", "use a variable of the type pthread_mutex_t"),
    Semaphore: ("this as a semaphore", "use a variable of the type sem_t"),
    Condition: ("this as a condition variable", "use one of the type pthread_cond_t"),
}


def lock_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """Mutexes and spin locks."""
    match name, arguments:
        case (("pthread_mutex_lock" | "pthread_spin_lock"), [which]):
            return lock(thread, which, node)
        case (("pthread_mutex_unlock" | "pthread_spin_unlock"), [which]):
            return unlock(thread, which, node)
        case "pthread_spin_init", [which, _]:
            return unlock(thread, which, node)
        case (("pthread_mutex_trylock" | "pthread_spin_trylock"), [which]):
            return try_lock(thread, which, node)
        case "pthread_mutex_timedlock", [which, _]:
            return timed_lock(thread, which, node)
        case _:
            return None


def opaque(
    thread: "Statements",
    argument: c_ast.Node,
    kind: type[Mutex | Semaphore | Condition],
    node: c_ast.FuncCall,
) -> list[tuple[Expression, str]]:
    """The variables that an argument may point to, and when."""
    found: list[tuple[Expression, str]] = []
    for condition, symbol in thread.pointed(argument):
        if not isinstance(symbol, kind):
            what, remedy = WORDS[kind]
            refuse(what, thread.span(node), remedy)
        found.append((condition, symbol.name))
    return found


def at_once(
    thread: "Statements",
    cases: list[tuple[Expression, str]],
    actions: Callable[[str], tuple[Action, ...]],
    node: c_ast.FuncCall,
) -> Operand:
    """One step on the variable that is meant."""
    span = thread.span(node)
    if len(cases) == 1:
        thread.graph.shared(actions(cases[0][1]), span, thread.told())
    else:
        ways = [(Assume(condition, span), *actions(name)) for condition, name in cases]
        thread.graph.split(ways, span, thread.told())
    return NOTHING


def lock(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    return take(thread, opaque(thread, argument, Mutex, node), node)


def unlock(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    return release(thread, opaque(thread, argument, Mutex, node), node)


def take(thread: "Statements", cases: list[tuple[Expression, str]], node: c_ast.FuncCall) -> Operand:
    span = thread.span(node)

    def actions(name: str) -> tuple[Action, ...]:
        return Assume(apply("==", Variable(name), ZERO), span), Assign((name,), (ONE,), span)

    return at_once(thread, cases, actions, node)


def release(thread: "Statements", cases: list[tuple[Expression, str]], node: c_ast.FuncCall) -> Operand:
    span = thread.span(node)
    return at_once(thread, cases, lambda name: (Assign((name,), (ZERO,), span),), node)


def try_lock(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    """Takes the lock if it is free, in one step; EBUSY if it is not."""
    span = thread.span(node)
    before = thread.fresh("$before")

    def actions(name: str) -> tuple[Action, ...]:
        return Assign((before,), (Variable(name),), span), Assign((name,), (ONE,), span)

    at_once(thread, opaque(thread, argument, Mutex, node), actions, node)
    return Operand(apply("*", Variable(before), Constant(16)), INT)


def timed_lock(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    """Takes the lock, or gives up at any time."""
    span = thread.span(node)
    result = thread.fresh("$result")
    ways: list[tuple[Action, ...]] = [(Assign((result,), (TIMED_OUT,), span),)]
    for meant, name in opaque(thread, argument, Mutex, node):
        is_free = apply("==", Variable(name), ZERO)
        taken = Assign((name, result), (ONE, ZERO), span)
        ways.append((Assume(meant, span), Assume(is_free, span), taken))
    thread.graph.split(ways, span, thread.told())
    return Operand(Variable(result), INT)


def semaphore_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    span = thread.span(node)
    cases = opaque(thread, arguments[0], Semaphore, node)
    match name:
        case "sem_init":
            first = thread.keep(thread.value(arguments[2]), node).expression
            return at_once(thread, cases, lambda each: (Assign((each,), (first,), span),), node)
        case "sem_wait":
            return at_once(
                thread,
                cases,
                lambda each: (
                    Assume(apply(">", Variable(each), ZERO), span),
                    Assign((each,), (apply("-", Variable(each), ONE),), span),
                ),
                node,
            )
        case "sem_post":
            return at_once(
                thread,
                cases,
                lambda each: (Assign((each,), (apply("+", Variable(each), ONE),), span),),
                node,
            )
        case "sem_trywait" | "sem_timedwait":
            return try_semaphore(thread, cases, name == "sem_timedwait", node)
        case "sem_getvalue" if len(arguments) == 2:
            if len(cases) != 1:
                refuse("this as a semaphore", span, "name a variable: `&x`")
            target = thread.lvalue_of(thread.pointed(arguments[1]), node)
            copy = thread.fresh("$copy")
            value = Assign((copy,), (Variable(cases[0][1]),), span)
            thread.graph.shared((value,), span, thread.told())
            thread.write(target, Variable(copy), node)
            return NOTHING
        case _:
            return None


def try_semaphore(
    thread: "Statements", cases: list[tuple[Expression, str]], may_time_out: bool, node: c_ast.FuncCall
) -> Operand:
    """Takes a semaphore; -1 if it is taken, or if time is over."""
    span = thread.span(node)
    result = thread.fresh("$result")
    failed = Assign((result,), (Constant(-1),), span)
    ways: list[tuple[Action, ...]] = []
    for meant, name in cases:
        value = Variable(name)
        taken = Assign((name, result), (apply("-", value, ONE), ZERO), span)
        ways.append((Assume(meant, span), Assume(apply(">", value, ZERO), span), taken))
        if not may_time_out:
            ways.append((Assume(meant, span), Assume(apply("<=", value, ZERO), span), failed))
    if may_time_out:
        ways.append((failed,))
    thread.graph.split(ways, span, thread.told())
    return Operand(Variable(result), INT)
