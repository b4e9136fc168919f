"""What evaluating an expression of C may do: change something, jump away, fail."""

from pycparser import c_ast

from seriatim.frontends.c.extensions import SAME

STATEMENTS = (
    *(
        c_ast.Compound,
        c_ast.If,
        c_ast.While,
        c_ast.DoWhile,
        c_ast.For,
        c_ast.Switch,
        c_ast.Decl,
        c_ast.DeclList,
    ),
    *(
        c_ast.Return,
        c_ast.Break,
        c_ast.Continue,
        c_ast.Goto,
        c_ast.Label,
        c_ast.EmptyStatement,
        c_ast.Typedef,
    ),
)
"""What has no value."""


def is_plain(node: c_ast.Node) -> bool:
    """Whether evaluating it changes nothing, and control goes on after it."""
    match node:
        case c_ast.FuncCall() | c_ast.Assignment() | c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
            return False
        case c_ast.Compound() | c_ast.CompoundLiteral():
            return False
        case _:
            return all(is_plain(child) for _, child in node.children())


def is_total(node: c_ast.Node) -> bool:
    """Whether evaluating it cannot fail."""
    match node:
        case c_ast.ArrayRef() | c_ast.UnaryOp(op="*") | c_ast.StructRef(type="->"):
            return False
        case c_ast.BinaryOp(op="/" | "%"):
            return False
        case _:
            return all(is_total(child) for _, child in node.children())


def reads_as_formula(node: c_ast.Node) -> bool:
    """Whether a formula for it depends on what C reads, and on nothing else: `a, b` reads `a`, `a & b` reads
    both sides whatever `a` is, and a value that is kept (of `a ?: b`) is read at once."""
    match node:
        case c_ast.ExprList() | c_ast.BinaryOp(op="&" | "|"):
            return False
        case c_ast.TernaryOp(iftrue=c_ast.ID(name=name)) if name == SAME:
            return False
        case _:
            return all(reads_as_formula(child) for _, child in node.children())


def is_address(node: c_ast.Node) -> bool:
    """Whether an expression is an address or a size: to find it, nothing is read."""
    return isinstance(node, c_ast.UnaryOp) and node.op in ("&", "sizeof")
