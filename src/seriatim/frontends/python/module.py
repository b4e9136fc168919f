"""What a Python file defines: classes, functions, enumerations, exceptions, imported names."""

import ast
from functools import cached_property

from seriatim.frontends.python.annotations import Enumerations
from seriatim.frontends.python.marks import Mark, Marks
from seriatim.frontends.python.places import Places

Function = ast.FunctionDef | ast.AsyncFunctionDef

ASYNCIO_PARTS = {
    f"asyncio.{name}": "asyncio" for name in ("locks", "queues", "tasks", "timeouts", "taskgroups")
}
"""Modules of asyncio whose names are also names of asyncio itself."""

ROUTES = frozenset(
    ("get", "post", "put", "delete", "patch", "head", "options", "route", "api_route", "websocket", "view")
)
"""Decorators of FastAPI, Starlette, aiohttp, Quart and Sanic: `@app.get("/seats")`."""

REGISTERING = frozenset(
    (
        *ROUTES,
        *(f"add_{name}" for name in ROUTES),
        *("Route", "WebSocketRoute", "APIRoute", "add_api_websocket_route", "add_url_rule"),
        *("add_websocket_route", "add_websocket"),
    )
)
"""Calls of the same frameworks that take a handler: `Route("/seats", seats)`, `web.get("/seats", seats)`."""


LENDING = frozenset(("contextlib.asynccontextmanager", "contextlib.contextmanager"))
"""Decorators of generators that lend something to a block."""


