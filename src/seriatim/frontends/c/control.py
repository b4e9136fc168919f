"""Control flow of C to steps: branches, loops, `switch`, labels and jumps."""

from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from functools import partial

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from seriatim.frontends.c.addresses import Addresses
from seriatim.frontends.c.expressions import Expressions
from seriatim.frontends.c.operators import Operand, combined, convert, truth
from seriatim.frontends.c.preprocessing import Prepared
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Symbol
from seriatim.frontends.c.types import promoted


class Control(Expressions):
    """Builds the graph of one thread; declarations, calls and `return` are left to a subclass."""

    def __init__(self, source: Prepared, names: dict[str, Symbol], addresses: Addresses) -> None:
        super().__init__(source, names, addresses)
        self.loops = 0
        """Around the code that is translated, in whatever function."""
        self.breaks: list[int] = []
        self.continues: list[int] = []
        self.labels: list[dict[str, int]] = []

    def statement_of(self, node: c_ast.Node | None) -> None:
        if node is None or (self.graph.here is None and is_dead(node)):
            self.pass_over(node)
            return
        match node:
            case c_ast.Compound(block_items=items):
                self.scopes.enter()
                for item in items or []:
                    self.statement_of(item)
                self.scopes.leave()
            case c_ast.If():
                self.branches(node)
            case c_ast.While() | c_ast.DoWhile() | c_ast.For():
                self.loop(node)
            case c_ast.Break() | c_ast.Continue() | c_ast.Return() | c_ast.Goto():
                self.jump(node)
            case c_ast.Label(name=name, stmt=labelled):
                self.graph.join_at(self.label(name), self.span(node))
                self.statement_of(labelled)
            case c_ast.Decl() | c_ast.DeclList() | c_ast.Typedef():
                self.declarations(node)
            case c_ast.Switch():
                self.switch(node)
            case c_ast.EmptyStatement() | c_ast.Pragma() | c_ast.StaticAssert():
                pass
            case _:
                self.simple(node)

    def declarations(self, node: c_ast.Node) -> None:
        if isinstance(node, c_ast.Typedef):
            self.name_type(node)
            return
        for each in [node] if isinstance(node, c_ast.Decl) else node.decls:
            if self.graph.here is None and not isinstance(each.init, c_ast.InitList | c_ast.Constant):
                each = copy(each)
                each.init = None
            self.note(each)
            self.in_one_step(each, partial(self.declare, each))

    def simple(self, node: c_ast.Node) -> None:
        if isinstance(node, c_ast.Case | c_ast.Default):
            refuse("a case within another statement of a `switch`", self.span(node), "move it out")
        self.note(node)
        self.in_one_step(node, lambda: self.discard(node))

    def branches(self, node: c_ast.If) -> None:
        yes, no, end = (self.graph.place() for _ in range(3))
        self.test(node.cond, yes, no)
        for place, branch in ((yes, node.iftrue), (no, node.iffalse)):
            if self.graph.come_to(place) or has_labels(branch):
                self.statement_of(branch)
            self.graph.go(end, self.span(node))
        self.graph.come_to(end)

    def switch(self, node: c_ast.Switch) -> None:
        """Translates a `switch`: a test for each case, which jumps to its statements; these stand one after
        the other, as control falls through."""
        self.note(node.cond)
        self.statement = f"switch ({self.statement})"
        value = self.keep(self.value(node.cond), node.cond)
        items = (node.stmt.block_items or []) if isinstance(node.stmt, c_ast.Compound) else [node.stmt]
        places = {item: self.graph.place() for item in items if isinstance(item, c_ast.Case | c_ast.Default)}
        end = self.graph.place()
        for item, place in places.items():
            if isinstance(item, c_ast.Case):
                constant = convert(self.value(item.expr), promoted(value.type))
                test = combined("==", value, Operand(constant, promoted(value.type)))
                assert test is not None, "comparisons are known"
                following = self.graph.place()
                self.graph.branch(truth(test), place, following, self.span(item), self.statement)
                self.graph.here = following
        default = next((place for item, place in places.items() if isinstance(item, c_ast.Default)), end)
        self.graph.go(default, self.span(node))
        self.breaks.append(end)
        self.scopes.enter()
        for item in items:
            if item in places:
                self.graph.join_at(places[item], self.span(item))
            for each in item.stmts or [] if item in places else [item]:
                self.statement_of(each)
        self.scopes.leave()
        self.breaks.pop()
        self.graph.join_at(end, self.span(node))

    def jump(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.Break():
                self.graph.go(self.breaks[-1], self.span(node))
            case c_ast.Continue():
                self.graph.go(self.continues[-1], self.span(node))
            case c_ast.Goto(name=name):
                self.graph.go(self.label(name), self.span(node))
            case _:
                self.return_from(node)

    def note(self, node: c_ast.Node) -> None:
        self.statement = " ".join(CGenerator().visit(node).split())

    def in_one_step(self, node: c_ast.Node, work: Callable[[], object]) -> None:
        """Translates a simple statement; where statements are steps, as one."""
        is_one = self.is_one_step(node)
        if is_one:
            self.graph.mark(1, self.span(node))
        work()
        if is_one:
            self.graph.mark(-1, self.span(node))

    def test(self, condition: c_ast.Node, yes: int, no: int) -> None:
        self.note(condition)
        self.statement = f"if ({self.statement})"
        if not self.is_one_step(condition):
            self.condition(condition, yes, no)
            return
        span = self.span(condition)
        self.graph.mark(1, span)
        inner = self.graph.place(), self.graph.place()
        self.condition(condition, *inner)
        for place, target in zip(inner, (yes, no), strict=True):
            self.graph.here = place
            self.graph.mark(-1, span)
            self.graph.go(target, span)

    def unrolled(self, node: c_ast.For, times: int) -> None:
        """The copies of a body, one after the other."""
        end = self.graph.place()
        self.scopes.enter()
        self.statement_of(node.init)
        for _ in range(times):
            step = self.graph.place()
            self.breaks.append(end)
            self.continues.append(step)
            self.statement_of(node.stmt)
            self.breaks.pop()
            self.continues.pop()
            self.graph.join_at(step, self.span(node))
            self.statement_of(node.next)
        self.scopes.leave()
        self.graph.join_at(end, self.span(node))

    def loop(self, node: c_ast.While | c_ast.DoWhile | c_ast.For) -> None:
        times = self.trips(node)
        if times is not None:
            self.unrolled(node, times)
            return
        head, body, step, end = (self.graph.place() for _ in range(4))
        span = self.span(node)
        self.scopes.enter()
        if isinstance(node, c_ast.For):
            self.statement_of(node.init)
        self.graph.join_at(body if isinstance(node, c_ast.DoWhile) else head, span)
        self.breaks.append(end)
        self.continues.append(step)
        self.loops += 1
        self.graph.here = head
        if node.cond is None:
            self.graph.go(body, span)
        else:
            self.test(node.cond, body, end)
        self.graph.here = body
        outer = dict(self.bounds)
        self.bounds |= self.counted(node)
        self.statement_of(node.stmt)
        self.bounds = outer
        self.graph.join_at(step, span)
        if isinstance(node, c_ast.For):
            self.statement_of(node.next)
        self.graph.go(head, span)
        self.breaks.pop()
        self.continues.pop()
        self.loops -= 1
        self.scopes.leave()
        self.graph.here = end

    def label(self, name: str) -> int:
        known = self.labels[-1]
        if name not in known:
            known[name] = self.graph.place()
        return known[name]

    # Left to subclasses

    @abstractmethod
    def counted(self, node: c_ast.Node) -> dict[str, tuple[int, int]]:
        """The variable that a loop counts with, and the values that it has in the body."""

    @abstractmethod
    def trips(self, node: c_ast.Node) -> int | None:
        """How many copies of its body a loop is; None if it stays a loop."""

    @abstractmethod
    def pass_over(self, node: c_ast.Node | None) -> None:
        """Control does not come to a statement, which may still belong to one to which it has come."""

    @abstractmethod
    def is_one_step(self, node: c_ast.Node) -> bool:
        """Whether a statement or a condition is one step, whatever it accesses."""

    @abstractmethod
    def declare(self, node: c_ast.Decl) -> None:
        """A local, with its first value."""

    @abstractmethod
    def name_type(self, node: c_ast.Typedef) -> None:
        """A name for a type, in a block."""

    @abstractmethod
    def return_from(self, node: c_ast.Return) -> None:
        """`return`"""


def is_dead(node: c_ast.Node) -> bool:
    """Whether a statement to which control does not come can be left out."""
    return not (isinstance(node, c_ast.Decl | c_ast.DeclList | c_ast.Typedef) or has_labels(node))


def has_labels(node: c_ast.Node | None) -> bool:
    """Whether control may come into a statement from elsewhere: to a label, or to a case of a `switch`."""
    if node is None:
        return False
    is_entered = isinstance(node, c_ast.Label | c_ast.Case | c_ast.Default)
    return is_entered or any(has_labels(child) for _, child in node.children())
