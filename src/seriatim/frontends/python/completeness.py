"""Nothing that changes the state is left out: what no request executes is refused, or marked.

A model without a piece of code that runs beside the requests would be a model of another service.
"""

import ast
from collections.abc import Iterator

from seriatim.frontends.python.app_state import definitions
from seriatim.frontends.python.module import Function, Module
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import External, Fixed, Instance, Item, Keyed

_OF_CONTAINERS = (
    "append",
    "add",
    "clear",
    "discard",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "update",
)
_OF_PRIMITIVES = ("set", "release", "notify", "notify_all", "get_nowait", "put_nowait")
CHANGING = frozenset((*_OF_CONTAINERS, "setdefault", *_OF_PRIMITIVES))
"""Methods that change what they belong to."""

SPECIAL_METHODS = ("__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__post_init__")

STARTERS = ("create_task", "ensure_future", "Thread", "run_in_executor", "call_later", "call_soon")
"""Calls that let something run beside the requests."""


def state_names(owner: Instance | None, root: Instance) -> frozenset[str]:
    """The names of all parts of the state."""
    roots = [root] if owner is None else [root, owner]
    return frozenset(name for each in roots for name in _names(each))


def first_change(module: Module, function: Function, names: frozenset[str]) -> ast.AST | None:
    """What changes the state in a function, or in those of the file that it names; None if nothing does."""
    methods = [each for cls in module.classes for each in module.methods(cls).values()]
    called = {each.name: each for each in (*methods, *module.functions.values())}
    waiting, seen = [function], {id(function)}
    while waiting:
        here = waiting.pop()
        own = {*names, *_aliases(here, set(names))}
        for node in ast.walk(here):
            if _changes(node, own):
                return node
            other = called.get(str(getattr(node, "attr", getattr(node, "id", ""))))
            if other is not None and id(other) not in seen:
                seen.add(id(other))
                waiting.append(other)
    return None


def demand_complete(
    module: Module, owner: Instance | None, root: Instance, executed: set[int], is_partial: bool
) -> Iterator[Refused]:
    """What changes the state and is not executed by any request; functions are known by their identity.

    If only a part of the requests was translated, the rest may execute what somebody names.
    """
    roots = [root] if owner is None else [root, owner]
    names = set(state_names(owner, root))
    classes = {instance.cls for each in roots for instance in _instances(each)} - {""}
    methods = [method for cls in sorted(classes) for method in module.methods(cls).values()]
    functions = [*module.functions.values(), *methods]
    for function in functions:
        for refused in _of_function(module, function, names, executed):
            refused.follows = is_partial and not _is_unused(module, function)
            yield refused
    first = [each.statement for each in definitions(module)]
    for statement in module.tree.body:
        if statement not in first:
            yield from _of_module(module, statement, names)
            yield from _of_names(module, statement, root)


def _of_function(
    module: Module, function: Function, names: set[str], executed: set[int]
) -> Iterator[Refused]:
    if function.name in SPECIAL_METHODS:
        hint = "leave it out, or mark its line # ser: internal if it changes nothing"
        if not _is_internal(module, function):
            yield Refused("SER923", f"`{function.name}` changes what attributes mean", function, hint)
        return
    if id(function) in executed or function.name == "__init__" or _is_internal(module, function):
        return
    if function.name in module.runners or (function.name.startswith("_") and _is_unused(module, function)):
        return
    own = names | set(_aliases(function, names))
    changed = next((node for node in ast.walk(function) if _changes(node, own)), None)
    if changed is not None:
        hint = _remedy(module, function)
        message = f"`{function.name}` changes the state ({quote_code(changed)}), but no request executes it"
        yield Refused("SER922", message, function, hint)


def _remedy(module: Module, function: Function) -> str:
    """What to do about a function that no request executes."""
    if module.lends(function):
        hint = "write a coroutine that uses it as others do, with `async with`; or mark its line"
        return f"{hint} # ser: internal if it is never used while requests run"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ExceptHandler) and node.type is not None and _names_it(node, function):
            name = ast.unparse(node.type)
            hint = (
                f"it is called where {name} is caught, in line {node.lineno}: say which call raises that, as"
            )
            return f"{hint} in # ser: opaque raises {name}; or mark its line # ser: internal"
    return "mark its line # ser: handler, or # ser: internal if it never runs while requests do"


