"""Condition variables: each counts the threads that wait for it, and those that are woken.

What the counts mean, and that they add and lose no run, is said in `seriatim.program.threads.waiting`.
"""

from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.locks import NOTHING, TIMED_OUT, count_of, opaque, take
from seriatim.frontends.c.operators import ONE, ZERO, Operand
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Attributes, Condition, Mutex
from seriatim.frontends.c.types import INT
from seriatim.program.threads.symbolic import conjunction
from seriatim.program.threads.syntax import Action, Assign, Assume
from seriatim.terms.expressions import TRUE, Expression, Variable, apply

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

BY_CHANCE = "wakes up for no reason"

Cases = list[tuple[Expression, str]]
"""Where the condition holds, the variable of this name is meant."""


def signal_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """What a call of a function of `pthread_cond_` does."""
    match name.removeprefix("pthread_cond_"), arguments:
        case "wait", [which, lock]:
            return wait(thread, conditions(thread, which, node), lock, node)
        case "timedwait", [which, lock, _]:
            return wait(thread, conditions(thread, which, node), lock, node, can_give_up=True)
        case ("signal" | "broadcast") as how, [which]:
            return wake(thread, conditions(thread, which, node), how == "broadcast", node)
        case "init", [which, *_]:
            return begin(thread, conditions(thread, which, node), node)
        case "destroy", [which]:
            conditions(thread, which, node)
            return NOTHING
        case _:
            return None


def conditions(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Cases:
    return opaque(thread, argument, Condition, node)


def look_at_attributes(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> None:
    """Accepts calls about attributes of threads, none of which changes what a program can do; raises
    `InputError` for arguments that it does not know. A pointer to attributes is not followed: it may be
    NULL."""
    is_address = isinstance(argument, c_ast.UnaryOp) and argument.op == "&"
    if not is_address and thread.unevaluated(argument).points_to == "pthread_attr_t":
        thread.ignore(argument)
        return
    if not is_address or not all(isinstance(symbol, Attributes) for _, symbol in thread.pointed(argument)):
        refuse("this as attributes of a thread", thread.span(node), "use a variable of pthread_attr_t")


def counts(name: str) -> tuple[Variable, Variable]:
    """How many threads wait for a condition variable, and how many of them are woken."""
    return Variable(f"{name}.waiting"), Variable(f"{name}.woken")


def begin(thread: "Statements", cases: Cases, node: c_ast.FuncCall) -> Operand:
    """Nobody waits for a new condition variable."""

    def actions(name: str) -> tuple[Action, ...]:
        waiting, woken = counts(name)
        return (Assign((waiting.name, woken.name), (ZERO, ZERO), thread.span(node)),)

    ways = [(*given(thread, condition, node), *actions(name)) for condition, name in cases]
    thread.graph.split(ways, thread.span(node), thread.told())
    return NOTHING


def given(thread: "Statements", condition: Expression, node: c_ast.FuncCall) -> tuple[Action, ...]:
    return () if condition == TRUE else (Assume(condition, thread.span(node)),)


def wake(thread: "Statements", cases: Cases, is_for_all: bool, node: c_ast.FuncCall) -> Operand:
    span = thread.span(node)
    ways: list[tuple[Action, ...]] = []
    for condition, name in cases:
        waiting, woken = counts(name)
        one = apply("?", apply(">", waiting, ZERO), ONE, ZERO)
        moved = waiting if is_for_all else one
        values = apply("-", waiting, moved), apply("+", woken, moved)
        change = Assign((waiting.name, woken.name), values, span)
        ways.append((*given(thread, condition, node), change))
    thread.graph.split(ways, span, thread.told())
    return NOTHING


def wait(
    thread: "Statements", cases: Cases, lock: c_ast.Node, node: c_ast.FuncCall, can_give_up: bool = False
) -> Operand:
    """Gives up a lock, waits, and takes it again."""
    span = thread.span(node)
    locks = opaque(thread, lock, Mutex, node)
    begins: list[tuple[Action, ...]] = []
    for meant, name in cases:
        waiting, woken = counts(name)
        for condition, mutex in locks:
            nobody = Assume(apply("==", woken, ZERO), span)
            opens = Assign((mutex,), (ZERO,), span)
            if mutex in thread.addresses.typed:  # One that is held more than once is not given up.
                own = Variable(count_of(thread, mutex))
                stays, less = apply(">", own, ONE), apply("-", own, ONE)
                values = apply("?", stays, ONE, ZERO), apply("?", stays, less, ZERO)
                opens = Assign((mutex, own.name), values, span)
            joins = Assign((waiting.name,), (apply("+", waiting, ONE),), span)
            both = given(thread, conjunction((meant, condition)), node)
            begins.append((*both, nobody, opens, joins))
    thread.graph.split(begins, span, thread.told())
    result = thread.fresh("$result") if can_give_up else None
    thread.graph.settle(span, thread.told())
    end = thread.graph.place()
    for meant, name in cases:
        waiting, woken = counts(name)
        for told, count, outcome in (
            ("is woken", woken, ZERO),
            (BY_CHANCE, waiting, ZERO),
            *((("gives up", waiting, TIMED_OUT),) if can_give_up else ()),
        ):
            goes = (
                *given(thread, meant, node),
                Assume(apply(">", count, ZERO), span),
                Assign((count.name,), (apply("-", count, ONE),), span),
                *(() if result is None else (Assign((result,), (outcome,), span),)),
            )
            thread.graph.way(goes, end, span, thread.told(told), by_chance=told == BY_CHANCE)
    thread.graph.here = end
    take(thread, locks, node)
    return NOTHING if result is None else Operand(Variable(result), INT)
