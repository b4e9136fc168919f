"""Functions that are known without a body: pthreads, and what verification tools define."""

import re
from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.atomics import atomic_call
from seriatim.frontends.c.c11_threads import OTHER_FAILURES
from seriatim.frontends.c.cases import OUTSIDE
from seriatim.frontends.c.endings import ending_call
from seriatim.frontends.c.functions import each_function, functions_at
from seriatim.frontends.c.inputs import input_call
from seriatim.frontends.c.locks import CHECKING, NORMAL, NOTHING, RECURSIVE, initialize
from seriatim.frontends.c.lvalues import Lvalue
from seriatim.frontends.c.memory import allocate, block_call, free
from seriatim.frontends.c.operators import ZERO, Operand, convert, truth
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.signals import look_at_attributes
from seriatim.frontends.c.symbols import Cells
from seriatim.frontends.c.synchronization import synchronization_call
from seriatim.frontends.c.tokens import ASSERTION
from seriatim.frontends.c.types import INT, LONG, UNSIGNED, CType, named
from seriatim.program.threads.syntax import Assert, Assume, Fork, Join
from seriatim.terms.expressions import FALSE, Constant, Expression, Variable, apply, fold

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements


NONDET = re.compile(r"(?:__VERIFIER_|__CPROVER_)?nondet_(\w+)")
_COUNT = re.compile(r"%[-+ #0-9.*hlLqjzt]*n")
ASSERTIONS = (
    *("assert", ASSERTION, "__VERIFIER_assert", "__CPROVER_assert", "__ESBMC_assert", "__goblint_check"),
    "__goblint_assert",
)
ERRORS = ("reach_error", "__VERIFIER_error", "__assert_fail", "__assert")
ASSUMPTIONS = (
    "__VERIFIER_assume",
    "assume_abort_if_not",
    "__CPROVER_assume",
    "__ESBMC_assume",
    "__goblint_assume",
)
SECTIONS = (
    *("__VERIFIER_atomic_begin", "__VERIFIER_atomic_end", "__CPROVER_atomic_begin", "__CPROVER_atomic_end"),
    *("__ESBMC_atomic_begin", "__ESBMC_atomic_end"),
)
"""The names that begin and end one."""
GIVEN = frozenset((*ASSERTIONS, *ERRORS, *ASSUMPTIONS, *SECTIONS))
"""What they mean is agreed upon; their own bodies, if the program has any, are not looked at."""

SILENT = frozenset(
    (
        *(
            "printf",
            "fprintf",
            "puts",
            *("vprintf", "vfprintf", "va_start", "va_end"),
            "putchar",
            "perror",
            "fflush",
            "sched_yield",
            "pthread_yield",
            "sleep",
        ),
        *(
            "usleep",
            "nanosleep",
            "free",
            "srand",
            "srandom",
            "setbuf",
            "pthread_mutex_destroy",
            "sem_destroy",
        ),
        *(
            "pthread_spin_destroy",
            "pthread_rwlock_destroy",
            "pthread_barrier_destroy",
        ),
        *("pthread_attr_init", "pthread_attr_destroy", "pthread_attr_setdetachstate"),
        *("__ESBMC_yield", "pthread_attr_setstacksize", "pthread_attr_setscope", "pthread_setconcurrency"),
    )
)
"""They change nothing that the program looks at."""

DESCRIBING = ("strerror", "pthread_self", "getenv", "ctime")
"""What they return is only written out."""
ARBITRARY = {
    "getpid": (1, INT.high),
    "getchar": (-1, 255),
    "rand": (0, INT.high),
    "random": (0, INT.high),
    "time": (0, LONG.high),
    "clock": (0, LONG.high),
}
"""What they return is not known."""
MAGNITUDES = {"abs": INT, "labs": LONG, "llabs": LONG}


def special_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """What a call does; None if nobody knows the function."""
    for known in (verifier_call, library_call, atomic_call, ending_call, synchronization_call, pthread_call):
        found = known(thread, name, arguments, node)
        if found is not None:
            return found
    return c11_call(thread, name, arguments, node)


