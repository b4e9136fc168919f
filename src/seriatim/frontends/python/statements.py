"""Statements of a service, and the handlers that consist of them."""

import ast

from seriatim.frontends.protocol import ApproximationKind
from seriatim.frontends.python.bounds import negate
from seriatim.frontends.python.domains import Unbounded
from seriatim.frontends.python.generators import Generators
from seriatim.frontends.python.operands import UNBOUNDED_HINT
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import External
from seriatim.frontends.python.values import Reference


class Statements(Generators):
    """Executes statements."""

    def execute_body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.is_dead:
                return
            self.execute(statement)

    def execute(self, node: ast.stmt) -> None:
        """Executes a statement; what is refused in it is noted, and the next one follows."""
        outer = getattr(self, "statement", node)
        self.statement = node
        try:
            self.perform(node)
        except Refused as refused:
            self.refusals.append(refused)
            self.forget(node)
        except Unbounded:
            message = f"in {quote_code(node)}, integers without bounds meet other values"
            self.refusals.append(Refused("SER924", message, node, UNBOUNDED_HINT))
        self.statement = outer

    def forget(self, node: ast.stmt) -> None:
        """The variables that a refused statement sets are not known; what follows from that is not told."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self.names.bound[part.id] = Reference(External(part.id, is_refused=True))

    def perform(self, node: ast.stmt) -> None:
        mark = self.module.mark(node)
        if mark is not None and mark.word == "ignore":
            sentence = f"{quote_code(node)} leaves the state alone"
            self.assume(ApproximationKind.ASSUMPTION, sentence, self.places(node), "# ser: ignore")
            self.demand_ignorable(node)
            return
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Global() | ast.Import() | ast.ImportFrom():
                return
            case ast.Expr(value=ast.Yield(value=given)) if self.generating:
                found = self.none(self.places(node)) if given is None else self.evaluate(given)
                self.generating[-1].give(found)
            case ast.Expr(value=value):
                self.evaluate(value)
            case ast.Assign(targets=targets, value=value):
                self.assign_all(targets, value)
            case ast.AnnAssign(value=given):
                if given is not None:
                    self.assign_all([node.target], given)
            case ast.AugAssign():
                self.augment(node)
            case ast.Delete(targets=targets):
                for target in targets:
                    self.delete(target)
            case ast.Return(value=returned):
                found = self.none(self.places(node)) if returned is None else self.evaluate(returned)
                self.return_value(found, returned or node)
            case _:
                self.control(node)

    def control(self, node: ast.stmt) -> None:
        """Statements that decide what is executed."""
        match node:
            case ast.If(test=test):
                self.choose(
                    self.condition(test),
                    lambda: self.execute_body(node.body),
                    lambda: self.execute_body(node.orelse),
                    self.places(test),
                )
            case ast.While():
                self.loop(node)
            case ast.For():
                self.unroll(node)
            case ast.AsyncFor(iter=ast.Call() as call) if (made := self.generator(call)) is not None:
                self.follow(node, call, made)
            case ast.AsyncWith():
                self.within(node.items, node)
            case ast.With():
                self.within_plain(node.items, node)
            case ast.Try():
                self.attempt(node)
            case ast.Raise():
                self.throw(node)
            case ast.Break() | ast.Continue():
                self.leave_loop(node)
            case ast.Assert(test=test):
                span = self.places(test)
                fails = negate(self.condition(test), span)
                self.choose(fails, lambda: self.raise_name("AssertionError", span), lambda: None, span)
            case _:
                self.refuse_statement(node)

    def refuse_statement(self, node: ast.stmt) -> None:
        remedies: dict[type[ast.stmt], str] = {
            ast.AsyncFor: "loop over an async generator of this file, over range(…) or a tuple; write it as"
            " a loop: while True: item = await next_item()  # ser: opaque -> {'a', None}; or move it into a"
            " call marked # ser: opaque",
            ast.Match: "use if and elif",
            ast.FunctionDef: "move the function out of the handler",
            ast.AsyncFunctionDef: "move the coroutine out of the handler",
            ast.Nonlocal: "keep shared values in attributes",
        }
        hint = remedies.get(type(node), "write it with if, while, try and async with")
        raise Refused("SER923", f"{quote_code(node)} ({type(node).__name__}) is not translated", node, hint)

    def demand_ignorable(self, node: ast.stmt) -> None:
        """What is ignored may neither pause, nor decide where to go on, nor change the state, nor set a
        variable that is used."""
        self.demand_harmless(node)
        self.evaluate_entries(node, is_certain=False)
        for part in ast.walk(node):
            if isinstance(
                part, ast.Await | ast.AsyncFor | ast.AsyncWith | ast.Return | ast.Raise | ast.Break
            ):
                hint = "mark what is awaited # ser: opaque instead"
                raise Refused("SER926", f"{quote_code(node)} does more than `ignore` allows", node, hint)
            is_target = isinstance(part, ast.Attribute | ast.Subscript) and not isinstance(part.ctx, ast.Load)
            if is_target or isinstance(part, ast.Global):
                hint = "say what is assigned: # ser: opaque -> 0..1, or opaque -> new(2) for an object"
                raise Refused("SER926", f"{quote_code(node)} changes more than local variables", node, hint)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self.names.bound[part.id] = Reference(External(part.id))
