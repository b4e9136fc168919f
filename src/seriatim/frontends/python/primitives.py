"""Queues of asyncio, and the methods of all that waits."""

import ast
from collections.abc import Callable
from dataclasses import replace

from seriatim.frontends.python.core_code import binary
from seriatim.frontends.python.domains import ABSENT, atomic, integers
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import Cell, Condition, Event, Lock, Queue, Semaphore
from seriatim.frontends.python.values import Scalar, Value
from seriatim.frontends.python.waiting import Waiting
from seriatim.program.syntax import (
    Assign,
    Fault,
    Number,
    Operator,
    Read,
)
from seriatim.source import Span

COUNTERS = {
    ("Semaphore", "locked"): "what it answers depends on who waits; count yourself: self.running += 1",
    ("Queue", "task_done"): "count what is left to do yourself: self.left -= 1, and self.done.set() at 0",
    ("Queue", "join"): "count what is left to do yourself, and wait for an asyncio.Event that is set at 0",
}
"""Methods whose answer needs more than the state of the service, and what to do without them."""

Primitive = Lock | Semaphore | Event | Condition | Queue


class Primitives(Waiting):
    """What can be done with them."""

    # Queues

    def get(self, queue: Queue, span: Span) -> Scalar:
        length = queue.length
        empty = binary(Operator.EQUAL, Read(length.name, span), Number(0, span), span)
        self.wait_while(empty, span, f"waits for {length.name.removesuffix('.qsize')}")
        return self.take(queue, span)

    def take(self, queue: Queue, span: Span) -> Scalar:
        """The first item of a queue that is not empty."""
        first = self.keep(self.read_cell(queue.cells[0], span), span)
        for cell, following in zip(queue.cells, queue.cells[1:], strict=False):
            self.write_cell(cell, self.read_cell(following, span), span)
        self.write_cell(queue.cells[-1], Scalar(Number(self.atoms.code(ABSENT), span), atomic(ABSENT)), span)
        less = binary(Operator.SUBTRACT, Read(queue.length.name, span), Number(1, span), span)
        self.emit(Assign(queue.length.name, less, span))
        return Scalar(first.code, replace(first.domain, atoms=first.domain.atoms - {ABSENT}))

    def put(self, queue: Queue, value: Scalar, span: Span) -> None:
        value = self.keep(value, span)
        full = binary(Operator.EQUAL, Read(queue.length.name, span), Number(len(queue.cells), span), span)
        if queue.is_bounded:
            self.wait_while(full, span, f"waits for {queue.length.name.removesuffix('.qsize')}")
        self.append(queue, value, span)

    def append(self, queue: Queue, value: Scalar, span: Span) -> None:
        """Adds an item; an unbounded queue that grows beyond what is looked at is a fault."""
        self.is_fresh = False
        name = queue.length.name
        if queue.is_last_first:
            self._push(queue, value, span)
            return

        def write(index: int) -> None:
            if index == len(queue.cells):
                self.emit(
                    Fault("SER804", f"{name.removesuffix('.qsize')} holds more than {index} items", span)
                )
                return
            here = binary(Operator.EQUAL, Read(name, span), Number(index, span), span)
            self.choose(
                here, lambda: self.write_cell(queue.cells[index], value, span), lambda: write(index + 1), span
            )

        write(0)
        more = binary(Operator.ADD, Read(name, span), Number(1, span), span)
        self.emit(Assign(name, more, span))

    def _push(self, queue: Queue, value: Scalar, span: Span) -> None:
        """Adds an item before the others, so that it is the next one."""
        name, most = queue.length.name, len(queue.cells)
        full = binary(Operator.EQUAL, Read(name, span), Number(most, span), span)
        fault = Fault("SER804", f"{name.removesuffix('.qsize')} holds more than {most} items", span)
        self.choose(full, lambda: self.emit(fault), lambda: None, span)
        for index in reversed(range(1, most)):
            self.write_cell(queue.cells[index], self.read_cell(queue.cells[index - 1], span), span)
        self.write_cell(queue.cells[0], value, span)
        more = binary(Operator.ADD, Read(name, span), Number(1, span), span)
        self.emit(Assign(name, more, span))

    # Methods

    def primitive_method(self, item: Primitive, name: str, node: ast.Call, is_awaited: bool) -> Value:
        """A call of one of their methods; raises `Refused` if it is not known."""
        span = self.places(node)
        found = self._methods(item, node, span).get((name, is_awaited))
        if found is None or node.keywords:
            known = sorted(each for each, _ in self._methods(item, node, span))
            kind = type(item).__name__
            message = f"{quote_code(node)} is not translated"
            hint = f"of a {kind}, use {', '.join(known)}, with or without await as in asyncio"
            raise Refused("SER923", message, node, COUNTERS.get((kind, name), hint))
        value = found()
        return self.none(span) if value is None else value

    def _methods(
        self, item: Primitive, node: ast.Call, span: Span
    ) -> dict[tuple[str, bool], Callable[[], Scalar | None]]:
        match item:
            case Lock(cell=cell):
                return {
                    ("acquire", True): lambda: self._acquire_lock(cell, span, False),
                    ("release", False): lambda: self.release(item, span, is_certain=False),
                    ("locked", False): lambda: self._is(cell, Operator.UNEQUAL, 0, span),
                }
            case Semaphore(cell=cell):
                return {
                    ("acquire", True): lambda: self._acquire_lock(cell, span, True),
                    ("release", False): lambda: self.release(item, span, is_certain=False),
                }
            case Event(cell=cell):
                return {
                    ("wait", True): lambda: self._wait_for(item, span),
                    ("set", False): lambda: self.set_event(item, span),
                    ("clear", False): lambda: self._set(cell, 0, span),
                    ("is_set", False): lambda: self._is(cell, Operator.UNEQUAL, 0, span),
                }
            case Condition():
                return {
                    ("wait", True): lambda: self._woken(item, span),
                    ("wait_for", True): lambda: self.wait_predicate(item, node),
                    ("notify", False): lambda: self.notify(item, span),
                    ("notify_all", False): lambda: self.notify(item, span),
                    ("acquire", True): lambda: self._acquire_lock(item.lock.cell, span, False),
                    ("release", False): lambda: self.release(item.lock, span, is_certain=False),
                    ("locked", False): lambda: self._is(item.lock.cell, Operator.UNEQUAL, 0, span),
                }
            case Queue():
                return self._queue_methods(item, node, span)

    def _queue_methods(
        self, queue: Queue, node: ast.Call, span: Span
    ) -> dict[tuple[str, bool], Callable[[], Scalar | None]]:
        length, most = queue.length, len(queue.cells)

        def item() -> Scalar:
            if len(node.args) != 1:
                raise Refused(
                    "SER923", f"{quote_code(node)} has other arguments than expected", node, "put one item"
                )
            return self.scalar(node.args[0])

        def put_nowait() -> None:
            value = self.keep(item(), span)
            if queue.is_bounded:
                full = binary(Operator.EQUAL, Read(length.name, span), Number(most, span), span)
                self.choose(full, lambda: self.raise_name("QueueFull", span), lambda: None, span)
            self.append(queue, value, span)

        def get_nowait() -> Scalar:
            empty = binary(Operator.EQUAL, Read(length.name, span), Number(0, span), span)
            self.choose(empty, lambda: self.raise_name("QueueEmpty", span), lambda: None, span)
            return self.take(queue, span)

        found: dict[tuple[str, bool], Callable[[], Scalar | None]] = {
            ("get", True): lambda: self.get(queue, span),
            ("put", True): lambda: self.put(queue, item(), span),
            ("get_nowait", False): get_nowait,
            ("put_nowait", False): put_nowait,
            ("empty", False): lambda: self._is(length, Operator.EQUAL, 0, span),
            ("qsize", False): lambda: self.read_cell(length, span),
        }
        if queue.is_bounded:
            found["full", False] = lambda: self._is(length, Operator.EQUAL, most, span)
        return found

    def _acquire_lock(self, cell: Cell, span: Span, is_semaphore: bool) -> Scalar:
        self.inference.assign(f"contended {cell.name}", integers(1, 1))  # It may be held for long.
        self.acquire(cell, span, is_semaphore)
        return self.boolean(Number(1, span))

    def _wait_for(self, event: Event, span: Span) -> Scalar:
        self.wait_event(event, span)
        return self.boolean(Number(1, span))

    def _woken(self, condition: Condition, span: Span) -> Scalar:
        self.wait_condition(condition, span)
        return self.boolean(Number(1, span))

    def _set(self, cell: Cell, value: int, span: Span) -> None:
        self.is_fresh = False
        self.emit(Assign(cell.name, Number(value, span), span))

    def _is(self, cell: Cell, operator: Operator, value: int, span: Span) -> Scalar:
        self.is_fresh = False
        return self.boolean(binary(operator, Read(cell.name, span), Number(value, span), span))