def c11_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """Functions of C11 that return other numbers than those of pthreads, or get other arguments."""
    match name, arguments:
        case "mtx_init", [which, kind]:
            number = thread.known_number(kind)
            if number not in (0, 1, 2):
                refuse("this type of a mutex", thread.span(node), "name it: mtx_plain, for example")
            return initialize(thread, which, Operand(RECURSIVE, INT) if number == 1 else None, node)
        case "thrd_join", [_, _]:
            return join(thread, arguments, node, bits=INT.bits)
        case _ if name in OTHER_FAILURES:
            plain, failed = OTHER_FAILURES[name]
            found = special_call(thread, plain, arguments, node)
            assert found is not None, "it is known"
            test = apply("==", found.expression, ZERO)
            return Operand(apply("?", test, ZERO, Constant(failed)), INT)
        case _:
            return None


def verifier_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """Assertions, assumptions, atomic sections and arbitrary values."""
    if name in ASSERTIONS and arguments:
        return claim(thread, tested(thread, name, arguments[0]), node)
    if name in ERRORS:
        return claim(thread, FALSE, node)
    if name in ASSUMPTIONS and arguments:
        condition = tested(thread, name, arguments[0])
        thread.graph.locally(Assume(condition, thread.span(node), is_given=True))
        return NOTHING
    if name in SECTIONS:
        thread.graph.mark(1 if name.endswith("begin") else -1, thread.span(node))
        return NOTHING
    nondet = NONDET.fullmatch(name)
    return any_number(thread, nondet.group(1), node) if nondet is not None else None


def tested(thread: "Statements", name: str, argument: c_ast.Node) -> Expression:
    """The truth of an argument; functions for verifiers take it as an `int`, while `assert` is a macro."""
    found = thread.value(argument)
    if name.startswith("__VERIFIER_") or name == "assume_abort_if_not":
        thread.look_at_number(found, INT, argument)
        return truth(found) if found.truth is not None else truth(Operand(convert(found, INT), INT))
    return truth(found)


def library_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """The standard library."""
    if name in ("abort", "exit", "_exit", "_Exit", "quick_exit"):
        for each in arguments:
            thread.discard(each)
        thread.graph.stop(thread.span(node), thread.told())
        return NOTHING
    if name == "free" and len(arguments) == 1 and thread.unit.frees:
        return free(thread, arguments[0], node)
    if name in SILENT:
        return silence(thread, name, arguments, node)
    if name in ARBITRARY:
        return arbitrary(thread, name, arguments, node)
    if name in MAGNITUDES and len(arguments) == 1:
        return magnitude(thread, MAGNITUDES[name], arguments[0])
    if name in ("malloc", "calloc"):
        return allocate(thread, arguments, node)
    return block_call(thread, name, arguments, node) or input_call(thread, name, arguments, node)


def magnitude(thread: "Statements", type_: CType, argument: c_ast.Node) -> Operand:
    """`abs` and its like; what overflows is left to the assumption about signed numbers."""
    found = convert(thread.value(argument), type_)
    return Operand(apply("?", apply("<", found, ZERO), apply("neg", found), found), type_)


