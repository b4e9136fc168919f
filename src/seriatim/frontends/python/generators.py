"""`async for` over a generator of the file: its code is executed, and the block wherever it yields.

A generator runs only while the loop waits for its next value, so that their code alternates. It is inlined
like a coroutine, and the block of the loop is inlined at each `yield`, with the names and surroundings of the
loop: exceptions of the block do not pass through the generator. A loop that is left early leaves a generator
behind, which asyncio closes some time later. That does nothing if no `try` or `async with` surrounds a
`yield`, which is demanded.
"""

import ast

from seriatim.frontends.python.lending import Lending
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.surroundings import Generating, Loop
from seriatim.frontends.python.values import Callee, Value


class Generators(Lending):
    """Executes `async for`."""

    def generator(self, call: ast.Call) -> Callee | None:
        """The generator of the file that is called; None if it is something else."""
        try:
            callee = self.evaluate(call.func)
        except Refused:
            return None
        if not isinstance(callee, Callee) or not isinstance(callee.function, ast.AsyncFunctionDef):
            return None
        has_yield = any(isinstance(each, ast.Yield) for each in ast.walk(callee.function))
        return callee if has_yield else None

    def follow(self, node: ast.stmt, call: ast.Call, callee: Callee) -> None:
        assert isinstance(node, ast.AsyncFor)
        if node.orelse:
            raise Refused("SER923", "`async for … else` is not translated", node, "use a flag")
        self.demand_simple(callee)
        after, names = self.target(), self.names
        outer, statement = list(self.surroundings), self.statement

        def give(value: Value) -> None:
            """The block of the loop, where the generator yields."""
            again = self.target()
            inner = (self.names, self.surroundings, self.statement, self.generating)
            waiting, self.suspended = self.suspended, (*self.suspended, callee.function)
            self.names, self.statement, self.generating = names, statement, self.generating[:-1]
            self.surroundings = [*outer, Loop(after, again)]
            self.assign(node.target, self.keep_value(value, self.places(node.target)), node.iter)
            self.execute_body(node.body)
            self.land(again)
            self.names, self.surroundings, self.statement, self.generating = inner
            self.suspended = waiting

        self.generating = [*self.generating, Generating(callee.function, give)]
        self.demand_callable(callee, call, is_awaited=True)
        self.execute_call(callee, self.arguments(callee, call), call)
        self.generating = self.generating[:-1]
        self.land(after)

    def demand_simple(self, callee: Callee) -> None:
        for block in ast.walk(callee.function):
            if isinstance(block, ast.Try | ast.With | ast.AsyncWith):
                for each in ast.walk(block):
                    if isinstance(each, ast.Yield):
                        hint = "yield after the block"
                        message = f"{quote_code(each)} is in a block that a loop may leave open"
                        raise Refused("SER923", message, each, hint)
