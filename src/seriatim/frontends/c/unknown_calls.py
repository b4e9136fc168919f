"""Calls of functions that are declared, but have no body here: they return any value, and do nothing else.

That is an assumption, which a warning names. What is passed must not let such a function change anything: no
address, except of what it must not change. Functions of the system are not declared in the text, so that they
are known by name, or refused.
"""

from typing import TYPE_CHECKING

from pycparser import c_ast

from seriatim.frontends.c.operators import ZERO, Operand
from seriatim.frontends.c.types import INT
from seriatim.source import Diagnostic, Severity

if TYPE_CHECKING:
    from seriatim.frontends.c.statements import Statements

RESERVED = ("_", "pthread_", "sem_", "mtx_", "cnd_", "thrd_", "tss_", "sig", "atomic_", "mq_", "shm")
"""How names begin that mean something to a system."""
JUMPING = frozenset(
    (
        *("fork", "vfork", "clone", "setjmp", "longjmp", "raise", "kill", "alarm", "atexit", "at_quick_exit"),
        *("execl", "execv", "execve", "execvp", "syscall", "wait", "waitpid", "mmap", "munmap", "realloc"),
        *("reallocarray", "aligned_alloc", "posix_memalign", "memalign", "strdup", "strndup", "alloca"),
        *("getcontext", "setcontext", "makecontext", "swapcontext", "setitimer", "qsort", "bsearch"),
    )
)
"""Functions of a system that do more than to return a value, should a text declare them."""


def unknown_call(
    thread: "Statements", name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall
) -> Operand | None:
    """Any value of the type that a function returns; None where that would not be all."""
    declared = thread.unit.prototypes.get(name)
    if declared is None or name.startswith(RESERVED) or name in JUMPING:
        return None
    types = [] if declared.type.args is None else list(declared.type.args.params)
    returned = declared.type.type
    type_ = None if thread.unit.is_void(returned) else thread.unit.integer_type(returned)
    if type_ is None and not thread.unit.is_void(returned):
        return None
    for number, argument in enumerate(arguments):
        given = thread.unevaluated(argument)
        parameter = (
            types[number].type
            if number < len(types) and isinstance(types[number], c_ast.Decl | c_ast.Typename)
            else None
        )
        if given.cases or (given.points_to and not is_only_read(parameter)):
            return None
    for argument in arguments:
        thread.discard(argument)
    message = f"`{name}` has no body here: it is taken to return any value, and to do nothing else"
    hint = "write its body, if it does more"
    thread.unit.notes.setdefault(
        name, Diagnostic("SER725", message, thread.span(node), hint, severity=Severity.WARNING)
    )
    return Operand(ZERO, INT) if type_ is None else thread.any_value(type_, node)


def is_only_read(type_: c_ast.Node | None) -> bool:
    """Whether a parameter is a pointer through which nothing can be changed."""
    if not isinstance(type_, c_ast.PtrDecl):
        return False
    return "const" in (getattr(type_.type, "quals", None) or [])
