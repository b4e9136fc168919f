"""Loops that run a known number of times: `for (i = 0; i < 4; i++)`, where nothing else changes `i`.

Such a loop is the same as so many copies of its body, one after the other. What each copy asks for is memory
of its own.
"""

from collections.abc import Callable

from pycparser import c_ast

from seriatim.frontends.c.types import CHAR

MAX_TRIPS = 16

COUNTING = frozenset(
    (
        *("char", "short", "int", "long", "signed", "unsigned", "size_t", "int8_t", "int16_t", "int32_t"),
        *("int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"),
    )
)
"""Types that count as far as loops are unrolled; `_Bool` does not."""

_TESTS: dict[str, Callable[[int, int], int]] = {
    "<": lambda first, last: last - first,
    "<=": lambda first, last: last - first + 1,
    "!=": lambda first, last: last - first,
}


def asks_for_memory(node: c_ast.Node, functions: dict[str, c_ast.FuncDef], seen: frozenset[str]) -> bool:
    """Whether code, or a function that it calls, calls `malloc` or `calloc`."""
    if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
        name = node.name.name
        if name in ("malloc", "calloc"):
            return True
        is_new = name in functions and name not in seen
        if is_new and asks_for_memory(functions[name].body, functions, seen | {name}):
            return True
    return any(asks_for_memory(child, functions, seen) for _, child in node.children())


def trips(
    node: c_ast.Node, constant: Callable[[c_ast.Node], int | None], is_local: Callable[[str], bool]
) -> int | None:
    """How often the body of a loop runs; None if that is not known, or too often."""
    found = counted(node, constant, is_local)
    if found is None or found[2] > CHAR.high:  # Conversions would matter.
        return None
    _, first, last = found
    return max(0, last - first) if last - first <= MAX_TRIPS else None


def counted(
    node: c_ast.Node, constant: Callable[[c_ast.Node], int | None], is_local: Callable[[str], bool]
) -> tuple[str, int, int] | None:
    """The variable of a loop that counts up, which nothing else changes, its first value, and the one that it
    never has in the body. None for other loops."""
    if not isinstance(node, c_ast.For) or not isinstance(node.cond, c_ast.BinaryOp):
        return None
    name, start = _start(node.init)
    if not name or start is None or not _counts(node.next, name):
        return None
    test = node.cond
    if not isinstance(test.left, c_ast.ID) or test.left.name != name or test.op not in _TESTS:
        return None
    if changes(node.stmt, name) or not (isinstance(node.init, c_ast.DeclList) or is_local(name)):
        return None
    first, last = constant(start), constant(test.right)
    if first is None or last is None or first < 0:
        return None
    count = _TESTS[test.op](first, last)
    return (name, first, first + count) if count >= 0 else None


def _start(node: c_ast.Node | None) -> tuple[str, c_ast.Node | None]:
    """The variable that counts, and its first value."""
    match node:
        case c_ast.DeclList(
            decls=[
                c_ast.Decl(
                    name=name,
                    type=c_ast.TypeDecl(type=c_ast.IdentifierType(names=words)),
                    init=value,
                )
            ]
        ) if COUNTING.issuperset(words):
            return str(name), value
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value):
            return str(name), value
        case _:
            return "", None


def _counts(node: c_ast.Node | None, name: str) -> bool:
    match node:
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID(name=found)):
            return bool(found == name)
        case c_ast.Assignment(op="+=", lvalue=c_ast.ID(name=found), rvalue=c_ast.Constant(value="1")):
            return bool(found == name)
        case _:
            return False


def changes(node: c_ast.Node, name: str) -> bool:
    """Whether code may change a variable, take its address, or be entered from elsewhere."""
    match node:
        case c_ast.Label():
            return True
        case c_ast.Assignment(lvalue=c_ast.ID(name=found)) if found == name:
            return True
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--" | "&", expr=c_ast.ID(name=found)) if found == name:
            return True
        case _:
            return any(changes(child, name) for _, child in node.children())


def renews(node: c_ast.Node, name: str) -> bool:
    """Whether code assigns to a parameter, takes its address, or gives its name to another variable."""
    match node:
        case c_ast.Decl(name=found) if found == name:
            return True
        case (
            c_ast.Assignment(lvalue=c_ast.ID(name=found))
            | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--" | "&", expr=c_ast.ID(name=found))
        ) if found == name:
            return True
        case _:
            return any(renews(child, name) for _, child in node.children())


def measures(node: c_ast.Node, name: str, is_measured: bool = False) -> bool:
    """Whether code asks for the size of a variable."""
    if isinstance(node, c_ast.ID):
        return is_measured and bool(node.name == name)
    is_measured = is_measured or (isinstance(node, c_ast.UnaryOp) and node.op == "sizeof")
    return any(measures(child, name, is_measured) for _, child in node.children())


def gotos(node: c_ast.Node) -> set[str]:
    """The labels to which code jumps."""
    found = {str(node.name)} if isinstance(node, c_ast.Goto) else set()
    for _, child in node.children():
        found |= gotos(child)
    return found
