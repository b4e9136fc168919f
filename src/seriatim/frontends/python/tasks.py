"""Tasks of a request: `gather`, `create_task`, `TaskGroup`.

Each place where a task is started has a number, and its code is translated apart; `scheduling` puts all of
them together. A request ends when all of its tasks have ended; then its answer counts.
"""

import ast
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import NoReturn, TypeVar

from seriatim.frontends.protocol import Approximation, ApproximationKind
from seriatim.frontends.python.core_code import equal_to, join_code
from seriatim.frontends.python.domains import integers
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.resumable import both, either
from seriatim.frontends.python.scheduling import (
    ADVANCE,
    ALIVE,
    GROUP,
    LOCK,
    OVERLAP,
    TASK,
    WAKE,
    Callback,
    Child,
    add,
    at,
    do,
    failure,
    is_,
    joined,
    left,
    life,
    line,
    push,
    put,
    rank,
)
from seriatim.frontends.python.state import Cell, Lock, Semaphore
from seriatim.frontends.python.surroundings import Catching, Loop, Raised, Timed
from seriatim.frontends.python.task_pauses import TaskPauses
from seriatim.frontends.python.values import Composite, Grouping, Prepared, Scalar, Started, Value
from seriatim.program.syntax import Assign, Binary, Choice, Expression, Fault, Number, Operator, Read
from seriatim.source import Span

Found = TypeVar("Found")

MAX_TASKS = 8
"""Of one request."""

STARTERS = ("asyncio.create_task", "asyncio.ensure_future")


