"""Limits of time: `asyncio.wait_for` and `asyncio.timeout` cancel what they surround.

A limit may be reached wherever the block waits: then `CancelledError` is raised there, and becomes
`TimeoutError` where it leaves the block. How long anything takes is not known, so this may also happen to a
request that is alone; reports list it.

Up to Python 3.11, `wait_for` executes a coroutine by a task of its own. It starts later: what is cancelled
meanwhile is cancelled where the task waits first. The block ends after the task, and to cancel it then
is too late. If the block itself is cancelled, the coroutine cannot prevent that. From 3.12 on, there is no
task.
While `wait_for` cancels its task, nothing is cancelled again: reports list that, too.
"""

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence

from seriatim.frontends.protocol import ApproximationKind
from seriatim.frontends.python.annotations import literal
from seriatim.frontends.python.core_code import equal_to, every
from seriatim.frontends.python.exceptions import Exceptions
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.surroundings import Raised, Timed
from seriatim.frontends.python.values import Prepared, Value
from seriatim.frontends.python.waiting import CANCELLED
from seriatim.program.syntax import Assign, Choice, Connective, Expression, Logical, Number, Read
from seriatim.source import Span

LAST_WITH_TASK = (3, 11)
"""The last Python whose `wait_for` makes a task."""


class TimeLimits(Exceptions):
    """Blocks with limits of time."""

    python: tuple[int, int]
    """The version of Python that runs the service."""
    limits: list[Timed]
    """All limits of the handler, as they are met."""

    # Being cancelled

    def interrupt(self, span: Span) -> None:
        """At the end of a pause: a limit may be reached, or the request be cancelled."""
        around = [each for each in self.surroundings if isinstance(each, Timed)]
        for place, timed in enumerate(around):
            self.either_interrupt(timed, around[place + 1 :], span)
        if self.is_cancellable:
            self.perhaps(self._at_rest(around), lambda: self.cancel(around, span), span)

    def either_interrupt(self, timed: Timed, inner: list[Timed], span: Span) -> None:
        free = [self._is_unset(timed.late), *self._at_rest(inner)]
        if timed.is_task:
            free.append(self._is_unset(timed.stopped))
        self.perhaps(free, lambda: self.reach_limit(timed, inner, span), span)

    def perhaps(self, conditions: list[Expression], then: Callable[[], None], span: Span) -> None:
        """Does something or not, if conditions allow it."""
        test: Expression = Choice(span)
        if conditions:
            test = Logical(Connective.AND, every(conditions, span), test, span)
        self.choose(test, then, lambda: None, span)

    @staticmethod
    def _is_unset(name: str) -> Expression:
        return equal_to(Read(name), 0, Number(0).span)

    def _at_rest(self, around: list[Timed]) -> list[Expression]:
        """That no task of these blocks is being cancelled."""
        return [self._is_unset(name) for each in around if each.is_task for name in (each.late, each.stopped)]

    def reach_limit(self, timed: Timed, inner: list[Timed], span: Span) -> None:
        self.emit(Assign(timed.late, Number(1, span), span))
        self.stop(inner, 1 + timed.number, span)
        self.raise_up(Raised("CancelledError", "CancelledError", timed.number), span)

    def cancel(self, around: list[Timed], span: Span) -> None:
        """The request is cancelled where it waits."""
        self.emit(Assign(CANCELLED, Number(1, span), span))
        self.stop(around, 1, span)
        self.raise_name("CancelledError", span)

    def stop(self, blocks: list[Timed], reason: int, span: Span) -> None:
        for each in blocks:
            self.emit(Assign(each.stopped, Number(reason, span), span))

    # Blocks

    def limit_time(self, span: Span, is_task: bool, body: Callable[[Timed], Value]) -> Value:
        """A block with a limit, from its start to its end."""
        timed = Timed(len(self.limits) + 1, is_task, span)
        self.limits.append(timed)
        self.emit(Assign(timed.late, Number(0, span), span))
        self.emit(Assign(timed.stopped, Number(0, span), span))
        sentence = "a time limit may be reached wherever the block waits, even by a request that runs alone"
        self.assume(ApproximationKind.ENVIRONMENT, sentence, span, "it has a limit")
        self.surroundings.append(timed)
        value = body(timed)
        self.surroundings.pop()
        if is_task and not self.is_dead:
            self.end_task(timed, span)
        return value

    def end_task(self, timed: Timed, span: Span) -> None:
        """The task of a block has ended; what surrounds it notices that later."""
        self.rest(span, "waits for its task")
        if self.is_cancellable or any(isinstance(each, Timed) for each in self.surroundings):
            self.if_stopped(timed, lambda: None, span)

    def if_stopped(self, timed: Timed, otherwise: Callable[[], None], span: Span) -> None:
        """Goes on with the cancellation of what surrounds a block, if there was one."""
        reasons = [Raised("CancelledError", "CancelledError")] if self.is_cancellable else []
        reasons += [
            Raised("CancelledError", "CancelledError", each.number)
            for each in self.surroundings
            if isinstance(each, Timed)
        ]

        def test(rest: list[Raised]) -> None:
            if not rest:
                otherwise()
                return
            raised, *others = rest
            is_it = equal_to(Read(timed.stopped, span), 1 + raised.limit, span)
            self.choose(is_it, lambda: self.raise_up(raised, span), lambda: test(others), span)

        test(reasons)

    def leave_limit(self, timed: Timed, raised: Raised, span: Span) -> None:
        """An exception leaves a block: that it was cancelled becomes a `TimeoutError`."""
        self.leave(timed)
        inner = self.surroundings
        self.surroundings = inner[: next(index for index, each in enumerate(inner) if each is timed)]
        is_own = raised.limit == timed.number
        after = Raised("TimeoutError", "TimeoutError") if is_own else raised
        if timed.is_task:
            self.rest(timed.span, "waits for its task")
        self.if_stopped(timed, lambda: self.raise_up(after, span), span)
        self.surroundings = inner

    # Calls

    def has_limit(self, node: ast.expr | None, call: ast.AST) -> bool:
        """Whether a block has a limit at all; raises `Refused` if that is not known."""
        value = ... if node is None else literal(node)
        if value is None:
            return False
        if isinstance(value, int | float) and value <= 0:
            hint = "use a positive limit, or None for no limit"
            raise Refused("SER923", f"{quote_code(call)} has no time at all", call, hint)
        if value is ... and not (isinstance(node, ast.Constant) and isinstance(node.value, float)):
            sentence = f"the limit of {quote_code(call)} is positive"
            self.assume(ApproximationKind.ASSUMPTION, sentence, self.places(call))
        return True

    def wait_for(self, node: ast.Call) -> Value:
        """`await asyncio.wait_for(coroutine(…), timeout)`."""
        given = dict(zip(("fut", "timeout"), node.args, strict=False))
        given |= {each.arg or "": each.value for each in node.keywords}
        inner, limit = given.get("fut"), given.get("timeout")
        if not isinstance(inner, ast.Call) or limit is None or len(given) != 2:
            hint = "write asyncio.wait_for(self._work(…), timeout=1) with a call of a coroutine"
            raise Refused("SER923", f"{quote_code(node)} is not translated", node, hint)
        self.demand_quiet([limit])
        span, call = self.places(node), inner
        if not self.has_limit(limit, node):
            return self.call(call, is_awaited=True)
        is_task = self.python <= LAST_WITH_TASK
        sentence = "while `wait_for` cancels what it waits for, nothing is cancelled again"
        if is_task:
            self.assume(ApproximationKind.ASSUMPTION, sentence, span)
        return self.start_later(call, span, is_task)

    def start_later(self, call: ast.Call, span: Span, is_task: bool) -> Value:
        """A coroutine with a limit; its arguments are evaluated before it starts."""
        if not is_task:
            return self.limit_time(span, False, lambda _: self.call(call, is_awaited=True))
        arguments = self.prepare(call)
        self.rest(span, "starts a task")
        return self.limit_time(span, True, lambda _: self.call_evaluated(call, arguments))

    @abstractmethod
    def call(self, node: ast.Call, is_awaited: bool) -> Value: ...

    @abstractmethod
    def prepare(self, node: ast.Call) -> Prepared: ...

    @abstractmethod
    def call_evaluated(self, node: ast.Call, prepared: Prepared) -> Value: ...

    @abstractmethod
    def demand_quiet(self, nodes: Sequence[ast.expr], is_gate: bool = False) -> None: ...