def arbitrary(thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
    """A number of which nothing is known; `time` also stores it where its argument points to."""
    low, high = ARBITRARY[name]
    found = thread.any_value(LONG if high == LONG.high else INT, node, low)
    if high < INT.high:
        inside = apply("<=", found.expression, Constant(high))
        thread.graph.locally(Assume(inside, thread.span(node), is_given=True))
    for each in arguments:
        if not is_no_address(thread, each):
            target = thread.lvalue_of(thread.pointed(each), node)
            found = thread.keep(found, node)
            thread.write(target, convert(found, target.type), node)
    return found


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
    """A call that changes nothing that the program looks at; evaluating its arguments may, or may fail."""
    if name == "nanosleep" and not all(map(is_null, arguments[1:])):
        refuse("the time that is left to sleep", thread.span(node), "pass NULL")
    for each in arguments:
        for part in described_by(thread, each):
            thread.ignore(part)
    if name.startswith(("pthread_", "sem_", "sched_", "va_")):
        return NOTHING
    if name.endswith("printf") and any(map(may_count, arguments)):
        refuse("`%n` in a format", thread.span(node), "count characters in another way")
    return thread.any_value(UNSIGNED if name == "sleep" else INT, node)


def described_by(thread: "Statements", node: c_ast.Node) -> list[c_ast.Node]:
    """What is evaluated for an argument that is written out; texts and ids for people are not looked at."""
    is_call = isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID)
    if is_call and node.name.name in DESCRIBING and not thread.is_own(node.name.name):
        return [] if node.args is None else list(node.args.exprs)
    return described_by(thread, node.expr) if isinstance(node, c_ast.Cast) else [node]


def may_count(node: c_ast.Node) -> bool:
    """Whether a string stores how many characters were written; `%%n` does not."""
    text = node.value.replace("%%", "") if isinstance(node, c_ast.Constant) and node.type == "string" else ""
    return _COUNT.search(text) is not None


# pthreads


def pthread_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    match name:
        case "pthread_create" if len(arguments) == 4:
            return create(thread, arguments, node)
        case "pthread_join" if len(arguments) == 2:
            return join(thread, arguments, node)
        case "pthread_detach" if len(arguments) == 1:
            if isinstance(arguments[0], c_ast.ArrayRef):
                cell(thread, arguments[0], node)
            else:
                thread.ignore(arguments[0])
            return NOTHING
        case "pthread_exit":
            thread.leave_thread(node)
            return NOTHING
        case "pthread_mutex_init" if len(arguments) == 2:
            kind = None if is_no_address(thread, arguments[1]) else attribute(thread, arguments[1], node)
            return initialize(thread, arguments[0], kind, node)
        case "pthread_mutexattr_init" | "pthread_mutexattr_destroy" if len(arguments) == 1:
            return set_attribute(thread, arguments[0], Operand(ZERO, INT), node)
        case "pthread_mutexattr_settype" if len(arguments) == 2:
            return set_attribute(thread, arguments[0], thread.value(arguments[1]), node)
        case _:
            return None


def is_no_address(thread: "Statements", argument: c_ast.Node) -> bool:
    """Whether a pointer is NULL. Raises `InputError` where that is not known."""
    if is_null(argument) or (isinstance(argument, c_ast.UnaryOp) and argument.op == "&"):
        return is_null(argument)
    value = thread.value(argument).expression
    known = fold(thread.graph.constant(value) or value)
    if not isinstance(known, Constant) and not thread.is_alias(argument):
        refuse("a pointer that may be NULL", thread.span(argument), "name a variable: `&x`")
    return known == ZERO


