"""Jumps that a compiler rejects: to labels that are missing or there twice, and out of no loop."""

from collections import Counter
from collections.abc import Callable, Iterator

from pycparser import c_ast

from seriatim.frontends.c.loops import gotos
from seriatim.frontends.c.refusing import refuse
from seriatim.source import Span

LOOPS = c_ast.While | c_ast.DoWhile | c_ast.For


def look_at_jumps(definition: c_ast.FuncDef, span: Callable[[c_ast.Node], Span]) -> None:
    """Raises `InputError` at the function with a wrong label, or at a wrong jump."""
    labels = Counter(_labels(definition.body))
    for name in sorted(gotos(definition.body) - set(labels)):
        refuse(f"a jump to `{name}`, which is no label,", span(definition), "declare the label")
    for name, count in labels.items():
        if count > 1:
            refuse(f"the label `{name}`, which is there twice,", span(definition), "give it another name")
    for node in _stray(definition.body, False, False):
        word = "break" if isinstance(node, c_ast.Break) else "continue"
        refuse(f"`{word}` outside loops", span(node), "leave it out")


def _labels(node: c_ast.Node) -> Iterator[str]:
    if isinstance(node, c_ast.Label):
        yield str(node.name)
    for _, child in node.children():
        yield from _labels(child)


def _stray(node: c_ast.Node, may_break: bool, may_continue: bool) -> Iterator[c_ast.Node]:
    """Jumps out of nothing."""
    is_loop = isinstance(node, LOOPS)
    may_break = may_break or is_loop or isinstance(node, c_ast.Switch)
    may_continue = may_continue or is_loop
    if (isinstance(node, c_ast.Break) and not may_break) or (
        isinstance(node, c_ast.Continue) and not may_continue
    ):
        yield node
    for _, child in node.children():
        yield from _stray(child, may_break, may_continue)
