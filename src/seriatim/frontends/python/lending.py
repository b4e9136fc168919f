"""Context managers of the file: `@asynccontextmanager`, `@contextmanager`; and `contextlib.suppress`.

The code of such a generator is inlined, and the block in the place of its `yield`, with the names of the
block. Claim: that is what `contextlib` does. An exception of the block is raised at the `yield`, so that it
passes through `try` and `async with` of the generator. A block that ends goes on behind the `yield`; so does
one that is left by `return`, `break` or `continue`. Then only what stands on the way out is executed here, as
`finally` is; so behind the `yield` there must be nothing else. There is one `yield`, outside of
loops and `if`, and no `return`; if it is not reached, because the generator catches an exception before,
RuntimeError is raised. A block may use the same generator again, whose variables are then others.
"""

import ast
from collections.abc import Callable, Iterator

from seriatim.frontends.protocol import ApproximationKind
from seriatim.frontends.python.blocks import Blocks
from seriatim.frontends.python.core_code import equal_to
from seriatim.frontends.python.module import Function
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import External
from seriatim.frontends.python.surroundings import Calling, Finalizer, Gate, Generating
from seriatim.frontends.python.values import Callee, Named, Reference, Value
from seriatim.program.syntax import NOWHERE, Assign, Number, Read

LOOPS = (ast.While, ast.For, ast.AsyncFor)
LEAVING = (ast.Return, ast.Break, ast.Continue)


class Lending(Blocks):
    """Executes blocks that context managers of the file surround."""

    def within(self, items: list[ast.withitem], node: ast.AsyncWith | ast.With) -> None:
        """`async with`, also of a context manager of the file."""
        lender = self.lender(items[0].context_expr, node) if items else None
        if lender is None:
            super().within(items, node)
        else:
            self.lend(items[0], lender, node, lambda: self.within(items[1:], node))

    def within_plain(self, items: list[ast.withitem], node: ast.With) -> None:
        """`with`."""
        if not items:
            self.execute_body(node.body)
            return
        context = items[0].context_expr
        lender = self.lender(context, node)
        if lender is not None:
            self.lend(items[0], lender, node, lambda: self.within_plain(items[1:], node))
        elif isinstance(context, ast.Call) and self.module.full_name(context.func) == "contextlib.suppress":
            self.suppress(context, lambda: self.within_plain(items[1:], node))
        else:
            self.outside_block(items[0], lambda: self.within_plain(items[1:], node), node)

    def outside_block(
        self, item: ast.withitem, body: Callable[[], None], node: ast.AsyncWith | ast.With
    ) -> None:
        """A block of something outside of the file: it may take any time to begin and to end.

        That it leaves the state alone, and lets exceptions pass, is what its mark says.
        """
        context, is_async = item.context_expr, isinstance(node, ast.AsyncWith)
        self.refuse_late(context)
        mark = self.module.mark(node)
        if mark is None or not mark.is_opaque or mark.answers is not None or mark.raises:
            self.refuse_block(context, is_async)
            return
        span, name = self.places(context), quote_code(context)
        self.demand_quiet([context], is_gate=True)
        self.demand_harmless(context)
        sentence = f"{name} leaves the state alone, and lets exceptions of its block pass"
        self.assume(ApproximationKind.ASSUMPTION, sentence, span, f"# ser: {mark.text}")
        place = context.lineno, context.col_offset
        self.gates[place] = Gate(span, "", ("None",), is_async, is_block=True)

        def wait(what: str) -> None:
            if is_async:
                self.suspend(span, f"{what} {name[1:-1]}")

        wait("enters")
        if item.optional_vars is not None:
            self.assign(item.optional_vars, Reference(External(ast.unparse(item.optional_vars))), context)
        self.surroundings.append(Finalizer(lambda: wait("leaves")))
        body()
        self.surroundings.pop()
        if not self.is_dead:
            wait("leaves")

    def refuse_late(self, context: ast.expr) -> None:
        """A variable of the state is no lock at the start; if it becomes one, no mark can stand for it."""
        if isinstance(context, ast.Call):
            return
        value = self.evaluate(context)
        if not (isinstance(value, Reference | Named) and not self.is_shared(context)):
            hint = (
                "make the lock where the variable is defined: lock = asyncio.Lock(); that needs no event loop"
            )
            hint += " since Python 3.10"
            raise Refused("SER923", f"{quote_code(context)} is no lock from the start", context, hint)

    def refuse_block(self, context: ast.expr, is_async: bool) -> None:
        """A block that begins and ends outside of the file."""
        head = "async with" if is_async else "with"
        hint = (
            "if it leaves the state alone and lets exceptions pass, mark its line # ser: opaque; if the whole"
        )
        hint += " block does not matter, put it into a coroutine of its own and mark the line that awaits it"
        hint += " # ser: opaque, or # ser: opaque -> 0..1 if its answer is used"
        if not is_async:
            hint += "; locks that hold until a pause is over are asyncio.Lock, with `async with`"
        message = f"`{head} {quote_code(context)[1:-1]}` is not known: it is no lock of this file"
        raise Refused("SER925", message, context, hint)

    def suppress(self, call: ast.Call, body: Callable[[], None]) -> None:
        """`with suppress(KeyError):` is a `try` that goes on behind the block."""
        if call.keywords or any(isinstance(each, ast.Starred) for each in call.args):
            raise Refused("SER923", f"{quote_code(call)} is not translated", call, "name the exceptions")
        names = tuple(self.module.full_name(each) for each in call.args)
        self.surround(((names, self.target()),), body, self.places(call))

    def lender(self, context: ast.expr, node: ast.AsyncWith | ast.With) -> Callee | None:
        """The context manager of the file that a block uses; None if it is something else."""
        if not isinstance(context, ast.Call):
            return None
        try:
            with self.probe():
                callee = self.evaluate(context.func)
        except Refused:
            return None
        if not isinstance(callee, Callee) or not self.module.lends(callee.function):
            return None
        if isinstance(callee.function, ast.AsyncFunctionDef) != isinstance(node, ast.AsyncWith):
            return None
        return callee

    def lend(
        self, item: ast.withitem, callee: Callee, node: ast.AsyncWith | ast.With, body: Callable[[], None]
    ) -> None:
        call = item.context_expr
        assert isinstance(call, ast.Call)
        demand_lender(callee.function, node)
        names, statement, span = self.names, self.statement, self.places(call)
        lent = self.temporary("lent")

        def give(value: Value) -> None:
            """The block, where the generator yields: `return` in it is not one of the generator."""
            inner = (self.names, self.surroundings, self.statement, self.generating)
            waiting, self.suspended = self.suspended, (*self.suspended, callee.function)
            self.emit(Assign(lent, Number(1, span), NOWHERE))
            called = max(place for place, each in enumerate(inner[1]) if isinstance(each, Calling))
            self.surroundings = [*inner[1][:called], *inner[1][called + 1 :]]
            self.names, self.statement, self.generating = names, statement, self.generating[:-1]
            if item.optional_vars is not None:
                self.assign(item.optional_vars, self.keep_value(value, span), call)
            body()
            self.names, self.surroundings, self.statement, self.generating = inner
            self.suspended = waiting

        self.generating = [*self.generating, Generating(callee.function, give)]
        self.demand_callable(callee, call, isinstance(node, ast.AsyncWith))
        self.emit(Assign(lent, Number(0, span), NOWHERE))
        self.execute_call(callee, self.arguments(callee, call), call)
        self.generating = self.generating[:-1]
        never = equal_to(Read(lent, span), 0, span)  # It has caught an exception before.
        self.choose(never, lambda: self.raise_name("RuntimeError", span), lambda: None, span)