def attribute(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Operand:
    """The type of a mutex that attributes say."""
    return thread.read(attributes(thread, argument, node), node)


def set_attribute(thread: "Statements", argument: c_ast.Node, kind: Operand, node: c_ast.FuncCall) -> Operand:
    number = thread.graph.constant(kind.expression) or kind.expression
    if number not in (NORMAL, RECURSIVE, CHECKING):
        refuse("this type of a mutex", thread.span(node), "name it: PTHREAD_MUTEX_RECURSIVE, for example")
    thread.write(attributes(thread, argument, node), number, node)
    return NOTHING


def attributes(thread: "Statements", argument: c_ast.Node, node: c_ast.FuncCall) -> Lvalue:
    """The variable that keeps attributes of mutexes: it holds a type."""
    return thread.lvalue_of(thread.pointed(argument), node)


def is_null(node: c_ast.Node) -> bool:
    if isinstance(node, c_ast.Cast):
        return is_null(node.expr)
    match node:
        case c_ast.Constant(value="0") | c_ast.ID(name="NULL"):
            return True
        case _:
            return False


def create(thread: "Statements", arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
    span = thread.span(node)
    target, given, function, argument = arguments
    if not is_null(given):
        look_at_attributes(thread, given, node)
    functions = functions_at(thread, uncast(function))
    match target:
        case c_ast.UnaryOp(op="&", expr=inner):
            identity = cell(thread, inner, node)
        case c_ast.BinaryOp(op="+", left=base, right=index):
            identity = cell(thread, c_ast.ArrayRef(base, index), node)
        case c_ast.ID() if thread.is_alias(target):
            identity = cell(thread, c_ast.UnaryOp("*", target, node.coord), node)
        case _:
            identity = cell(thread, c_ast.ArrayRef(target, c_ast.Constant("int", "0")), node)

    def start(name: str) -> Operand:
        if thread.unit.start(name, span):
            values: tuple[Expression, ...] = (thread.argument(argument),)
        else:
            values = ()
            thread.ignore(argument)
        thread.graph.shared((Fork(identity, name, values, span),), span, thread.told())
        return NOTHING

    return each_function(thread, functions, start, node)


def join(
    thread: "Statements", arguments: list[c_ast.Node], node: c_ast.FuncCall, bits: int = LONG.bits
) -> Operand:
    span = thread.span(node)
    identity = cell(thread, arguments[0], node)
    if is_null(arguments[1]):
        thread.graph.shared((Join(identity, (), span),), span, thread.told())
        return NOTHING
    into = uncast(arguments[1])
    is_address = isinstance(into, c_ast.UnaryOp) and into.op == "&"
    if not is_address and not thread.is_alias(into):
        refuse("this as a place for the result of a thread", span, "pass NULL, or &x of a `void *x`")
    targets = thread.lvalue_of(thread.pointed(into), node)
    if targets.type.bits != bits:
        refuse("a variable of this type for the result of a thread", span, "use a `void *`")
    result = thread.fresh("$result")
    thread.graph.shared((Join(identity, (result,), span),), span, thread.told())
    thread.write(targets, convert(Operand(Variable(result), LONG), targets.type), node)
    return NOTHING


def uncast(node: c_ast.Node) -> c_ast.Node:
    return uncast(node.expr) if isinstance(node, c_ast.Cast) else node


def cell(thread: "Statements", node: c_ast.Node, call: c_ast.FuncCall) -> Expression:
    """The number of the variable that keeps the id of a thread."""
    base, subscript = (node.name, node.subscript) if isinstance(node, c_ast.ArrayRef) else (node, None)
    is_followed = isinstance(base, c_ast.UnaryOp) and base.op == "*" and thread.is_alias(base.expr)
    is_known = isinstance(base, c_ast.StructRef) or (isinstance(base, c_ast.ID) and not thread.is_alias(base))
    cases = thread.cases(base) if is_known or is_followed else []
    found = [(condition, symbol) for condition, symbol in cases if isinstance(symbol, Cells)]
    counts = {symbol.end for _, symbol in found}
    if len(found) == len(cases) and len(counts) == 1:
        *others, (_, last) = found
        first: Expression = Constant(last.first)
        for condition, symbol in reversed(others):
            first = apply("?", condition, Constant(symbol.first), first)
        match counts.pop(), subscript:
            case None, None:
                return first
            case end, c_ast.Node() if end is not None:
                return element(thread, first, end, subscript, call)
    remedy = "keep it in a variable of the type pthread_t, or in an array of them"
    return refuse("the id of a thread in this form", thread.span(call), remedy)


def element(
    thread: "Statements", first: Expression, end: Expression, subscript: c_ast.Node, call: c_ast.FuncCall
) -> Expression:
    """The number of an element of an array of ids."""
    number = thread.value(subscript).expression
    inside = apply("&&", apply("<=", ZERO, number), apply("<", number, end))
    if not (isinstance(end, Constant) and thread.is_bounded(subscript, int(end.value))):
        thread.demand(fold(inside), OUTSIDE, call)
    return fold(apply("+", first, number))