def _names_it(node: ast.AST, function: Function) -> bool:
    return any(getattr(each, "attr", getattr(each, "id", "")) == function.name for each in ast.walk(node))


def _aliases(function: Function, names: set[str]) -> Iterator[str]:
    """Variables that may be other names of parts of the state."""
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=alias)], value=value):
                parts = [getattr(each, "attr", getattr(each, "id", "")) for each in ast.walk(value)]
                if not isinstance(value, ast.Call) and any(part in names for part in parts):
                    yield alias


def _is_unused(module: Module, function: Function) -> bool:
    """Whether nobody in the file names a function."""
    return not _names_it(module.tree, function)


def _is_internal(module: Module, function: Function) -> bool:
    mark = module.mark(function)
    return mark is not None and mark.word == "internal"


def _of_module(module: Module, statement: ast.stmt, names: set[str]) -> Iterator[Refused]:
    """Statements of the module besides definitions."""
    if isinstance(
        statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom
    ):
        return
    if _is_left_out(module, statement):
        return
    if id(statement) in module.filling:
        return
    for node in ast.walk(statement):
        if _changes(node, names) or _starts(node):
            hint = "give the state its values where it is defined, or mark this # ser: ignore"
            yield Refused("SER923", f"{quote_code(statement)} is more than a definition", statement, hint)
            return


def _is_left_out(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement of the module is not executed where requests run, or somebody says so."""
    mark = module.mark(statement)
    if mark is not None and mark.word == "ignore":
        return True
    if not isinstance(statement, ast.If):
        return False
    return ast.unparse(statement.test) in ("__name__ == '__main__'", "TYPE_CHECKING")


def _of_names(module: Module, statement: ast.stmt, root: Instance) -> Iterator[Refused]:
    """Statements that give a variable of the module another value than the definition that was read."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) or _is_left_out(
        module, statement
    ):
        return
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    if isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    for node in _outside_of_functions(statement):
        if (
            isinstance(node, ast.Name)
            and not isinstance(node.ctx, ast.Load)
            and node not in targets
            and node.id in root.members
            and module.is_mentioned(node.id)
        ):
            message = f"{quote_code(statement)} gives `{node.id}` another value"
            yield Refused("SER923", message, statement, "give each variable its value in one place, alone")
            return


def _outside_of_functions(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a statement that have its variables: no comprehensions, functions, classes."""
    yield node
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, _OWN_NAMES):
            yield from _outside_of_functions(part)


_OWN_NAMES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def _changes(node: ast.AST, names: set[str]) -> bool:
    """Whether a node writes to something that is called like a part of the state."""
    match node:
        case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
            return name in names
        case ast.Global(names=declared):
            return any(name in names for name in declared)
        case ast.Subscript(value=ast.Attribute(attr=name) | ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name in names
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name) | ast.Name(id=name), attr=method)):
            return name in names and method in CHANGING
        case ast.Await(
            value=ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name) | ast.Name(id=name)))
        ):
            return name in names  # It takes a lock, or an item of a queue.
        case ast.AsyncWith(items=items):
            contexts = (each.context_expr for each in items)
            return any(getattr(each, "attr", getattr(each, "id", "")) in names for each in contexts)
        case _:
            return False


def _starts(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in STARTERS


def starts_something(node: ast.AST) -> bool:
    """Whether an expression lets something run beside the requests, or hands the service to somebody."""
    for part in ast.walk(node):
        if _starts(part):
            return True
        if isinstance(part, ast.Call):
            given = [*part.args, *(each.value for each in part.keywords)]
            if any(isinstance(each, ast.Name) and each.id == "self" for each in given):
                return True
    return False


def _names(item: Item) -> Iterator[str]:
    """The names of all parts of the state."""
    if isinstance(item, Instance):
        for name, member in item.members.items():
            if not isinstance(member, External | Fixed):
                yield name
            yield from _names(member)
    elif isinstance(item, Keyed):
        for entry in item.entries.values():
            yield from _names(entry)


def _instances(item: Item) -> Iterator[Instance]:
    if isinstance(item, Instance):
        yield item
        for member in item.members.values():
            yield from _instances(member)
    elif isinstance(item, Keyed):
        for entry in item.entries.values():
            yield from _instances(entry)
