"""Barriers, locks for readers and writers, and initialization that happens once.

A barrier counts who has come. The last one lets all others go, who count themselves out as they leave; nobody
comes while somebody is about to leave. No run is lost by that: to leave is a step that nobody notices and
nobody prevents, so it can be taken at once. So nobody who comes later takes the place of one who leaves.

Which thread of a barrier gets PTHREAD_BARRIER_SERIAL_THREAD is not specified: each guesses when it comes
whether it will be the one, and exactly one may guess so.
"""

from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.functions import name_called
from seriatim.frontends.c.inlining import inline
from seriatim.frontends.c.locks import NOTHING, lock_call, semaphore_call
from seriatim.frontends.c.operators import ONE, ZERO, Operand
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.signals import signal_call
from seriatim.frontends.c.symbols import Barrier, Once, ReadWriteLock
from seriatim.frontends.c.types import BOOL, INT
from seriatim.program.threads.syntax import Action, Assign, Assume
from seriatim.terms.expressions import FALSE, Constant, Expression, Variable, apply, negation

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

UNUSED = {
    "pthread_mutex_timedlock": 1,
    "pthread_cond_timedwait": 2,
    "pthread_cond_init": 1,
    "pthread_spin_init": 1,
    "sem_init": 1,
    "sem_timedwait": 1,
}
"""The place of an argument that does not matter here: a time, attributes, whether processes share it."""

BUSY = Constant(16)
WRITER = Constant(-1)


def synchronization_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """Locks, semaphores, barriers, and what happens once."""
    if not arguments:
        return None
    unused = UNUSED.get(name)
    if unused is not None and unused < len(arguments):
        thread.ignore(arguments[unused])
    if name.startswith("sem_"):
        return semaphore_call(thread, name, arguments, node)
    if name.startswith("pthread_rwlock_"):
        return read_write_call(thread, name, arguments, node)
    if name.startswith("pthread_barrier_"):
        return barrier_call(thread, name, arguments, node)
    if name == "pthread_once" and len(arguments) == 2:
        return once_call(thread, arguments, node)
    if name.startswith("pthread_cond_"):
        return signal_call(thread, name, arguments, node)
    return lock_call(thread, name, arguments, node)


def one_of(thread: "Statements", argument: c_ast.Node, kind: type, node: c_ast.FuncCall) -> str:
    """The variable that an argument points to, if there is only one."""
    cases = thread.pointed(argument)
    if len(cases) != 1 or not isinstance(cases[0][1], kind):
        refuse("this as an object of pthreads", thread.span(node), "name a variable: `&x`")
    symbol = cases[0][1]
    assert isinstance(symbol, Barrier | Once | ReadWriteLock)
    return symbol.name


# Locks for readers and writers


def read_write_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """The variable is the number of readers, or -1 while somebody writes."""
    lock, span = one_of(thread, arguments[0], ReadWriteLock, node), thread.span(node)
    held = Variable(lock)
    is_shared, is_free = apply(">=", held, ZERO), apply("==", held, ZERO)
    joined = Assign((lock,), (apply("+", held, ONE),), span)
    taken = Assign((lock,), (WRITER,), span)
    left = apply("?", apply("==", held, WRITER), ZERO, apply("-", held, ONE))

    def once(*actions: Action) -> Operand:
        thread.graph.shared(actions, span, thread.told())
        return NOTHING

    match name.removeprefix("pthread_rwlock_"):
        case "rdlock":
            return once(Assume(is_shared, span), joined)
        case "wrlock":
            return once(Assume(is_free, span), taken)
        case "unlock":
            return once(Assign((lock,), (left,), span))
        case "init":
            if not _is_default(arguments):
                refuse("a lock with attributes", span, "pass NULL")
            return once(Assign((lock,), (ZERO,), span))
        case "tryrdlock":
            return tried(thread, is_shared, joined, node)
        case "trywrlock":
            return tried(thread, is_free, taken, node)
        case _:
            return None


