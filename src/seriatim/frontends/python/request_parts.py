"""Parts of a request that a handler takes from the objects it is given, as parameters of the request.

`name = request.match_info["name"]  # ser: {'a', 'b'}` and, for a body of type `Order`, `order.item` are fixed
when the request comes. So they are parameters, not choices: a choice would also loosen the runs of one
request at a time, and hide violations. The same text means the same value throughout the handler.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.frontends.python.annotations import read_annotation
from seriatim.frontends.python.domains import Domain
from seriatim.frontends.python.module import Function, Module

Extent = tuple[int, int, int, int]
"""Where an expression begins and ends: lines, and columns as Python counts them."""


@dataclass(frozen=True, slots=True)
class Part:
    """An expression that stands for a parameter."""

    text: str
    """As Python writes it."""
    values: Domain


def parts_of(module: Module, function: Function, unknown: list[ast.arg]) -> tuple[Part, ...]:
    """The parts of a request that a handler looks at, of parameters whose values are not known."""
    roots = _roots(function, {argument.arg for argument in unknown})
    found: dict[str, Domain] = {}
    for argument in unknown:
        if argument.arg in roots and isinstance(argument.annotation, ast.Name):
            fields = _fields(module, argument.annotation.id)
            for node in ast.walk(function):
                if _base(node) == argument.arg and isinstance(node, ast.Attribute) and node.attr in fields:
                    found[ast.unparse(node)] = fields[node.attr]
    for statement in ast.walk(function):
        values = _scope(module, statement)
        if values is not None and values.is_finite:
            taken = list(_find_parts(_header(statement), roots))
            if len(taken) == 1 and _is_fixed(taken[0], function):
                found[ast.unparse(taken[0])] = values
    return tuple(Part(text, values) for text, values in found.items())


READING = frozenset(("get",))
"""Methods that answer the same whenever they are called."""


def _is_fixed(node: ast.expr, function: Function) -> bool:
    """Whether an expression has one value throughout a request: calls, such as `receive()`, are made once."""
    if all(
        isinstance(each.func, ast.Attribute) and each.func.attr in READING
        for each in ast.walk(node)
        if isinstance(each, ast.Call)
    ):
        return True
    loops = [
        each
        for each in ast.walk(function)
        if isinstance(each, ast.While | ast.For | ast.AsyncFor | ast.comprehension)
    ]
    text = ast.unparse(node)
    uses = [each for each in ast.walk(function) if isinstance(each, type(node)) and ast.unparse(each) == text]
    return len(uses) == 1 and not any(uses[0] is each for loop in loops for each in ast.walk(loop))


def extents(function: Function, texts: set[str]) -> Iterator[tuple[Extent, str]]:
    """Where parts stand in a handler: the whole expression, not what it consists of."""
    waiting: list[ast.AST] = [function]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Await):
            text = ast.unparse(node)
            if text in texts:
                yield extent(node), text
                continue
        waiting.extend(ast.iter_child_nodes(node))


def extent(node: ast.expr) -> Extent:
    return (node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0)


def _scope(module: Module, node: ast.AST) -> Domain | None:
    """The values that the mark of a statement in a handler names."""
    is_whole = isinstance(node, ast.stmt) and not isinstance(
        node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    )
    mark = module.mark(node) if is_whole else None
    if mark is None or mark.raises:
        return None
    return mark.answers if mark.is_opaque else mark.values


def _header(node: ast.AST) -> ast.AST:
    """What the mark of a statement is about; of a compound one, its condition alone."""
    match node:
        case ast.If(test=test) | ast.While(test=test):
            return test
        case ast.For() | ast.AsyncFor() | ast.With() | ast.AsyncWith() | ast.Try() | ast.Match():
            return ast.Pass()
        case _:
            return node


def _roots(function: Function, parameters: set[str]) -> set[str]:
    """The parameters that always mean what they meant at first, and variables that hold parts of them."""
    stored = [
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    ]
    changed = {
        _base(node)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
    }
    roots = {name for name in parameters if name not in stored and name not in changed}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if stored.count(name) == 1:
                if _base(value) in roots and name not in changed:
                    roots.add(name)
    return roots


def _find_parts(node: ast.AST, roots: set[str]) -> Iterator[ast.expr]:
    """The largest expressions that are parts of something."""
    if isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Await) and _base(node) in roots:
        if isinstance(getattr(node, "ctx", None), ast.Load | None):
            yield node
        return
    for child in ast.iter_child_nodes(node):
        yield from _find_parts(child, roots)


def _base(node: ast.AST) -> str:
    """The variable that an expression is a part of: `a` of `await a.b["c"].d(1)`; empty if it is none."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(), attr="app"):  # What the application holds is state.
            return ""
        case ast.Attribute(value=value) | ast.Subscript(value=value, slice=ast.Constant()):
            return _base(value)
        case ast.Await(value=ast.Call() as value):
            return _base(value)
        case ast.Call(func=ast.Attribute() as func, args=args, keywords=[]) if all(
            isinstance(each, ast.Constant) for each in args
        ):
            return _base(func)
        case _:
            return ""


def _fields(module: Module, name: str) -> dict[str, Domain]:
    """The fields of a class that only holds values, as far as these are finitely many."""
    cls = module.classes.get(name)
    if cls is None or any(isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) for each in cls.body):
        return {}
    bases = {module.full_name(base).rpartition(".")[2] for base in cls.bases}
    if bases != {"BaseModel"} and (bases or not module.is_dataclass(name)):
        return {}
    found: dict[str, Domain] = {}
    for node in cls.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            mark = module.mark(node)
            values = (
                mark.values if mark is not None else read_annotation(node.annotation, module.enumerations)
            )
            if values is not None and values.is_finite:
                found[node.target.id] = values
    return found
