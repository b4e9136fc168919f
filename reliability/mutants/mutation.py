"""Mutants: a function with one small fault, as code that can take the place of the function's own.

Only bodies of functions and methods are changed, and in them nothing that is for people alone, such as texts
and annotations, and no estimates.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitAnd,
    ast.USub: ast.UAdd,
}

RENAMED = {"any": "all", "all": "any", "min": "max", "max": "min"}

Place = tuple[ast.AST, str, int | None]
"""(a node, one of its fields, the index there if the field is a list)."""


@dataclass(frozen=True, slots=True)
class Mutant:
    module: str
    function: str
    """By its qualified name."""
    line: int
    before: str
    after: str
    code: CodeType
    """Of the function, changed."""

    @property
    def name(self) -> str:
        return f"{self.module}.{self.function}: {self.before} ➜ {self.after}"


def mutants(module: str, source: str, path: str) -> Iterator[Mutant]:
    """All mutants of a module, function by function."""
    tree = ast.parse(source)
    original = compile(source, path, "exec")
    for name, function in functions(tree.body):
        free = code_of(original, name).co_freevars
        for place, node in list(nodes(function)):
            for changed in changes(node):
                put(place, ast.copy_location(changed, node))
                code = code_of(compile(ast.fix_missing_locations(tree), path, "exec"), name)
                put(place, node)
                if code.co_freevars != free:  # Without its `super()`, code does not fit into a method.
                    continue
                yield Mutant(module, name, node.lineno, shown(node), shown(changed), code)


CALLED = "__called__"
"""The name of a set, among the globals of a module, to which its functions add their names when called."""


def watched(source: str, path: str) -> Iterator[tuple[str, CodeType]]:
    """All functions of a module by name, with code that does the same and says so."""
    tree = ast.parse(source)
    every = list(functions(tree.body))
    for name, function in every:
        function.body[:0] = ast.parse(f"{CALLED}.add({name!r})").body
    compiled = compile(ast.fix_missing_locations(tree), path, "exec")
    yield from ((name, code_of(compiled, name)) for name, _ in every)


def shown(node: ast.stmt | ast.expr) -> str:
    """On one line; what depends on a condition is left out."""
    return f"if {ast.unparse(node.test)}" if isinstance(node, ast.If) else " ".join(ast.unparse(node).split())


def functions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions of the module and methods of its classes; those inside of functions belong to these."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            yield prefix + statement.name, statement
        elif isinstance(statement, ast.ClassDef):
            yield from functions(statement.body, f"{prefix}{statement.name}.")


def nodes(parent: ast.AST) -> Iterator[tuple[Place, ast.stmt | ast.expr]]:
    """The statements and expressions below a node that a machine executes, with their places."""
    for field, value in ast.iter_fields(parent):
        if field in FOR_PEOPLE:
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.JoinedStr | ast.arguments) or not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.stmt | ast.expr):
                yield (parent, field, index), child
            if not is_harmless(child):
                yield from nodes(child)


def is_harmless(node: ast.AST) -> bool:
    """How much of an allowance some work takes, more or less; and an assertion, `zip(…, strict=True)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="spend")) | ast.keyword(arg="strict"):
            return True
        case _:
            return False


FOR_PEOPLE = {"annotation", "returns", "decorator_list", "type_params"}


def put(place: Place, node: ast.AST) -> None:
    parent, field, index = place
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def changes(node: ast.stmt | ast.expr) -> Iterator[ast.stmt | ast.expr]:  # noqa: C901 - an arm a case
    """What may stand there instead."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=right) if type(operator) in SWAPPED:
            yield ast.Compare(left, [swapped(operator)], right)
        case ast.Expr(value=ast.Call(func=ast.Name(id="assert_never"))):
            return  # Nothing gets there.
        case ast.BoolOp(values=[*_, ast.Constant(value=str()) | ast.JoinedStr()]):
            return  # A text, or else another one.
        case ast.BoolOp(op=operator, values=values):
            yield ast.BoolOp(swapped(operator), values)
            yield from (without(values, index, operator) for index in range(len(values)))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in SWAPPED:
            yield ast.BinOp(left, swapped(operator), right)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)
        case ast.Name(id=name) if name in RENAMED:
            yield ast.Name(RENAMED[name], node.ctx)
        case ast.If(test=test, body=body, orelse=orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
        case (
            ast.Raise()
            | ast.Continue()
            | ast.Break()
            | ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom())
        ):
            yield ast.Pass()
        case ast.AugAssign(target=target, op=operator, value=value) if type(operator) in SWAPPED:
            yield ast.AugAssign(target, swapped(operator), value)


def swapped(operator: ast.AST) -> Any:
    return SWAPPED[type(operator)]()


def without(values: list[ast.expr], index: int, operator: ast.boolop) -> ast.expr:
    """A conjunction or disjunction without one of its parts."""
    rest = values[:index] + values[index + 1 :]
    return rest[0] if len(rest) == 1 else ast.BoolOp(operator, rest)


def code_of(module: CodeType, name: str) -> CodeType:
    """The code of a function by its qualified name."""
    for constant in module.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_qualname == name:
                return constant
            if name.startswith(f"{constant.co_qualname}."):
                return code_of(constant, name)
    raise LookupError(name)
