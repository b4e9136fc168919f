"""Threads of C11 (`<threads.h>`): on Linux, they are those of pthreads under other names.

Calls are renamed in the tree, so that all that looks for threads finds them. Functions that return other
numbers, or get other arguments, keep their names.
"""

from pycparser import c_ast

NAMES = {
    "thrd_exit": "pthread_exit",
    "thrd_detach": "pthread_detach",
    "thrd_yield": "sched_yield",
    "thrd_sleep": "nanosleep",
    "mtx_lock": "pthread_mutex_lock",
    "mtx_unlock": "pthread_mutex_unlock",
    "mtx_destroy": "pthread_mutex_destroy",
    "cnd_wait": "pthread_cond_wait",
    "cnd_signal": "pthread_cond_signal",
    "cnd_broadcast": "pthread_cond_broadcast",
    "cnd_destroy": "pthread_cond_destroy",
    "call_once": "pthread_once",
    "tss_create": "pthread_key_create",
    "tss_get": "pthread_getspecific",
    "tss_set": "pthread_setspecific",
    "tss_delete": "pthread_key_delete",
}
"""Functions with the same arguments, and the same number where they succeed."""

OTHER_FAILURES = {
    "mtx_trylock": ("pthread_mutex_trylock", 1),
    "mtx_timedlock": ("pthread_mutex_timedlock", 4),
    "cnd_timedwait": ("pthread_cond_timedwait", 4),
}
"""Functions that say in another number that they gave up."""


def rename_calls(node: c_ast.Node, own: set[str]) -> None:
    """Calls pthreads instead; functions of the program that have these names are left alone."""
    for _, child in node.children():
        rename_calls(child, own)
    if not isinstance(node, c_ast.FuncCall) or not isinstance(node.name, c_ast.ID) or node.name.name in own:
        return
    name = node.name.name
    arguments = list(node.args.exprs) if node.args is not None else []
    null = c_ast.ID("NULL", node.coord)
    match name, arguments:
        case "thrd_create", [identity, function, argument]:
            rename(node, "pthread_create", [identity, null, function, argument])
        case "cnd_init", [which]:
            rename(node, "pthread_cond_init", [which, null])
        case _ if name in NAMES:
            rename(node, NAMES[name], arguments)


def rename(node: c_ast.FuncCall, name: str, arguments: list[c_ast.Node]) -> None:
    node.name = c_ast.ID(name, node.name.coord)
    node.args = c_ast.ExprList(arguments, node.coord) if arguments else None
