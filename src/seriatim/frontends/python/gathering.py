"""`asyncio.gather`: several coroutines or tasks at once, and what comes of them.

With `return_exceptions=True`, `gather` waits for all of them, whatever they raise; what they raise is a part
of its list. Exceptions are no values here. So the list is known if none of them can raise, or if nobody looks
at it.
"""

import ast
from collections.abc import Callable
from functools import partial

from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.scheduling import GROUP, left, put, requested
from seriatim.frontends.python.task_pauses import BY_CANCELLATION
from seriatim.frontends.python.tasks import STARTERS, Tasks
from seriatim.frontends.python.values import Composite, Started, Value


class Gathering(Tasks):
    """Waits for several tasks."""

    def gather(self, node: ast.Call) -> Value:
        """`await asyncio.gather(self._a(), self._b())`."""
        span = self.places(node)
        keeps = self.keeps_exceptions(node)
        starts = [start for each in node.args for start in self.starts(each)]
        if not starts:
            raise Refused("SER923", f"{quote_code(node)} gathers nothing", node, "leave it out")
        members = [start() for start in starts]
        self.groups += 1
        group = self.groups
        self.emit(put(left(group), len(members)))
        self.emit(put(f"{left(group)} failure", 0))
        if self.is_cancelled:
            self.emit(put(requested(group), 0))
        for member in members:
            self.call_back(member, group, is_gather=not keeps)
        self.rest_until(GROUP + group, span, "waits for its tasks")
        raised = {code: each for member in members for code, each in self.failures[member].raised.items()}
        if keeps and raised:
            self.demand_unused(node, next(iter(raised.values())).name)
            return self.none(span)
        if self.is_cancelled:
            raised[self.cancellation(span)] = BY_CANCELLATION
        self.raise_if(f"{left(group)} failure", raised, span)
        parts = [self.result(member, node) for member in members]
        return Composite(("[", *([", "] * (len(parts) - 1)), "]"), tuple(parts), is_sequence=True)

    def keeps_exceptions(self, node: ast.Call) -> bool:
        """Whether exceptions are a part of what comes out; raises `Refused` for other options."""
        if not node.keywords:
            return False
        match node.keywords:
            case [ast.keyword(arg="return_exceptions", value=ast.Constant(value=bool(given)))]:
                if given:
                    self.refuse_cancelled("gather(return_exceptions=True)", node)
                return given
        hint = "leave them out, or write return_exceptions=True"
        raise Refused("SER923", f"{quote_code(node)} has options that are not translated", node, hint)

    def demand_unused(self, node: ast.Call, raised: str) -> None:
        """Raises `Refused` if anybody looks at a list that can contain exceptions."""
        match self.statement:
            case ast.Expr(value=ast.Await(value=value)) if value is node:
                return
        hint = "catch exceptions in the coroutines, and return what went wrong, such as None"
        message = f"what {quote_code(node)} gives can contain the exception {raised}, which is no value here"
        raise Refused("SER923", message, node, hint)

    def starts(self, node: ast.expr) -> list[Callable[[], int]]:
        """What starts the tasks of an argument of `gather`, now that its own arguments are evaluated."""
        match node:
            case ast.Call() if not self.is_starter(node):
                return [partial(self.start, node, self.prepare(node))]
            case ast.Starred(value=ast.ListComp() | ast.GeneratorExp() as many):
                return [start for each in self.each_round(many, self.starts) for start in each]
            case ast.Starred(value=value):
                return self.find_tasks(value, is_list=True)
            case _:
                return self.find_tasks(node, is_list=False)

    def is_starter(self, node: ast.Call) -> bool:
        return self.module.full_name(node.func) in STARTERS

    def find_tasks(self, node: ast.expr, is_list: bool) -> list[Callable[[], int]]:
        value = self.evaluate(node)
        if not isinstance(value, Started) or value.is_list != is_list:
            hint = "gather calls of coroutines, tasks, or *[… for … in …] of them"
            raise Refused("SER923", f"what {quote_code(node)} gathers is not known", node, hint)
        return [partial(int, each) for each in value.tasks]
