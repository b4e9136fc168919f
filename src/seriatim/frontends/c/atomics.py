"""Atomic operations of C11 and of gcc (`__atomic_…`, `__sync_…`): each is one step, sequentially consistent.

All of them read a variable, and write a value that depends on what they read. A comparison that fails
writes what was there. The weak form may also fail for no reason.
"""

import re
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.headers import CONSTANTS
from seriatim.frontends.c.lvalues import Change, Lvalue
from seriatim.frontends.c.operators import ONE, ZERO, Operand, combined, convert, of_truth
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.types import BOOL, CHAR
from seriatim.terms.expressions import Constant, Expression, apply

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

Arguments = list[c_ast.Node]
OPERATORS = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}

FENCES = (
    *("__sync_synchronize", "atomic_thread_fence", "atomic_signal_fence"),
    *("__atomic_thread_fence", "__atomic_signal_fence"),
)

_NAME = re.compile(r"(?:__atomic|atomic|__sync)_\w+|__sync_synchronize")
_C11_FETCH = re.compile(r"(?:__)?atomic_fetch_(\w+?)(?:_explicit)?")
_FETCH_AFTER = re.compile(r"__atomic_(\w+)_fetch")
_SYNC_BEFORE = re.compile(r"__sync_fetch_and_(\w+)")
_SYNC_AFTER = re.compile(r"__sync_(\w+)_and_fetch")
_STRONGEST = 5


def atomic_call(
    thread: "Statements", name: str, arguments: Arguments, node: c_ast.FuncCall
) -> Operand | None:
    """What an atomic operation does; None if it is not known."""
    if not _NAME.fullmatch(name):
        return None
    for pattern, is_after in (
        (_C11_FETCH, False),
        (_FETCH_AFTER, True),
        (_SYNC_BEFORE, False),
        (_SYNC_AFTER, True),
    ):
        found = pattern.fullmatch(name)
        if found is not None and found.group(1) in OPERATORS and len(arguments) >= 2:
            look_at_orders(thread, arguments[2:], node)
            return fetch(thread, OPERATORS[found.group(1)], arguments, is_after, node)
    match name.removesuffix("_explicit"):
        case "atomic_load" | "__atomic_load_n" if arguments:
            look_at_orders(thread, arguments[1:], node)
            return thread.change(target(thread, arguments[0], node), None, node)
        case "atomic_store" | "__atomic_store_n" | "atomic_init" if len(arguments) >= 2:
            is_weak = look_at_orders(thread, arguments[2:], node)
            return exchange(thread, arguments, node, is_weak)
        case "atomic_exchange" | "__atomic_exchange_n" | "__sync_lock_test_and_set" if len(arguments) >= 2:
            look_at_orders(thread, arguments[2:], node)
            return exchange(thread, arguments, node)
        case "__sync_lock_release" if arguments:
            return set_to(thread, arguments[0], ZERO, node, is_weak=True)
        case "atomic_flag_clear" | "__atomic_clear" if arguments:
            is_weak = look_at_orders(thread, arguments[1:], node)
            look_at_flag(thread, name, arguments[0], node)
            return set_to(thread, arguments[0], ZERO, node, is_weak)
        case "atomic_flag_test_and_set" | "__atomic_test_and_set" if arguments:
            look_at_orders(thread, arguments[1:], node)
            look_at_flag(thread, name, arguments[0], node)
            return Operand(set_to(thread, arguments[0], ONE, node).expression, BOOL)
        case _:
            return (
                fence(thread, name, arguments, node)
                or through_memory(thread, name, arguments, node)
                or compare(thread, name, arguments, node)
            )


def fence(thread: "Statements", name: str, arguments: Arguments, node: c_ast.FuncCall) -> Operand | None:
    """What was written before is in memory; a fence for signals, or a weaker one, is for compilers alone."""
    if name not in FENCES:
        return None
    is_weak = look_at_orders(thread, arguments, node)
    if not (is_weak or "signal" in name):
        thread.fence(node)
    return Operand(ZERO, BOOL)


def look_at_flag(thread: "Statements", name: str, pointer: c_ast.Node, node: c_ast.FuncCall) -> None:
    """Raises `InputError` where `__atomic_clear` and its like would change one byte of several."""
    type_ = thread.without_effect(lambda: target(thread, pointer, node)).type
    if name.startswith("__atomic") and type_.bits > CHAR.bits:
        refuse(f"`{name}` of a variable of this type", thread.span(node), "use one of the type _Bool")


def look_at_orders(thread: "Statements", arguments: Arguments, node: c_ast.FuncCall) -> bool:
    """Notes an order that is weaker than sequential consistency, which allows more runs than are looked at;
    whether there is one."""
    is_weak = False
    for each in arguments:
        given = thread.value(each).expression
        if not isinstance(given, Constant):
            refuse("a memory order that is not constant", thread.span(node), "use memory_order_seq_cst")
        if given.value != _STRONGEST:
            is_weak = True
            said = each.name if isinstance(each, c_ast.ID) else _order_name(given)
            line = thread.span(node).line
            thread.unit.weak_order = thread.unit.weak_order or f"the memory order `{said}` in line {line}"
    return is_weak


def _order_name(given: Expression) -> str:
    names = {value: name for name, value in CONSTANTS.items() if name.startswith("memory_order_")}
    return names.get(str(given.value), str(given.value)) if isinstance(given, Constant) else "of a variable"


# One step


