"""Statements of C to steps: control flow, declarations, and inlined calls."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from seriatim.frontends.c.calls import SPECIAL, special_call
from seriatim.frontends.c.expressions import POINTERS, Expressions
from seriatim.frontends.c.operators import ZERO, Operand, convert
from seriatim.frontends.c.refusing import refuse
from seriatim.frontends.c.symbols import Scalar, Symbol
from seriatim.frontends.c.types import INT, LONG, CType
from seriatim.frozen import frozen
from seriatim.program.threads.expressions import Expression, Variable
from seriatim.program.threads.syntax import FINISHED

if TYPE_CHECKING:
    from seriatim.frontends.c.translation import Unit

MAX_DEPTH = 60
"""Of calls within calls."""


@frozen
class Frame:
    """A function that is being translated: where `return` leads, and where its value goes."""

    function: str
    exit: int
    result: Scalar | None


class Statements(Expressions):
    """One thread: the function that it runs, with all that it calls."""

    def __init__(self, unit: "Unit", function: str) -> None:
        super().__init__(unit.file, unit.names)
        self.unit = unit
        self.function = function
        self.frames: list[Frame] = []
        self.parameters: list[str] = []
        """What the thread gets, among its locals."""
        self.breaks: list[int] = []
        self.continues: list[int] = []
        self.labels: list[dict[str, int]] = []

    def thread(self) -> None:
        """The whole thread, up to its end."""
        definition = self.unit.functions[self.function]
        self.scopes.enter()
        for parameter in self.unit.parameters(definition):
            name = self.fresh(parameter)
            self.parameters.append(name)
            self.scopes.declare(parameter, Scalar(name, LONG, shared=False))
        self.frames.append(Frame(self.function, FINISHED, None))
        self.labels.append({})
        self.statement_of(definition.body)
        self.leave(definition)
        self.scopes.leave()

    def leave(self, node: c_ast.Node) -> None:
        """The thread returns; when main does, the program ends, and nobody joins it."""
        if self.graph.here is None:
            return
        span = self.span(node)
        if self.function == "main":
            self.graph.stop(span, "main ends")
        else:
            self.graph.go(FINISHED, span, f"{self.function} returns")

    def leave_thread(self, node: c_ast.Node) -> None:
        """`pthread_exit`, from whatever function."""
        if self.graph.here is not None and self.function == "main":
            self.graph.stop(self.span(node), "main ends")
        elif self.graph.here is not None:
            self.graph.go(FINISHED, self.span(node), self.told())

    def argument(self, node: c_ast.Node) -> Expression:
        """What a thread gets: an integer, perhaps in a pointer."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            refuse(
                "a pointer as the argument of a thread", self.span(node), "pass an integer, or use a global"
            )
        return convert(self.value(node), LONG)

    # Statements

    def statement_of(self, node: c_ast.Node | None) -> None:
        if node is None:
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
            case c_ast.Decl():
                self.note(node)
                self.in_one_step(node, lambda: self.declare(node))
            case c_ast.DeclList(decls=decls):
                for each in decls:
                    self.statement_of(each)
            case c_ast.EmptyStatement() | c_ast.Typedef() | c_ast.Pragma():
                pass
            case _:
                self.simple(node)

    def simple(self, node: c_ast.Node) -> None:
        if isinstance(node, c_ast.Switch | c_ast.Case | c_ast.Default):
            refuse("`switch`", self.span(node), "use `if` and `else if`")
        self.note(node)
        self.in_one_step(node, lambda: self.value(node))

    def branches(self, node: c_ast.If) -> None:
        yes, no, end = (self.graph.place() for _ in range(3))
        self.test(node.cond, yes, no)
        for place, branch in ((yes, node.iftrue), (no, node.iffalse)):
            self.graph.here = place
            self.statement_of(branch)
            self.graph.go(end, self.span(node))
        self.graph.here = end

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
        is_one = self.unit.statements_are_steps and not self.unit.is_sectioning(node)
        if is_one:
            self.graph.mark(1, self.span(node))
        work()
        if is_one:
            self.graph.mark(-1, self.span(node))

    def test(self, condition: c_ast.Node, yes: int, no: int) -> None:
        self.note(condition)
        self.statement = f"if ({self.statement})"
        if not self.unit.statements_are_steps or self.unit.is_sectioning(condition):
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

    def loop(self, node: c_ast.While | c_ast.DoWhile | c_ast.For) -> None:
        head, body, step, end = (self.graph.place() for _ in range(4))
        span = self.span(node)
        self.scopes.enter()
        if isinstance(node, c_ast.For):
            self.statement_of(node.init)
        self.graph.join_at(body if isinstance(node, c_ast.DoWhile) else head, span)
        self.breaks.append(end)
        self.continues.append(step)
        self.graph.here = head
        if node.cond is None:
            self.graph.go(body, span)
        else:
            self.test(node.cond, body, end)
        self.graph.here = body
        self.statement_of(node.stmt)
        self.graph.join_at(step, span)
        if isinstance(node, c_ast.For):
            self.statement_of(node.next)
        self.graph.go(head, span)
        self.breaks.pop()
        self.continues.pop()
        self.scopes.leave()
        self.graph.here = end

    def label(self, name: str) -> int:
        known = self.labels[-1]
        if name not in known:
            known[name] = self.graph.place()
        return known[name]

    def return_from(self, node: c_ast.Return) -> None:
        self.note(node)
        frame = self.frames[-1]
        if node.expr is not None:
            value = self.value(node.expr)
            if frame.result is not None:
                self.write(frame.result, convert(value, frame.result.type), node)
        if frame.exit == FINISHED:
            self.leave(node)
        else:
            self.graph.go(frame.exit, self.span(node))

    # Declarations

    def declare(self, node: c_ast.Decl) -> None:
        if isinstance(node.type, c_ast.FuncDecl):
            return
        if "static" in node.storage:
            self.scopes.declare(node.name, self.unit.static(self.frames[-1].function, node))
            return
        if "extern" in node.storage:
            return
        symbol = self.unit.symbol_of(node, self.fresh_name(node), shared=False)
        self.scopes.declare(node.name, symbol)
        if not isinstance(symbol, Scalar):
            if self.unit.is_local_of_many(self) and not self.unit.is_harmless(symbol):
                what = "a lock or an id of a thread that is a local of a thread"
                refuse(what, self.span(node), "make it global")
            return
        value = self.any_value(symbol.type, node) if node.init is None else self.value(node.init)
        self.write(symbol, convert(value, symbol.type), node)

    def fresh_name(self, node: c_ast.Decl) -> str:
        return self.fresh(node.name) if self.unit.is_integer(node) else node.name

    # Calls

    def call(self, node: c_ast.FuncCall) -> Operand:
        if not isinstance(node.name, c_ast.ID):
            return refuse("a call of a function pointer", self.span(node), "call the function by its name")
        name = node.name.name
        arguments = list(node.args.exprs) if node.args is not None else []
        if name in self.unit.functions and name not in SPECIAL:
            return self.inline(name, arguments, node)
        found = special_call(self, name, arguments, node)
        if found is None:
            return refuse(f"a call of `{name}`, which has no body,", self.span(node), "define the function")
        return found

    def inline(self, name: str, arguments: list[c_ast.Node], node: c_ast.FuncCall) -> Operand:
        span = self.span(node)
        if any(frame.function == name for frame in self.frames) or len(self.frames) > MAX_DEPTH:
            refuse(f"recursion of `{name}`", span, "write a loop")
        definition = self.unit.functions[name]
        parameters = self.unit.declarations(definition)
        if len(parameters) != len(arguments):
            refuse(f"a call of `{name}` with {len(arguments)} arguments", span, "give one for each parameter")
        given = self.given(parameters, arguments)
        is_section = name.startswith("__VERIFIER_atomic_")
        if is_section:
            self.graph.mark(1, span)
        result = self.result_of(definition)
        frame = Frame(name, self.graph.place(), result)
        outer, self.scopes.blocks = self.scopes.blocks, [self.scopes.blocks[0], given]
        self.frames.append(frame)
        self.labels.append({})
        kept = self.statement
        self.statement_of(definition.body)
        self.graph.join_at(frame.exit, span)
        self.statement = kept
        self.labels.pop()
        self.frames.pop()
        self.scopes.blocks = outer
        if is_section:
            self.graph.mark(-1, span)
        return Operand(ZERO, INT) if result is None else Operand(Variable(result.name), result.type)

    def given(self, parameters: list[c_ast.Decl], arguments: list[c_ast.Node]) -> dict[str, Symbol]:
        """What parameters stand for: new locals, or what arguments point to."""
        found: dict[str, Symbol] = {}
        for parameter, argument in zip(parameters, arguments, strict=True):
            if isinstance(parameter.type, c_ast.PtrDecl):
                found[f"*{parameter.name}"] = self.pointed(argument)
                continue
            type_ = self.unit.type_of(parameter)
            scalar = Scalar(self.fresh(parameter.name), type_, shared=False)
            self.write(scalar, convert(self.value(argument), type_), parameter)
            found[parameter.name] = scalar
        return found

    def pointed(self, argument: c_ast.Node) -> Symbol:
        match argument:
            case c_ast.UnaryOp(op="&", expr=target):
                return self.symbol(target)
            case c_ast.ID(name=name):
                symbol = self.scopes.find(f"*{name}")
                if symbol is not None:
                    return symbol
        return refuse("a pointer", self.span(argument), POINTERS)

    def result_of(self, definition: c_ast.FuncDef) -> Scalar | None:
        type_ = self.unit.result_type(definition)
        if type_ is None:
            return None
        scalar = Scalar(self.fresh("$result"), type_, shared=False)
        self.write(scalar, self.any_value(type_, definition).expression, definition)
        return scalar

    def cast_type(self, node: c_ast.Node) -> CType | None:
        return self.unit.cast_type(node)
