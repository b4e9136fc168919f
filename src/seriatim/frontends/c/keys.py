"""Keys of thread-specific data: each is created once, and one with a destructor stays.

A key stands for one variable of each thread from the start. That is exact where its `pthread_key_create` is
executed at most once (a key that is created again is another one, under which nobody has stored anything),
and where no key with a destructor is deleted (nobody calls the destructor of a deleted one).
"""

from collections import Counter
from collections.abc import Container, Iterator, Mapping

from pycparser import c_ast

LOOPS = (c_ast.While, c_ast.DoWhile, c_ast.For)

Definitions = Mapping[str, c_ast.FuncDef]


def problems_of_keys(
    definitions: Definitions, mentioned: Counter[str], destructors: Container[str]
) -> Iterator[tuple[str, c_ast.Node, str]]:
    """What is not exact about keys, where, and what to do."""
    created: set[str] = set()
    for function, definition in definitions.items():
        for call, repeats in calls_in(definition.body, has_jumps(definition)):
            key = _key_of(call)
            match call.name.name:
                case "pthread_key_create":
                    is_once = not repeats and executes_once(function, definitions, mentioned)
                    if key in created or not is_once:
                        yield "creating a key more than once", call, "create it in main, or by pthread_once"
                    created.add(key)
                case "pthread_key_delete" if key in destructors or not key:
                    yield "deleting a key with a destructor", call, "leave the key"


def _key_of(call: c_ast.FuncCall) -> str:
    """The name of the key; empty if it has none."""
    match list(call.args.exprs) if call.args is not None else []:
        case [c_ast.UnaryOp(op="&", expr=c_ast.ID(name=key)), *_] | [c_ast.ID(name=key), *_]:
            return str(key)
    return ""


def executes_once(
    function: str, definitions: Definitions, mentioned: Counter[str], below: frozenset[str] = frozenset()
) -> bool:
    """Whether a function is executed at most once in each run, as its text shows."""
    if function == "main":
        return not mentioned[function]
    if mentioned[function] != 1 or function in below:
        return False
    for caller, definition in definitions.items():
        for call, repeats in calls_in(definition.body, has_jumps(definition)):
            if call.name.name == function:
                return not repeats and executes_once(caller, definitions, mentioned, below | {function})
            if call.name.name == "pthread_once" and _is_named(call.args.exprs[-1], function):
                return True
    return False


def _is_named(node: c_ast.Node, function: str) -> bool:
    match node:
        case c_ast.ID(name=name) | c_ast.UnaryOp(op="&", expr=c_ast.ID(name=name)):
            return bool(name == function)
    return False


def has_jumps(definition: c_ast.FuncDef) -> bool:
    """Whether control can go back by a `goto`."""

    def look(node: c_ast.Node) -> bool:
        return isinstance(node, c_ast.Goto) or any(look(child) for _, child in node.children())

    return look(definition.body)


def calls_in(node: c_ast.Node, repeats: bool) -> Iterator[tuple[c_ast.FuncCall, bool]]:
    """Calls by name, and whether they stand where control can come twice."""
    if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
        yield node, repeats
    for _, child in node.children():
        yield from calls_in(child, repeats or isinstance(node, LOOPS))
