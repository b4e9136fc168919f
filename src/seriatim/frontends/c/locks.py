"""Mutexes, spin locks and semaphores of C: one step each."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.initial import KIND
from seriatim.frontends.c.operators import ONE, ZERO, Operand
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Condition, Mutex, Semaphore
from seriatim.frontends.c.types import INT
from seriatim.program.threads.symbolic import conjunction
from seriatim.program.threads.syntax import Action, Assign, Assume
from seriatim.source import Span
from seriatim.terms.expressions import TRUE, Constant, Expression, Variable, apply, negation

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

NOTHING = Operand(ZERO, INT)
"""What functions return that succeed."""

TIMED_OUT, BUSY, DEADLOCK, NOT_ALLOWED = Constant(110), Constant(16), Constant(35), Constant(1)
NORMAL, RECURSIVE, CHECKING = Constant(0), Constant(1), Constant(2)
"""Types of mutexes."""

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
            return initialize(thread, which, None, node)
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


def count_of(thread: "Statements", mutex: str) -> str:
    """The local that says how often a thread holds a mutex whose type matters."""
    if mutex not in thread.counts:
        thread.counts[mutex] = thread.fresh(f"$held.{mutex}")
    return thread.counts[mutex]


Ways = list[tuple[Action, ...]]


def lock_ways(thread: "Statements", name: str, result: str, span: Span) -> Ways:
    """A recursive mutex counts, one that checks errors notices, and others wait for ever."""
    free = Assume(apply("==", Variable(name), ZERO), span)
    if name not in thread.addresses.typed:
        return [(free, Assign((name,), (ONE,), span), *gives(result, ZERO, span))]
    kind, own = Variable(f"{name}{KIND}"), Variable(count_of(thread, name))
    is_own = apply(">", own, ZERO)
    again = Assign((own.name,), (apply("+", own, ONE),), span)
    is_new = apply("||", apply("==", kind, NORMAL), apply("<=", own, ZERO))
    return [
        (free, Assume(is_new, span), Assign((name, own.name), (ONE, ONE), span), *gives(result, ZERO, span)),
        (
            Assume(conjunction((apply("==", kind, RECURSIVE), is_own)), span),
            again,
            *gives(result, ZERO, span),
        ),
        (Assume(conjunction((apply("==", kind, CHECKING), is_own)), span), *gives(result, DEADLOCK, span)),
    ]


def unlock_ways(thread: "Statements", name: str, result: str, span: Span) -> Ways:
    opens = Assign((name,), (ZERO,), span)
    if name not in thread.addresses.typed:
        return [(opens, *gives(result, ZERO, span))]
    kind, own = Variable(f"{name}{KIND}"), Variable(count_of(thread, name))
    less = Assign((own.name,), (apply("-", own, ONE),), span)
    last = Assign((name, own.name), (ZERO, ZERO), span)
    is_none, is_normal = Assume(apply("<=", own, ZERO), span), apply("==", kind, NORMAL)
    return [
        (Assume(apply(">", own, ONE), span), less, *gives(result, ZERO, span)),
        (Assume(apply("==", own, ONE), span), last, *gives(result, ZERO, span)),
        (is_none, Assume(is_normal, span), opens, *gives(result, ZERO, span)),
        (is_none, Assume(negation(is_normal), span), *gives(result, NOT_ALLOWED, span)),
    ]


def try_ways(thread: "Statements", name: str, result: str, span: Span) -> Ways:
    kind, own = Variable(f"{name}{KIND}"), Variable(count_of(thread, name))
    counts = conjunction((apply("==", kind, RECURSIVE), apply(">", own, ZERO)))
    again = Assign((own.name,), (apply("+", own, ONE),), span)
    is_free = apply("==", Variable(name), ZERO)
    is_taken = conjunction((negation(is_free), negation(counts)))
    return [
        (Assume(is_free, span), Assign((name, own.name), (ONE, ONE), span), *gives(result, ZERO, span)),
        (Assume(counts, span), again, *gives(result, ZERO, span)),
        (Assume(is_taken, span), *gives(result, BUSY, span)),
    ]


def gives(result: str, value: Constant, span: Span) -> tuple[Action, ...]:
    return (Assign((result,), (value,), span),) if result else ()


def by_ways(
    thread: "Statements",
    cases: list[tuple[Expression, str]],
    ways: Callable[["Statements", str, str, Span], Ways],
    node: c_ast.Node,
) -> Operand:
    """One step on the mutex that is meant; what the function returns."""
    span = thread.span(node)
    has_result = any(name in thread.addresses.typed for _, name in cases)
    result = thread.fresh("$result") if has_result else ""
    found = [
        (*(() if condition == TRUE else (Assume(condition, span),)), *way)
        for condition, name in cases
        for way in ways(thread, name, result, span)
    ]
    if len(found) == 1:
        thread.graph.shared(found[0], span, thread.told())
    else:
        thread.graph.split(found, span, thread.told())
    return Operand(Variable(result), INT) if result else NOTHING


def initialize(thread: "Statements", argument: c_ast.Node, kind: Operand | None, node: c_ast.Node) -> Operand:
    """A new mutex is free, and has a type."""
    span = thread.span(node)
    cases = opaque(thread, argument, Mutex, node)
    if kind is not None:
        for _, name in cases:
            thread.unit.note_typed(name)
    value = ZERO if kind is None else thread.keep(kind, node).expression

    def actions(name: str) -> tuple[Action, ...]:
        if name not in thread.addresses.typed:
            return (Assign((name,), (ZERO,), span),)
        return (Assign((name, f"{name}{KIND}"), (ZERO, value), span),)

    return at_once(thread, cases, actions, node)


def lock(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    return take(thread, opaque(thread, argument, Mutex, node), node)


def unlock(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    return release(thread, opaque(thread, argument, Mutex, node), node)


def take(thread: "Statements", cases: list[tuple[Expression, str]], node: c_ast.FuncCall) -> Operand:
    return by_ways(thread, cases, lock_ways, node)


def release(thread: "Statements", cases: list[tuple[Expression, str]], node: c_ast.FuncCall) -> Operand:
    return by_ways(thread, cases, unlock_ways, node)


def try_lock(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    """Takes the lock if it is free, in one step; EBUSY if it is not."""
    span = thread.span(node)
    cases = opaque(thread, argument, Mutex, node)
    if any(name in thread.addresses.typed for _, name in cases):
        for _, name in cases:
            thread.unit.note_typed(name)
        return by_ways(thread, cases, try_ways, node)
    before = thread.fresh("$before")

    def actions(name: str) -> tuple[Action, ...]:
        return Assign((before,), (Variable(name),), span), Assign((name,), (ONE,), span)

    at_once(thread, cases, actions, node)
    return Operand(apply("*", Variable(before), Constant(16)), INT)


def timed_lock(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    """Takes the lock, or gives up at any time."""
    span = thread.span(node)
    result = thread.fresh("$result")
    ways: list[tuple[Action, ...]] = [(Assign((result,), (TIMED_OUT,), span),)]
    for meant, name in opaque(thread, argument, Mutex, node):
        if name in thread.addresses.typed:
            refuse("a timed lock of a mutex with attributes", span, "use a default mutex")
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
