"""First values: which part of a declaration belongs to which variable."""

from pycparser import c_ast

from seriatim.frontends.c.constants import characters
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Array, Cells, Mutex, Scalar, Structure, Symbol, scalars
from seriatim.frontends.c.types import CHAR, INT
from seriatim.source import Span

DEFAULTS = (
    *("PTHREAD_MUTEX_INITIALIZER", "PTHREAD_COND_INITIALIZER", "PTHREAD_RWLOCK_INITIALIZER"),
    *("PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP", "ONCE_FLAG_INIT"),
    *("PTHREAD_ONCE_INIT", "PTHREAD_MUTEX_TIMED_NP", "PTHREAD_RWLOCK_PREFER_READER_NP"),
)
TYPED = {"PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP": "1", "PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP": "2"}
"""Initializers of mutexes of other types, and the numbers of these."""
KIND = ".kind"
"""What follows the name of a mutex in that of the variable for its type."""


def initial_values(
    symbol: Symbol, node: c_ast.Node | None, span: Span
) -> list[tuple[Scalar, c_ast.Node | None]]:
    """The variables in a symbol, and the expressions of their first values; None where the text says none."""
    if node is None:
        return [(each, None) for each in scalars(symbol)]
    if isinstance(symbol, Array) and isinstance(symbol.elements[0], Scalar):
        node = without_braces(node, symbol.elements[0])
    match symbol:
        case Scalar():
            if isinstance(node, c_ast.InitList) and len(node.exprs) == 1:
                node = node.exprs[0]
            return [(symbol, node)]
        case Array(elements=elements) if isinstance(node, c_ast.InitList):
            given = listed(node.exprs, {str(number): number for number in range(len(elements))}, span)
            return [
                each
                for element, value in zip(elements, given, strict=True)
                for each in initial_values(element, value, span)
            ]
        case Structure(members=members) if isinstance(node, c_ast.InitList):
            given = listed(node.exprs, {name: number for number, name in enumerate(members)}, span)
            return [
                each
                for member, value in zip(members.values(), given, strict=True)
                for each in initial_values(member, value, span)
            ]
        case Array(elements=elements) if string_values(node) is not None:
            text = string_values(node) or []
            if len(text) > len(elements):
                refuse("a string that is longer than its array", span, "make the array longer")
            padded = [*text, *[0] * (len(elements) - len(text))]
            constants = [c_ast.Constant("int", str(value), node.coord) for value in padded]
            return [
                each
                for element, value in zip(elements, constants, strict=True)
                for each in initial_values(element, value, span)
            ]
        case Array() | Structure():
            return refuse("this as a first value", span, "list the values in braces")
        case Cells():
            return refuse("a first value of an id of a thread", span, "let pthread_create store it")
        case _:
            return of_object(symbol, node, span)


def of_object(symbol: Symbol, node: c_ast.Node, span: Span) -> list[tuple[Scalar, c_ast.Node | None]]:
    """An object of pthreads starts as usual; a mutex may have a type."""
    if isinstance(symbol, Mutex) and isinstance(node, c_ast.ID) and node.name in TYPED:
        kind = Scalar(f"{symbol.name}{KIND}", INT, shared=True, atomic=True)
        return [(kind, c_ast.Constant("int", TYPED[node.name], node.coord))]
    if not is_default(node):
        refuse("this as a first value of an object of pthreads", span, "use its initializer")
    return []


def without_braces(node: c_ast.Node, element: Scalar) -> c_ast.Node:
    """`{"text"}` is the same as `"text"` for an array of characters."""
    is_text = element.type.bits == CHAR.bits and isinstance(node, c_ast.InitList) and len(node.exprs) == 1
    return node.exprs[0] if is_text and string_values(node.exprs[0]) is not None else node


def string_values(node: c_ast.Node | None) -> list[int] | None:
    """The characters of a string, without the last 0; None for other nodes."""
    if not isinstance(node, c_ast.Constant) or node.type != "string":
        return None
    return characters(node.value)


def listed(values: list[c_ast.Node], places: dict[str, int], span: Span) -> list[c_ast.Node | None]:
    """A value for each place: in order, or by name or number, from where the order goes on."""
    found: list[c_ast.Node | None] = [None] * len(places)
    place = 0
    for each in values:
        value = each
        if isinstance(each, c_ast.NamedInitializer):
            value = each.expr
            key = each.name[0]
            named = key.name if isinstance(key, c_ast.ID) else getattr(key.expr, "value", "")
            if len(each.name) != 1 or named not in places:
                refuse("a first value with a name of this form", span, "list all values")
            place = places[named]
        if place >= len(found):
            refuse("a list with more values than elements", span, "nest braces as the type does")
        found[place] = value
        place += 1
    return found


def is_default(node: c_ast.Node) -> bool:
    """Whether an object of pthreads starts as usual; what a preprocessor makes of that are zeros."""
    match node:
        case c_ast.ID(name=name):
            return str(name) in DEFAULTS
        case c_ast.Constant(value=value):
            return str(value) == "0"
        case c_ast.InitList(exprs=parts):
            return all(map(is_default, parts))
        case c_ast.NamedInitializer(expr=value):
            return is_default(value)
        case _:
            return False
