"""State that a module keeps in the application of its web framework: `app["busy"]`, `app.state.busy`.

It has to get its first values at the top level of the file. Handlers come to it by the name of the
application, or by that of the request: `request.app["busy"]`.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.frontends.python.module import Module

FRAMEWORKS = frozenset(("aiohttp", "fastapi", "quart", "sanic", "starlette"))

APPLICATIONS = frozenset(("Application", "FastAPI", "Quart", "Sanic", "Starlette"))

HOLDERS = frozenset(("state", "ctx"))
"""Attributes of an application that hold what users put there."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A statement that puts something into the application."""

    app: str
    holder: str
    """The attribute that holds it; empty for `app["busy"]`."""
    name: str
    annotation: ast.expr | None
    value: ast.expr
    statement: ast.stmt


def application(module: Module) -> str | None:
    """The variable of the module that holds the application; None unless there is exactly one."""
    found = [
        name.id
        for node in module.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for name in node.targets[:1]
        if isinstance(name, ast.Name) and _is_application(module.full_name(node.value.func))
    ]
    return found[0] if len(found) == 1 else None


def _is_application(name: str) -> bool:
    return name.partition(".")[0] in FRAMEWORKS and name.rpartition(".")[2] in APPLICATIONS


def definitions(module: Module) -> tuple[Definition, ...]:
    """What the file puts into its application, each once, and in one manner."""
    app = application(module)
    found = [each for node in module.tree.body for each in _definition(node, app or "")]
    places = {(each.holder, each.name) for each in found}
    holders = {each.holder for each in found}
    return tuple(found) if len(places) == len(found) and len(holders) == 1 else ()


def _definition(node: ast.stmt, app: str) -> Iterator[Definition]:
    match node:
        case ast.Assign(targets=[target], value=value):
            annotation = None
        case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
            pass
        case _:
            return
    match target:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))) if name == app:
            yield Definition(app, "", key, annotation, value, node)
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr=holder), attr=key):
            if name == app and holder in HOLDERS:
                yield Definition(app, holder, key, annotation, value, node)