def target(thread: "Statements", pointer: c_ast.Node, node: c_ast.FuncCall) -> Lvalue:
    return thread.lvalue_of(thread.pointed(pointer), node)


def update(thread: "Statements", lvalue: Lvalue, operator: str, by: Operand, node: c_ast.Node) -> Operand:
    """`x += by` in one step; the value that the variable had."""

    def change(old: Operand) -> Expression:
        found = thread.operation(operator, old, by, node)
        return convert(found, lvalue.type)

    return thread.change(lvalue, change, node)


def fetch(
    thread: "Statements", operator: str, arguments: Arguments, is_after: bool, node: c_ast.FuncCall
) -> Operand:
    lvalue = target(thread, arguments[0], node)
    if lvalue.points_to:  # Most forms count bytes, not elements.
        refuse("an atomic change of a pointer", thread.span(node), "keep an index instead")
    by = thread.keep(thread.value(arguments[1]), node)
    old = update(thread, lvalue, operator, by, node)
    if not is_after:
        return old
    return Operand(convert(thread.operation(operator, old, by, node), lvalue.type), lvalue.type)


def exchange(
    thread: "Statements", arguments: Arguments, node: c_ast.FuncCall, is_weak: bool = False
) -> Operand:
    lvalue = target(thread, arguments[0], node)
    value = thread.keep(thread.value(arguments[1]), node)
    return thread.change(lvalue, lambda _: convert(value, lvalue.type), node, is_weak)


def set_to(
    thread: "Statements",
    pointer: c_ast.Node,
    value: Constant,
    node: c_ast.FuncCall,
    is_weak: bool = False,
) -> Operand:
    return thread.change(target(thread, pointer, node), lambda _: value, node, is_weak)


# Through memory


def through_memory(
    thread: "Statements", name: str, arguments: Arguments, node: c_ast.FuncCall
) -> Operand | None:
    """`__atomic_store(p, &value, order)` and its like: values are passed by their addresses."""
    match name, arguments:
        case "__atomic_load", [pointer, result, *orders]:
            values: Arguments = []
        case "__atomic_store", [pointer, value, *orders]:
            values, result = [value], None
        case "__atomic_exchange", [pointer, value, result, *orders]:
            values = [value]
        case _:
            return None
    is_weak = look_at_orders(thread, orders, node) and name == "__atomic_store"
    lvalue = target(thread, pointer, node)
    new = [thread.keep(thread.read(target(thread, each, node), node), node) for each in values]
    change: Change | None = (lambda _: convert(new[0], lvalue.type)) if new else None
    old = thread.change(lvalue, change, node, is_weak)
    if result is not None:
        into = target(thread, result, node)
        thread.write(into, convert(old, into.type), node)
    return old


# Comparing


def compare(thread: "Statements", name: str, arguments: Arguments, node: c_ast.FuncCall) -> Operand | None:
    """Compare and exchange, in its many forms."""
    match name.removesuffix("_explicit"), arguments:
        case (("__sync_bool_compare_and_swap" | "__sync_val_compare_and_swap"), [pointer, expected, desired]):
            lvalue = target(thread, pointer, node)
            wanted = thread.keep(thread.value(expected), node)
            new = thread.keep(thread.value(desired), node)
            old, success = swapped(thread, lvalue, wanted, new, None, node)
            return of_truth(success) if "bool" in name else old
        case (
            ("atomic_compare_exchange_strong" | "atomic_compare_exchange_weak"),
            [pointer, place, desired, *orders],
        ):
            is_weak = "weak" in name
        case (
            ("__atomic_compare_exchange_n" | "__atomic_compare_exchange"),
            [pointer, place, desired, weak, *orders],
        ):
            is_weak = thread.value(weak).expression != ZERO
            if not name.endswith("_n"):
                desired = c_ast.UnaryOp("*", desired, node.coord)
        case _:
            return None
    look_at_orders(thread, orders, node)
    lvalue, expecting = target(thread, pointer, node), target(thread, place, node)
    wanted = thread.keep(thread.read(expecting, node), node)
    new = thread.keep(thread.value(desired), node)
    luck = thread.any_value(BOOL, node).expression if is_weak else None
    old, success = swapped(thread, lvalue, wanted, new, luck, node)
    result = thread.keep(Operand(apply("?", success, ONE, ZERO), BOOL), node)
    failed, end = thread.graph.place(), thread.graph.place()
    is_equal = apply("!=", result.expression, ZERO)
    thread.graph.branch(is_equal, end, failed, thread.span(node), thread.told())
    thread.graph.here = failed
    thread.write(expecting, convert(old, expecting.type), node)
    thread.graph.join_at(end, thread.span(node))
    return result


def swapped(
    thread: "Statements",
    lvalue: Lvalue,
    wanted: Operand,
    new: Operand,
    luck: Expression | None,
    node: c_ast.FuncCall,
) -> tuple[Operand, Expression]:
    """One step; what was there, and whether the new value is there now."""

    def succeeds(old: Operand) -> Expression:
        test = combined("==", old, Operand(convert(wanted, lvalue.type), lvalue.type))
        assert test is not None, "comparisons are known"
        assert test.truth is not None, "and have a truth"
        return test.truth if luck is None else apply("&&", test.truth, apply("!=", luck, ZERO))

    def change(old: Operand) -> Expression:
        return apply("?", succeeds(old), convert(new, lvalue.type), old.expression)

    old = thread.change(lvalue, change, node)
    return old, succeeds(old)
