"""Conditions that an atomic operation decides, such as `while (atomic_flag_test_and_set(&busy)) { }`.

The operation and the branch are one step: nobody else can see what it returned. So the graph says at which
place a lock is held, and a proof can count who is there.
"""

from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.atomics import look_at_orders, target
from seriatim.frontends.c.lvalues import Lvalue
from seriatim.frontends.c.operators import ONE, ZERO, Operand, convert
from seriatim.program.threads.syntax import Action, Assign, Assume
from seriatim.terms.expressions import TRUE, Constant, Expression, Variable, apply

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

Arguments = list[c_ast.Node]
Ways = list[tuple[tuple[Action, ...], int]]

SETTING = ("atomic_flag_test_and_set", "__atomic_test_and_set")
EXCHANGING = ("atomic_exchange", "__atomic_exchange_n", "__sync_lock_test_and_set")
COMPARING = ("atomic_compare_exchange_strong", "atomic_compare_exchange_weak")


def test(
    thread: "Statements", name: str, arguments: Arguments, node: c_ast.FuncCall, yes: int, no: int
) -> bool:
    """Goes to one of two places; whether the call is known here. Others are values that are tested."""
    match name.removesuffix("_explicit"), arguments:
        case plain, [pointer, *orders] if plain in SETTING:
            set_and_test(thread, pointer, ONE, orders, node, yes, no)
        case plain, [pointer, c_ast.Constant(value="1"), *orders] if plain in EXCHANGING:
            set_and_test(thread, pointer, ONE, orders, node, yes, no)
        case "__sync_bool_compare_and_swap", [pointer, expected, desired]:
            lvalue = target(thread, pointer, node)
            wanted = thread.keep(thread.value(expected), node)
            new = thread.keep(thread.value(desired), node)
            compare_and_test(thread, lvalue, wanted, new, False, None, node, yes, no)
        case plain, [pointer, place, desired, *orders] if plain in COMPARING:
            exchange_and_test(thread, pointer, place, desired, orders, "weak" in plain, node, yes, no)
        case (
            ("__atomic_compare_exchange_n" | "__atomic_compare_exchange"),
            [pointer, place, desired, weak, *orders],
        ):
            is_weak = thread.value(weak).expression != ZERO
            if not name.endswith("_n"):
                desired = c_ast.UnaryOp("*", desired, node.coord)
            exchange_and_test(thread, pointer, place, desired, orders, is_weak, node, yes, no)
        case _:
            return False
    return True


def set_and_test(
    thread: "Statements",
    pointer: c_ast.Node,
    value: Constant,
    orders: Arguments,
    node: c_ast.FuncCall,
    yes: int,
    no: int,
) -> None:
    """True if something other than 0 was there. What is there already need not be written."""
    look_at_orders(thread, orders, node)
    lvalue, span = target(thread, pointer, node), thread.span(node)
    ways: Ways = []
    for meant, scalar in lvalue.cases:
        held = Variable(scalar.name)
        write = Assign((scalar.name,), (value,), span)
        before = () if meant == TRUE else (Assume(meant, span),)
        ways.append(((*before, Assume(apply("==", held, ZERO), span), write), no))
        again = () if scalar.atomic else (write,)  # Others may race with it.
        ways.append(((*before, Assume(apply("==", held, value), span), *again), yes))
        if not scalar.type.is_bool:
            is_other = apply("&&", apply("!=", held, ZERO), apply("!=", held, value))
            ways.append(((*before, Assume(is_other, span), write), yes))
    thread.graph.ways(ways, span, thread.told(), atomic=True)


def exchange_and_test(
    thread: "Statements",
    pointer: c_ast.Node,
    place: c_ast.Node,
    desired: c_ast.Node,
    orders: Arguments,
    is_weak: bool,
    node: c_ast.FuncCall,
    yes: int,
    no: int,
) -> None:
    look_at_orders(thread, orders, node)
    lvalue, expecting = target(thread, pointer, node), target(thread, place, node)
    wanted = thread.keep(thread.read(expecting, node), node)
    new = thread.keep(thread.value(desired), node)
    compare_and_test(thread, lvalue, wanted, new, is_weak, expecting, node, yes, no)


def compare_and_test(
    thread: "Statements",
    lvalue: Lvalue,
    wanted: Operand,
    new: Operand,
    is_weak: bool,
    expecting: Lvalue | None,
    node: c_ast.FuncCall,
    yes: int,
    no: int,
) -> None:
    """True if the value that was wanted was there; if not, others want to know what was."""
    span = thread.span(node)
    failed = no if expecting is None else thread.graph.place()
    old = "" if expecting is None else thread.fresh("$before")
    ways: Ways = []
    for meant, scalar in lvalue.cases:
        held: Expression = Variable(scalar.name)
        before: tuple[Action, ...] = () if meant == TRUE else (Assume(meant, span),)
        is_there = apply("==", held, convert(wanted, lvalue.type))
        differs = apply("!=", held, convert(wanted, lvalue.type))
        seen = (Assign((old,), (held,), span),) if old else ()
        write = Assign((scalar.name,), (convert(new, lvalue.type),), span)
        ways.append(((*before, Assume(is_there, span), write), yes))
        ways.append(((*before, Assume(differs, span), *seen), failed))
        if is_weak:
            ways.append(((*before, Assume(is_there, span), *seen), failed))
    thread.graph.ways(ways, span, thread.told(), atomic=True)
    if expecting is not None:
        thread.graph.here = failed
        value = convert(Operand(Variable(old), lvalue.type), expecting.type)
        thread.write(expecting, value, node)
        thread.graph.go(no, span)