class Tasks(TaskPauses):
    """Starts tasks and waits for them."""

    children: list[Child]
    callbacks: list[Callback]
    groups: int
    locks: list[str]
    """The locks that tasks take."""
    failures: dict[int, Catching]
    """What tasks can raise."""
    results: dict[int, Value]
    handling: list[tuple[Catching, str | None]]

    # Starting

    def start(self, node: ast.Call, prepared: Prepared) -> int:
        """A task for a coroutine whose arguments are evaluated; it goes on later."""
        self.inference.assign(f"tasks {self.handler}", integers(1, 1))
        span = self.places(node)
        if len(self.children) >= MAX_TASKS:
            hint = "start fewer tasks, or mark the line # ser: opaque"
            raise Refused("SER923", f"a request starts more than {MAX_TASKS} tasks", node, hint)
        arguments = {name: self.argument(value, span) for name, value in prepared.arguments.items()}
        number = len(self.children) + 1
        self.children.append(Child(number, Number(0), ()))
        ready = Prepared(prepared.callee, arguments)
        code = self.apart(number, lambda: self.call_evaluated(node, ready), span)
        given = tuple(
            leaf.code.name
            for value in arguments.values()
            for leaf in leaves(value)
            if isinstance(leaf.code, Read)
        )
        self.children[number - 1] = Child(number, code, given)
        sentence = "a request ends when the tasks that it has started have ended"
        self.approximations[Approximation(ApproximationKind.ASSUMPTION, sentence)] = None
        again = Fault("SER804", f"{quote_code(node)} is started again while it still runs", span)
        self.choose(is_(life(number), 1), lambda: self.emit(again), lambda: None, span)
        for statement in (put(life(number), 1), put(at(number), 0), put(failure(number), 0), add(ALIVE, 1)):
            self.emit(statement)
        self.emit(push(number + 1))
        return number

    def argument(self, value: Value, span: Span) -> Value:
        """A value in locals that the task alone reads."""

        def own(leaf: Scalar) -> Scalar:
            if leaf.known is not None:
                return leaf
            name = self.temporary("argument")
            self.emit(Assign(name, leaf.code, span))
            return Scalar(Read(name, span), leaf.domain)

        match value:
            case Scalar():
                return own(value)
            case Composite():
                return value.with_leaves(iter([own(leaf) for leaf in value.leaves()]))
            case Started() | Grouping():
                hint = "await tasks in the coroutine that starts them"
                raise Refused("SER923", "a task is handed to another one", span.line, hint)
            case _:
                return value

    def apart(self, number: int, execute: Callable[[], Value], span: Span) -> Expression:
        """The code of a task; what it returns and raises is noted."""
        outer = (self.task, self.surroundings, self.held, self.handling, self.names, self.statement)
        ancestors, self.ancestors = self.ancestors, self.callers()
        flow = (self.is_dead, self.is_fresh, self.assigned)
        end = self.target()
        boundary = Catching(((None, end),), failure(number))
        self.task, self.surroundings, self.held, self.handling = number, [boundary], [], []
        self.is_dead, self.is_fresh = False, True
        self.assigned = set(self.assigned)
        with self.block() as code:
            self.interrupt(span)
            self.results[number] = execute()
            self.land(end)
        self.failures[number] = boundary
        self.task, self.surroundings, self.held, self.handling, self.names, self.statement = outer
        self.is_dead, self.is_fresh, self.assigned = flow
        self.ancestors = ancestors
        return join_code(code)

    def create_task(self, node: ast.Call, group: int | None = None) -> Started:
        """`asyncio.create_task(self._work())`, or the same of a group."""
        name = [each for each in node.keywords if each.arg == "name"]
        if len(node.args) != 1 or len(name) != len(node.keywords) or not isinstance(node.args[0], ast.Call):
            hint = "give it a call of a coroutine of this file: create_task(self._work(1))"
            raise Refused("SER923", f"{quote_code(node)} is not translated", node, hint)
        self.demand_quiet([each.value for each in name])
        number = self.start(node.args[0], self.prepare(node.args[0]))
        if group is not None:
            if self.failures[number].raised:
                raised = next(iter(self.failures[number].raised.values())).name
                hint = "catch it in the coroutine, and return what went wrong"
                message = f"{quote_code(node.args[0])} can raise {raised}, which cancels the group"
                raise Refused("SER923", message, node, hint)
            self.emit(add(left(group), 1))
            self.call_back(number, group, is_gather=False)
        return Started((number,))

    def call_back(self, task: int, group: int, is_gather: bool) -> None:
        """When a task ends, its group hears of it; at once, if it has ended already."""
        index = len(self.callbacks)
        self.callbacks.append(Callback(task, group, self.task, is_gather))
        span = Number(0).span
        self.choose(
            is_(life(task), 2),
            lambda: self.emit(push(-1 - index)),
            lambda: self.emit(put(joined(index), 1)),
            span,
        )

    # Waiting

    def comprehension(self, node: ast.ListComp) -> Value:
        """`[… for i in range(3)]`: a list of values, or of tasks that are started."""
        span = self.places(node)
        found = self.each_round(node, lambda element: self.keep_value(self.evaluate(element), span))
        if found and all(isinstance(each, Started) for each in found):
            numbers = [number for each in found if isinstance(each, Started) for number in each.tasks]
            return Started(tuple(numbers), is_list=True)
        parts = [self.part(each, node) for each in found]
        pieces = ("[", *([", "] * (len(parts) - 1)), "]") if parts else ("[]",)
        return Composite(pieces, tuple(parts), is_sequence=True)

    @abstractmethod
    def each_round(
        self, node: ast.ListComp | ast.GeneratorExp, evaluate: Callable[[ast.expr], Found]
    ) -> list[Found]: ...

    def await_task(self, number: int, node: ast.AST) -> Value:
        span = self.places(node)
        unborn = is_(life(number), 0)
        self.choose(unborn, lambda: self.raise_name("UnboundLocalError", span), lambda: None, span)
        self.choose(
            is_(life(number), 1),
            lambda: self.rest_until(TASK + number, span, "waits for its task"),
            lambda: None,
            span,
        )
        return self.result_of(number, node)

    def result_of(self, number: int, node: ast.AST) -> Value:
        """What a task that has ended has returned, or raised."""
        self.raise_if(failure(number), self.failures[number].raised, self.places(node))
        return self.result(number, node)

    def result(self, number: int, node: ast.AST) -> Scalar | Composite:
        value, span = self.results[number], self.places(node)

        def here(leaf: Scalar) -> Scalar:
            return Scalar(Read(leaf.code.name, span), leaf.domain) if isinstance(leaf.code, Read) else leaf

        if isinstance(value, Composite):
            return value.with_leaves(iter([here(leaf) for leaf in value.leaves()]))
        return here(self.to_scalar(value, node))

    def raise_if(self, name: str, raised: dict[int, Raised], span: Span) -> None:
        """Raises what a local says."""
        for code, each in raised.items():
            is_it = equal_to(Read(name, span), code, span)
            self.choose(is_it, partial(self.raise_up, each, span), lambda: None, span)

    def task_method(self, value: Started | Grouping, node: ast.Call) -> Value:
        """A method of a task, or of a group."""
        assert isinstance(node.func, ast.Attribute)
        match value, node.func.attr:
            case Grouping(number=group), "create_task":
                return self.create_task(node, group)
            case Started(tasks=(number,), is_list=False), "result" if not node.args:
                span = self.places(node)
                running: Expression = Binary(Operator.UNEQUAL, Read(life(number)), Number(2), span)
                self.choose(running, lambda: self.raise_name("InvalidStateError", span), lambda: None, span)
                return self.result_of(number, node)
            case Started(tasks=(number,), is_list=False), "done" if not node.args:
                return self.boolean(is_(life(number), 2))
            case Started(tasks=(number,), is_list=False), "cancel" if not node.args and not node.keywords:
                alive = self.keep(self.boolean(is_(life(number), 1)), self.places(node))
                self.cancel_task(number)
                return alive
            case _:
                hint = "of a task, use await, result(), done() and cancel()"
                raise Refused("SER923", f"{quote_code(node)} is not translated", node, hint)

    def limit_time(self, span: Span, is_task: bool, body: Callable[[Timed], Value]) -> Value:
        if self.has_tasks:
            hint = "leave out the limit, or await the coroutines one after the other"
            raise Refused(
                "SER923", "a limit of time in a request with tasks is not translated", span.line, hint
            )
        return super().limit_time(span, is_task, body)

    # Groups

    def group_block(self, name: str, body: Callable[[], None], node: ast.AST) -> None:
        """`async with asyncio.TaskGroup() as group:`; what leaves it by an exception is refused."""
        span = self.places(node)
        self.refuse_cancelled("TaskGroup", node)
        self.groups += 1
        group = self.groups
        self.emit(put(left(group), 0))
        self.names.bound[name] = Grouping(group)
        failed = self.target()
        boundary = Catching(((None, failed),), self.temporary("exception"))
        self.surroundings.append(boundary)
        body()
        self.surroundings.pop()
        if boundary.raised:
            raised = next(iter(boundary.raised.values())).name
            hint = "catch it inside of the block"
            raise Refused("SER923", f"{raised} can leave the group, which cancels its tasks", node, hint)
        if self.is_dead:
            raise Refused("SER923", "the group is left by a jump", node, "return after the block")
        waits: Expression = Binary(Operator.GREATER, Read(left(group)), Number(0), span)
        self.choose(
            waits, lambda: self.rest_until(GROUP + group, span, "waits for its tasks"), lambda: None, span
        )

    # Locks

    @property
    def runs_beside(self) -> bool:
        """Whether other tasks of the request may be there; before any is started, none is."""
        is_again = any(isinstance(each, Loop) for each in self.surroundings)
        return self.has_tasks and (bool(self.children) or is_again)

    def refuse_waiting(self, what: str, span: Span) -> NoReturn:
        hint = "wait before tasks are started, or protect the state with asyncio.Lock"
        message = f"a task that {what} beside other tasks of its request is not translated"
        raise Refused("SER923", message, span.line, hint)

    def wait_while(self, condition: Expression, span: Span, what: str) -> None:
        if self.runs_beside:
            self.refuse_waiting(what, span)
        super().wait_while(condition, span, what)

    def acquire(self, cell: Cell, span: Span, is_semaphore: bool = False) -> None:
        if not self.runs_beside:
            super().acquire(cell, span, is_semaphore)
            return
        if is_semaphore:
            self.refuse_waiting(f"waits for {cell.name}", span)
        self.refuse_cancelled(f"waiting for {cell.name}", span.line)
        self.inference.assign("overlap", integers(1, 1))
        self.notes.setdefault("locks are handed over in any order, not in the order of waiting", span)
        index = self.lock_number(cell)
        held: Expression = Binary(Operator.UNEQUAL, Read(cell.name, span), Number(0, span), span)
        waiting: Expression = Binary(Operator.UNEQUAL, Read(line(index)), Number(0), span)
        blocked = either(either(held, waiting), self.may_wait(span))
        self.choose(blocked, lambda: self.wait_in_line(index, cell, span), lambda: None, span)
        self.emit(Assign(cell.name, Number(1, span), span))
        self.is_fresh = False

    def may_wait(self, span: Span) -> Expression:
        """Once requests have overlapped, a lock that is free may be promised to another one."""
        return both(Read(OVERLAP, span), Choice(span))

    def lock_number(self, cell: Cell) -> int:
        if cell.name not in self.locks:
            self.locks.append(cell.name)
        return self.locks.index(cell.name)

    def wait_in_line(self, lock: int, cell: Cell, span: Span) -> None:
        words = f"waits for {cell.name}"
        self.emit(do(add(line(lock), 1), Assign(rank(lock, self.task), Read(line(lock)))))
        self.rest_until(LOCK + lock, span, words)
        held: Expression = Binary(Operator.UNEQUAL, Read(cell.name, span), Number(0, span), span)
        self.repeat(
            lambda: either(held, self.may_wait(span)),
            lambda: self.rest_until(LOCK + lock, span, words),
            span,
        )
        self.emit(put(ADVANCE, lock))

    def release(self, item: Lock | Semaphore, span: Span, is_certain: bool) -> None:
        super().release(item, span, is_certain)
        if self.has_tasks and isinstance(item, Lock) and item.cell.name in self.locks:
            self.emit(put(WAKE, self.lock_number(item.cell)))


def leaves(value: Value) -> tuple[Scalar, ...]:
    """The single values of which a value consists."""
    match value:
        case Scalar():
            return (value,)
        case Composite():
            return tuple(value.leaves())
        case _:
            return ()