def demand_lender(function: Function, block: ast.AsyncWith | ast.With) -> None:
    """Raises `Refused` for generators that do not lend once and on every way, or do more than end then."""
    yields = [each for each in ast.walk(function) if isinstance(each, ast.Yield | ast.YieldFrom)]
    path = list(_path(function.body, yields[0])) if len(yields) == 1 else []
    if not path or any(isinstance(each, ast.Return) for each in ast.walk(function)):
        hint = "write one `yield`, in a line of its own, outside of loops and `if`, and no `return`"
        message = f"`{function.name}` does not lend something exactly once"
        raise Refused("SER923", message, yields[0] if yields else function, hint)
    left = next(_leaving(block.body), None)
    is_end = all(
        body[-1] is statement and not getattr(outer, "orelse", []) for outer, body, statement in path
    )
    if left is not None and not is_end:
        hint = "leave the block behind its end: keep the value, and return it there"
        message = f"{quote_code(left)} leaves a block after which `{function.name}` goes on"
        raise Refused("SER923", message, left, hint)


Step = tuple[ast.AST | None, list[ast.stmt], ast.stmt]


def _path(body: list[ast.stmt], wanted: ast.AST, outer: ast.AST | None = None) -> Iterator[Step]:
    """The blocks around a `yield`, from the outside; nothing if it may not be reached, or not only once."""
    for statement in body:
        if isinstance(statement, ast.Expr) and statement.value is wanted:
            yield outer, body, statement
            return
        if isinstance(statement, ast.Try | ast.AsyncWith | ast.With):
            inner = list(_path(statement.body, wanted, statement))
            if inner:
                yield outer, body, statement
                yield from inner
                return


def _leaving(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that leave a block for good: `return`, and `break` of loops around it."""
    waiting: list[tuple[ast.AST, bool]] = [(each, False) for each in reversed(body)]
    while waiting:
        node, is_in_loop = waiting.pop()
        if isinstance(node, ast.Return) or (isinstance(node, ast.Break | ast.Continue) and not is_in_loop):
            assert isinstance(node, LEAVING)
            yield node
        inner = is_in_loop or isinstance(node, LOOPS)
        waiting += [(each, inner) for each in ast.iter_child_nodes(node)]
