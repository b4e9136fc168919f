"""Blocks that are left properly on every way: `async with`, `try`; and `raise`."""

import ast
from collections.abc import Callable

from seriatim.frontends.protocol import ApproximationKind
from seriatim.frontends.python.annotations import literal
from seriatim.frontends.python.loops import Loops
from seriatim.frontends.python.places import Refused, written
from seriatim.frontends.python.state import Condition, External, Lock, Semaphore
from seriatim.frontends.python.surroundings import Catching, Finalizer
from seriatim.frontends.python.values import Reference
from seriatim.source import Span


class Blocks(Loops):
    """Executes blocks."""

    handling: list[str]
    """The locals that keep the exceptions that are being handled."""

    def within(self, items: list[ast.withitem], node: ast.AsyncWith) -> None:
        """`async with`: whatever the block does, it is left properly."""
        if not items:
            self.execute_body(node.body)
            return
        item, *others = items
        span = self.places(item.context_expr)
        mark = self.module.mark(node)
        context = item.context_expr
        if isinstance(context, ast.Call) and mark is not None and mark.is_opaque:
            self.refuse_block(item, node)
            return
        value = self.evaluate(context)
        if not (isinstance(value, Reference) and isinstance(value.item, Lock | Semaphore | Condition)):
            hint = "use a lock of the service, or mark the line # ser: opaque if it leaves the state alone"
            raise Refused("SER925", f"`async with {written(context)[1:-1]}` is not known", context, hint)
        held = value.item.lock if isinstance(value.item, Condition) else value.item
        self.acquire(held.cell, span, isinstance(held, Semaphore))
        self.guarded(held, lambda: self.within(others, node), span)

    def guarded(self, held: Lock | Semaphore, body: Callable[[], None], span: Span) -> None:
        """A block that holds a lock."""
        name = held.cell.name

        def give_back() -> None:
            outer = self.held
            self.held = [each for each in self.held if each != name]
            self.release(held, span, is_certain=True)
            self.held = outer

        outer_held = self.held
        self.held = [*self.held, name]
        self.surroundings.append(Finalizer(give_back))
        body()
        self.surroundings.pop()
        self.held = outer_held
        if not self.is_dead:
            self.release(held, span, is_certain=True)

    def refuse_block(self, item: ast.withitem, node: ast.AsyncWith) -> None:
        """A block that begins and ends outside of the file."""
        raise Refused(
            "SER923",
            f"`async with {written(item.context_expr)[1:-1]}` of something outside is not translated",
            node,
            "put the block into a coroutine of its own and mark the await of it # ser: opaque",
        )

    def attempt(self, node: ast.Try) -> None:
        """`try`, with `except`, `else` and `finally`."""
        if node.finalbody:
            self.finally_(node)
        else:
            self.catch(node)

    def finally_(self, node: ast.Try) -> None:
        if any(
            isinstance(each, ast.Return | ast.Break | ast.Continue)
            for part in node.finalbody
            for each in ast.walk(part)
        ):
            raise Refused(
                "SER923",
                "a `finally` that leaves its function or loop is not translated",
                node,
                "leave it before",
            )
        self.surroundings.append(Finalizer(lambda: self.execute_body(node.finalbody)))
        self.catch(node)
        self.surroundings.pop()
        if not self.is_dead:
            self.execute_body(node.finalbody)

    def catch(self, node: ast.Try) -> None:
        if not node.handlers:
            self.execute_body(node.body)
            return
        clauses = [(self.caught(handler), self.target()) for handler in node.handlers]
        catching = Catching(tuple(clauses), self.temporary("exception"))
        after = self.target()
        span = self.places(node)
        self.surroundings.append(catching)
        self.execute_body(node.body)
        self.surroundings.pop()
        if not self.is_dead:
            self.execute_body(node.orelse)
        if not self.is_dead:
            self.jump(after, span)
        for handler, (_, target) in zip(node.handlers, clauses, strict=True):
            if not target.is_used:
                continue
            self.land(target)
            self.handling.append(catching.exception)
            if handler.name is not None:
                self.names.bound[handler.name] = Reference(External(handler.name))
            self.execute_body(handler.body)
            self.handling.pop()
            if not self.is_dead:
                self.jump(after, span)
        self.land(after)

    def caught(self, handler: ast.ExceptHandler) -> tuple[str, ...] | None:
        """The names of the exceptions of a clause; None for all."""
        match handler.type:
            case None:
                return None
            case ast.Tuple(elts=elements):
                return tuple(self.module.full_name(each) for each in elements)
            case name:
                return (self.module.full_name(name),)

    def throw(self, node: ast.Raise) -> None:
        span = self.places(node)
        match node.exc:
            case None:
                hint = "raise an exception by its name"
                raise Refused(
                    "SER923", "`raise` of the exception that is handled is not translated", node, hint
                )
            case ast.Call(func=func, args=arguments, keywords=keywords):
                given = [*arguments, *(each.value for each in keywords)]
                self.demand_quiet(given)
                constants = [literal(each) for each in given]
                name = self.module.full_name(func)
                if all(each is not ... for each in constants):
                    text = f"{name.rpartition('.')[2]}({', '.join(map(repr, constants))})"
                else:
                    text = name.rpartition(".")[2]
                    sentence = f"of {text}, only the class is observed, not its arguments"
                    self.assume(ApproximationKind.ASSUMPTION, sentence, span)
                self.raise_name(name, span, text)
            case ast.Name() | ast.Attribute():
                name = self.module.full_name(node.exc)
                self.raise_name(name, span)
            case _:
                raise Refused(
                    "SER923", f"{written(node)} is not translated", node, "raise an exception by its name"
                )
