"""Blocks that are left properly on every way: `async with`, `try`; and `raise`."""

import ast
from abc import abstractmethod
from collections.abc import Callable

from seriatim.frontends.protocol import ApproximationKind
from seriatim.frontends.python.annotations import literal
from seriatim.frontends.python.core_code import equal_to
from seriatim.frontends.python.loops import Loops
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import Condition, External, Lock, Semaphore
from seriatim.frontends.python.surroundings import Catching, Finalizer, Raised, Target, Timed
from seriatim.frontends.python.values import Reference, Scalar
from seriatim.program.syntax import Read
from seriatim.source import Span


class Blocks(Loops):
    """Executes blocks."""

    handling: list[tuple[Catching, str | None]]
    """The `try` statements whose exceptions are being handled, and what these are called."""

    def within(self, items: list[ast.withitem], node: ast.AsyncWith | ast.With) -> None:
        """`async with`: whatever the block does, it is left properly."""
        if not items:
            self.execute_body(node.body)
            return
        item, *others = items
        span = self.places(item.context_expr)
        context = item.context_expr
        if isinstance(context, ast.Call) and self.module.full_name(context.func) == "asyncio.timeout":
            self.limit_block(item, context, lambda: self.within(others, node))
            return
        if isinstance(context, ast.Call) and self.module.full_name(context.func) == "asyncio.TaskGroup":
            name = item.optional_vars.id if isinstance(item.optional_vars, ast.Name) else ""
            self.group_block(name, lambda: self.within(others, node), context)
            return
        lock = self.lock_of(context)
        if lock is None:
            self.outside_block(item, lambda: self.within(others, node), node)
            return
        held = lock.lock if isinstance(lock, Condition) else lock
        self.acquire(held.cell, span, isinstance(held, Semaphore))
        self.hold_during(held, lambda: self.within(others, node), span)

    def lock_of(self, context: ast.expr) -> Lock | Semaphore | Condition | None:
        """The lock of the file that a block holds."""
        if isinstance(context, ast.Call) and self.is_unknown(context):
            return None
        match self.evaluate(context):
            case Reference(item=Lock() | Semaphore() | Condition() as lock):
                return lock
            case _:
                return None

    @abstractmethod
    def outside_block(
        self, item: ast.withitem, body: Callable[[], None], node: ast.AsyncWith | ast.With
    ) -> None: ...

    def hold_during(self, held: Lock | Semaphore, body: Callable[[], None], span: Span) -> None:
        """Translates the body of `async with lock`: the lock is released however the body ends."""
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

    def limit_block(self, item: ast.withitem, call: ast.Call, body: Callable[[], None]) -> None:
        """`async with asyncio.timeout(1)`."""
        if item.optional_vars is not None or len(call.args) != 1 or call.keywords:
            hint = "write `async with asyncio.timeout(1):`, without `as`"
            raise Refused("SER923", f"{quote_code(call)} is not supported in this form", call, hint)
        self.demand_quiet(call.args)
        if not self.has_limit(call.args[0], call):
            body()
            return
        span = self.places(call)

        def execute(_: Timed) -> Scalar:
            body()
            return self.none(span)

        self.limit_time(span, False, execute)

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
        here = (self.names, self.statement, self.generating, self.held, self.handling)

        def clean_up() -> None:
            """Names are those of the block, though the way out may begin in a function that it calls."""
            inner = (self.names, self.statement, self.generating, self.held, self.handling)
            self.names, self.statement, self.generating, self.held, self.handling = here
            self.execute_body(node.finalbody)
            self.names, self.statement, self.generating, self.held, self.handling = inner

        self.surroundings.append(Finalizer(clean_up))
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
            self.handling.append((catching, handler.name))
            if handler.name is not None:
                self.names.bound[handler.name] = Reference(External(handler.name))
            self.execute_body(handler.body)
            self.handling.pop()
            if not self.is_dead:
                self.jump(after, span)
        self.land(after)

    def surround(
        self, clauses: tuple[tuple[tuple[str, ...], Target], ...], body: Callable[[], None], span: Span
    ) -> None:
        """A block that some exceptions end, as if it had ended by itself."""
        after = self.target()
        self.surroundings.append(Catching(clauses, self.temporary("exception")))
        body()
        self.surroundings.pop()
        if not self.is_dead:
            self.jump(after, span)
        self.land(after, *(target for _, target in clauses))

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
            case None if self.handling:
                self.raise_again(self.handling[-1][0], span)
            case ast.Name(id=name) if (handled := self.find_catching(name)) is not None:
                self.raise_again(handled, span)
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
                    "SER923", f"{quote_code(node)} is not translated", node, "raise an exception by its name"
                )

    def find_catching(self, name: str) -> Catching | None:
        """The `try` whose exception has this name."""
        return next((catching for catching, known in reversed(self.handling) if known == name), None)

    def raise_again(self, catching: Catching, span: Span) -> None:
        """Raises the exception that is being handled: one of those that were seen to come here."""
        *others, (_, last) = catching.raised.items()

        def raise_one_of(rest: list[tuple[int, Raised]]) -> None:
            if not rest:
                self.raise_up(last, span)
                return
            (code, raised), *later = rest
            is_it = equal_to(Read(catching.exception, span), code, span)
            self.choose(is_it, lambda: self.raise_up(raised, span), lambda: raise_one_of(later), span)

        raise_one_of(others)