def tried(thread: "Statements", is_free: Expression, taking: Action, node: c_ast.FuncCall) -> Operand:
    """Takes a lock if it is free; EBUSY if it is not."""
    span = thread.span(node)
    result = thread.fresh("$result")
    ways = [
        (Assume(is_free, span), taking, Assign((result,), (ZERO,), span)),
        (Assume(negation(is_free), span), Assign((result,), (BUSY,), span)),
    ]
    thread.graph.split(ways, span, thread.told())
    return Operand(Variable(result), INT)


def _is_default(arguments: list[c_ast.Node]) -> bool:
    node = arguments[1] if len(arguments) > 1 else None
    while isinstance(node, c_ast.Cast):
        node = node.expr
    match node:
        case c_ast.Constant(value="0") | c_ast.ID(name="NULL"):
            return True
        case _:
            return False


# Barriers


def barrier_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    barrier, span = one_of(thread, arguments[0], Barrier, node), thread.span(node)
    match name.removeprefix("pthread_barrier_"):
        case "init" if len(arguments) == 3:
            if not _is_default(arguments):
                refuse("a barrier with attributes", span, "pass NULL")
            size = thread.keep(thread.value(arguments[2]), node).expression
            names = (f"{barrier}.size", f"{barrier}.arrived", f"{barrier}.leaving", f"{barrier}.claimed")
            thread.graph.shared((Assign(names, (size, ZERO, ZERO, ZERO), span),), span, thread.told())
            return NOTHING
        case "wait":
            return wait(thread, barrier, node)
        case _:
            return None


def wait(thread: "Statements", barrier: str, node: c_ast.FuncCall) -> Operand:
    span = thread.span(node)
    size, arrived, leaving, claimed = (
        Variable(f"{barrier}.{part}") for part in ("size", "arrived", "leaving", "claimed")
    )
    nobody_leaves = Assume(apply("==", leaving, ZERO), span)
    coming = apply("+", arrived, ONE)
    mine: Expression = FALSE
    guess: tuple[Action, ...] = ()
    if thread.unit.uses_result("pthread_barrier_wait"):
        chosen = thread.any_value(BOOL, node).expression
        mine = apply("!=", chosen, ZERO)
        is_claimed = apply("!=", claimed, ZERO)
        guess = (
            Assume(negation(apply("&&", mine, is_claimed)), span),
            Assign((claimed.name,), (apply("?", mine, ONE, claimed),), span),
        )
    waits = (
        nobody_leaves,
        Assume(apply("<", coming, size), span),
        *guess,
        Assign((arrived.name,), (coming,), span),
    )
    last = (
        nobody_leaves,
        Assume(apply(">=", coming, size), span),
        *guess,
        *((Assume(apply("!=", claimed, ZERO), span),) if guess else ()),
        Assign((arrived.name, leaving.name, claimed.name), (ZERO, arrived, ZERO), span),
    )
    end, inside = thread.graph.place(), thread.graph.place()
    thread.graph.ways([(waits, inside), (last, end)], span, thread.told())
    thread.graph.here = inside
    leaves = Assign((leaving.name,), (apply("-", leaving, ONE),), span)
    thread.graph.shared((Assume(apply(">", leaving, ZERO), span), leaves), span, thread.told())
    thread.graph.join_at(end, span)
    return Operand(apply("?", mine, WRITER, ZERO), INT) if guess else NOTHING


# Once


def once_call(thread: "Statements", arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
    """The first one calls the function; the others wait until it has returned."""
    once, span = one_of(thread, arguments[0], Once, node), thread.span(node)
    function = arguments[1].expr if isinstance(arguments[1], c_ast.UnaryOp) else arguments[1]
    name = name_called(thread, function)
    if name is None or name not in thread.unit.functions:
        refuse("an initialization by a pointer to a function", span, "name the function")
    state, end = Variable(once), thread.graph.place()
    first = Assume(apply("==", state, ZERO), span), Assign((once,), (ONE,), span)
    later = (Assume(apply("==", state, Constant(2)), span),)
    begin = thread.graph.place()
    thread.graph.ways([(first, begin), (later, end)], span, thread.told())
    thread.graph.here = begin
    inline(thread, name, [], node)
    thread.graph.shared((Assign((once,), (Constant(2),), span),), span, thread.told())
    thread.graph.join_at(end, span)
    return NOTHING