class Module:
    """A file, as far as its text tells."""

    def __init__(self, tree: ast.Module, places: Places, marks: Marks, name: str) -> None:
        self.tree = tree
        self.places = places
        self.marks = marks
        self.name = name
        self.classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        self.functions: dict[str, Function] = {
            node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        self.imported = dict(_imports(tree))
        self.filling: set[int] = set()
        """Statements that were read as what fills a queue, by identity."""

    def mark(self, node: ast.AST, *names: str) -> Mark | None:
        """The mark of a statement, a parameter or a definition."""
        first = getattr(node, "lineno", 0)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            last = node.body[0].lineno - 1 if node.body[0].lineno > first else first
        elif isinstance(
            node, ast.If | ast.While | ast.For | ast.AsyncFor | ast.AsyncWith | ast.With | ast.Try
        ):
            last = first
        else:
            last = getattr(node, "end_lineno", first) or first
        return self.marks.at(first, last, *names)

    def full_name(self, node: ast.expr) -> str:
        """What an expression names, by the imports of the file: `asyncio.Lock`; empty if it is no name."""
        match node:
            case ast.Name(id=name):
                found = self.imported.get(name, name)
                base, _, last = found.rpartition(".")
                return f"{ASYNCIO_PARTS[base]}.{last}" if base in ASYNCIO_PARTS else found
            case ast.Attribute(value=value, attr=attr):
                base = ASYNCIO_PARTS.get(found := self.full_name(value), found)
                return f"{base}.{attr}" if base else ""
            case _:
                return ""

    @cached_property
    def doubtful_enumerations(self) -> frozenset[str]:
        """Enumerations whose members equal integers, strings or one another."""
        return frozenset(name for name in self.all_enumerations if not self._is_plain(self.classes[name]))

    def _is_plain(self, cls: ast.ClassDef) -> bool:
        """Whether it has a different constant for each member, and members equal nothing else in the file."""
        bases = [self.full_name(base).rpartition(".")[2] for base in cls.bases]
        values = [node.value for node in cls.body if isinstance(node, ast.Assign)]
        if bases in (["str", "Enum"], ["StrEnum"]):
            return self._are_apart(cls, values)
        if bases != ["Enum"]:
            return False
        if all(
            isinstance(value, ast.Call) and self.full_name(value.func).endswith("auto") for value in values
        ):
            return True
        constants = [value.value for value in values if isinstance(value, ast.Constant)]
        return len(constants) == len(values) == len(set(constants))

    def _are_apart(self, cls: ast.ClassDef, values: list[ast.expr]) -> bool:
        """Whether members that are strings, all different, meet no such string elsewhere, nor in a mark."""
        own = [
            each.value for each in values if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        inside = {id(node) for node in ast.walk(cls)}
        others = {
            node.value
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside
        }
        marks = [mark.text for mark in (*self.marks.lines.values(), *self.marks.names.values())]
        is_named = any(f"{quote}{value}{quote}" in text for value in own for text in marks for quote in "'\"")
        return (
            len(own) == len(values) == len(set(own)) and all(own) and not others & set(own) and not is_named
        )

    @cached_property
    def enumerations(self) -> Enumerations:
        """The members of each enumeration that is nothing else."""
        found = self.all_enumerations
        return {name: members for name, members in found.items() if name not in self.doubtful_enumerations}

    @cached_property
    def all_enumerations(self) -> Enumerations:
        """The members of each enumeration."""
        return {
            name: tuple(
                target.id
                for node in cls.body
                if isinstance(node, ast.Assign)
                for target in node.targets
                if isinstance(target, ast.Name)
            )
            for name, cls in self.classes.items()
            if any(self.full_name(base).split(".")[-1] in _ENUMS for base in cls.bases)
        }

    def is_exception(self, name: str) -> bool:
        """Whether a class of the file is one of exceptions."""
        cls = self.classes.get(name)
        if cls is None:
            return False
        names = [self.full_name(base).split(".")[-1] for base in cls.bases]
        return any(base.endswith(("Error", "Exception")) or self.is_exception(base) for base in names)

    def is_dataclass(self, name: str) -> bool:
        decorators = self.classes[name].decorator_list
        calls = (each.func if isinstance(each, ast.Call) else each for each in decorators)
        return any(self.full_name(each).endswith("dataclass") for each in calls)

    def methods(self, cls: str) -> dict[str, Function]:
        """Of a class and its bases in the file."""
        found: dict[str, Function] = {}
        if cls in self.classes:
            for base in reversed(self.classes[cls].bases):
                found |= self.methods(self.full_name(base))
            for node in self.classes[cls].body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    found[node.name] = node
        return found

    def of_class(self, node: ast.AST) -> ast.expr | None:
        """What the class gives an attribute that is named by its class, as in `Counter.total`."""
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in self.classes:
                for statement in self.classes[name].body:
                    for own, value in _class_values(statement):
                        if own == attribute:
                            return value
        return None

    def is_route(self, function: Function) -> bool:
        is_decorated = any(
            isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in ROUTES
            for each in function.decorator_list
        )
        return is_decorated or (function.name in self.registered and self.is_of_module(function))

    def is_property(self, function: Function) -> bool:
        """Whether it is a property that can only be read."""
        names = [self.full_name(each) for each in function.decorator_list]
        setters = {f"{function.name}.setter", f"{function.name}.deleter"}
        used = (self.full_name(each) for other in _all_functions(self.tree) for each in other.decorator_list)
        return names == ["property"] and setters.isdisjoint(used)

    def lends(self, function: Function) -> bool:
        """Whether it is used in `with` or `async with`, and lends something to the block."""
        return any(self.full_name(each) in LENDING for each in function.decorator_list)

    def is_of_module(self, function: Function) -> bool:
        return self.functions.get(function.name) is function

    def is_registration(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and self.full_name(node.func).rpartition(".")[2] in REGISTERING

    def is_registering(self, value: ast.expr) -> bool:
        """Whether a value is a list of routes, which belongs to a framework and is no state."""
        return isinstance(value, ast.List | ast.Tuple) and any(map(self.is_registration, value.elts))

    @cached_property
    def registered(self) -> frozenset[str]:
        """Functions that the file hands to a framework: `Route("/buy", buy)`."""
        statements = [
            node
            for node in self.tree.body
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        ]
        return frozenset(
            given.id
            for statement in statements
            for node in ast.walk(statement)
            if self.is_registration(node) and isinstance(node, ast.Call)
            for given in (*node.args, *(each.value for each in node.keywords))
            if isinstance(given, ast.Name) and given.id in self.functions
        )

    @cached_property
    def assigned(self) -> frozenset[str]:
        """Attributes and module variables that some function other than `__init__` changes, by name."""
        found: set[str] = set()
        for function in _all_functions(self.tree):
            is_init = function.name in ("__init__", "__post_init__")
            declared = {
                name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names
            }
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Store | ast.Del)
                    and not is_init
                ):
                    found.add(node.attr)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in declared:
                    found.add(node.id)
        return frozenset(found)

    def is_mentioned(self, name: str) -> bool:
        """Whether anybody in the file names a variable or an attribute, besides giving it its first value."""
        return name in self._mentioned

    @cached_property
    def _mentioned(self) -> frozenset[str]:
        later = {
            id(node)
            for function in _all_functions(self.tree)
            if function.name not in ("__init__", "__post_init__")
            for node in ast.walk(function)
        }
        found: set[str] = set()
        for node in ast.walk(self.tree):
            is_stored = isinstance(getattr(node, "ctx", None), ast.Store)
            if isinstance(node, ast.Name | ast.Attribute) and not (is_stored and id(node) not in later):
                found.add(node.id if isinstance(node, ast.Name) else node.attr)
            if isinstance(node, ast.Global):
                found.update(node.names)
        return frozenset(found)

    @cached_property
    def runners(self) -> frozenset[str]:
        """Functions that the file itself starts: `asyncio.run(main())`."""
        return frozenset(
            self.full_name(node.args[0].func)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Call)
            and self.full_name(node.func) == "asyncio.run"
            and node.args
            and isinstance(node.args[0], ast.Call)
        )


_ENUMS = frozenset(("Enum", "StrEnum", "IntEnum"))


def _class_values(node: ast.stmt) -> list[tuple[str, ast.expr]]:
    """The attributes that a statement in the body of a class sets, with their values."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return [(each.id, value) for each in targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return [(name, value)]
        case _:
            return []


def _all_functions(tree: ast.Module) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def _imports(tree: ast.Module) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [
                (
                    each.asname or each.name.split(".")[0],
                    each.name if each.asname else each.name.split(".")[0],
                )
                for each in node.names
            ]
        elif isinstance(node, ast.ImportFrom):
            found += [(each.asname or each.name, f"{node.module or ''}.{each.name}") for each in node.names]
    return found
