"""Locks, semaphores, events, conditions and queues of asyncio.

*Locks and semaphores* are handed over in order by asyncio; here any waiting request, or one that comes
along, may be next (more interleavings, the same serial runs). One interleaving needs care: a request that
comes while a lock is free, but promised to another one that waits, waits as well. So if a request has
looked at the state since it last paused, and the lock can be contended, it pauses before it tries.
Otherwise such a pause changes nothing: it is as if the request came later.

*Events and conditions* release those who wait at that moment, also if the event is cleared right after. A
bit, `turn`, changes in a step that may release somebody; who waits remembers it, notices the change in a
step of its own, and goes on in a later one. Claim: this covers every run of asyncio. Who was released can
notice that right after the step that releases it, before the bit changes back, and go on as late as it
likes. A notification may wake more requests than it says; alone, nobody is woken, as in Python.
"""

import ast
from collections.abc import Callable

from seriatim.frontends.python.builder import binary
from seriatim.frontends.python.containers import Containers
from seriatim.frontends.python.domains import ABSENT, atomic, integers
from seriatim.frontends.python.expressions import negated
from seriatim.frontends.python.places import Refused, written
from seriatim.frontends.python.state import Cell, Condition, Event, Lock, Queue, Semaphore
from seriatim.frontends.python.values import Quoted, Scalar, Value
from seriatim.frozen import replace
from seriatim.program.syntax import (
    NOWHERE,
    Assign,
    Expression,
    Fault,
    If,
    Number,
    Operator,
    Prefix,
    Read,
    Unary,
    sequence,
)
from seriatim.source import Span

Primitive = Lock | Semaphore | Event | Condition | Queue


class Primitives(Containers):
    """What can be done with them."""

    held: list[str]
    """Locks that the request holds for sure."""
    notes: dict[str, Span]
    """What is approximated, and where first."""

    def wait_while(self, condition: Expression, span: Span, what: str) -> None:
        """Pauses until a condition no longer holds; goes on in the step in which that is so."""
        self.repeat(lambda: condition, lambda: self.suspend(span, what), span)

    def suspend(self, span: Span, what: str) -> None:
        """A pause while locks may be held."""
        for name in self.held:
            self.inference.assign(f"contended {name}", integers(1, 1))
        for key, domain in self.inference.known.items():
            if key.startswith("turned ") and not domain.is_empty:
                self.emit(Assign(f"#{key}", Number(0, span), NOWHERE))
        self.pause(span, what)

    # Locks and semaphores

    def acquire(self, cell: Cell, span: Span, is_semaphore: bool = False) -> None:
        contended = not self.inference.read(f"contended {cell.name}").is_empty
        if contended and not self.is_fresh:
            self.suspend(span, f"waits for {cell.name}")
        self.notes.setdefault("locks are handed over in any order, not in the order of waiting", span)
        taken: Expression = Read(cell.name, span)
        if is_semaphore:
            taken = binary(Operator.EQUAL, taken, Number(0, span), span)
        self.wait_while(taken, span, f"waits for {cell.name}")
        new: Expression = Number(1, span)
        if is_semaphore:
            new = binary(Operator.SUBTRACT, Read(cell.name, span), Number(1, span), span)
        self.emit(Assign(cell.name, new, span))
        self.is_fresh = False

    def release(self, item: Lock | Semaphore, span: Span, is_certain: bool) -> None:
        """Frees it; unless it is held for sure, that may be a mistake."""
        cell = item.cell
        self.is_fresh = False
        if isinstance(item, Lock):
            if not is_certain:
                free = binary(Operator.EQUAL, Read(cell.name, span), Number(0, span), span)
                self.choose(free, lambda: self.raise_name("RuntimeError", span), lambda: None, span)
            self.emit(Assign(cell.name, Number(0, span), span))
            return
        if item.bound is not None and not is_certain:
            full = binary(Operator.GREATER_EQUAL, Read(cell.name, span), Number(item.bound, span), span)
            self.choose(full, lambda: self.raise_name("ValueError", span), lambda: None, span)
        more = binary(Operator.ADD, Read(cell.name, span), Number(1, span), span)
        self.emit(Assign(cell.name, more, span))

    # Events and conditions

    def wait_turn(self, turn: Cell, span: Span, what: str) -> None:
        """Waits until somebody is released, from now on."""
        remembered = self.temporary()
        self.emit(Assign(remembered, Read(turn.name, span), span))
        self.suspend(span, what)
        same = binary(Operator.EQUAL, Read(turn.name, span), Read(remembered, span), span)
        self.wait_while(same, span, what)
        self.suspend(span, what)

    def change_turn(self, turn: Cell, span: Span) -> None:
        """Releases those who wait. Once in a step is enough, and a second change would undo the first."""
        key = f"turned {turn.name}"
        self.inference.assign(key, integers(1, 1))
        other = binary(Operator.SUBTRACT, Number(1, span), Read(turn.name, span), span)
        change = sequence(Assign(turn.name, other, span), Assign(f"#{key}", Number(1, span), NOWHERE))
        self.emit(If(Unary(Prefix.NOT, Read(f"#{key}", NOWHERE), NOWHERE), change, None, NOWHERE))

    def wait_event(self, event: Event, span: Span) -> None:
        what = f"waits for {event.cell.name}"
        unset = binary(Operator.EQUAL, Read(event.cell.name, span), Number(0, span), span)
        if not self.is_cleared:
            self.wait_while(unset, span, what)
            self.is_fresh = False
            return
        self.is_fresh = False
        self.choose(unset, lambda: self.wait_turn(event.turn, span, what), lambda: None, span)

    @property
    def is_cleared(self) -> bool:
        """Whether the file clears anything: events that are never cleared are simpler."""
        return any(
            isinstance(node, ast.Attribute) and node.attr == "clear" for node in ast.walk(self.module.tree)
        )

    def set_event(self, event: Event, span: Span) -> None:
        self.is_fresh = False
        if self.is_cleared:
            unset = binary(Operator.EQUAL, Read(event.cell.name, span), Number(0, span), span)
            self.choose(unset, lambda: self.change_turn(event.turn, span), lambda: None, span)
        self.emit(Assign(event.cell.name, Number(1, span), span))

    def wait_condition(self, condition: Condition, span: Span) -> None:
        cell, what = condition.lock.cell, f"waits for {condition.turn.name.removesuffix('.turn')}"
        self.demand_held(condition, span)
        self.is_fresh = False
        held, self.held = self.held, [name for name in self.held if name != cell.name]
        remembered = self.temporary()
        self.emit(Assign(remembered, Read(condition.turn.name, span), span))
        self.emit(Assign(cell.name, Number(0, span), span))
        self.suspend(span, what)
        same = binary(Operator.EQUAL, Read(condition.turn.name, span), Read(remembered, span), span)
        self.wait_while(same, span, what)
        self.suspend(span, what)
        self.acquire(cell, span)
        self.held = held
        self.notes.setdefault("a notification may wake more requests than it says", span)

    def wait_predicate(self, condition: Condition, node: ast.Call) -> Scalar:
        """`await condition.wait_for(lambda: …)`."""
        span = self.places(node)
        given = self.operands(node.args)
        if len(given) != 1 or not isinstance(given[0], Quoted):
            raise Refused(
                "SER923",
                f"{written(node)} needs a lambda without parameters",
                node,
                "write the test as a lambda",
            )
        predicate = node.args[0]
        assert isinstance(predicate, ast.Lambda)
        self.repeat(
            lambda: negated(self.condition(predicate.body), span),
            lambda: self.wait_condition(condition, span),
            span,
        )
        return self.boolean(Number(1, span))

    def demand_held(self, condition: Condition, span: Span) -> None:
        cell = condition.lock.cell
        if cell.name not in self.held:
            free = binary(Operator.EQUAL, Read(cell.name, span), Number(0, span), span)
            self.choose(free, lambda: self.raise_name("RuntimeError", span), lambda: None, span)

    def notify(self, condition: Condition, span: Span) -> None:
        self.demand_held(condition, span)
        self.is_fresh = False
        self.change_turn(condition.turn, span)

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

    # Methods

    def primitive_method(self, item: Primitive, name: str, node: ast.Call, is_awaited: bool) -> Value:
        """A call of one of their methods; raises `Refused` if it is not known."""
        span = self.places(node)
        found = self._methods(item, node, span).get((name, is_awaited))
        if found is None or node.keywords:
            known = sorted(each for each, _ in self._methods(item, node, span))
            kind = type(item).__name__
            message = f"{written(node)} is not translated"
            raise Refused(
                "SER923",
                message,
                node,
                f"of a {kind}, use {', '.join(known)}, with or without await as in asyncio",
            )
        value = found()
        return self.none(span) if value is None else value

    def _methods(
        self, item: Primitive, node: ast.Call, span: Span
    ) -> dict[tuple[str, bool], Callable[[], Scalar | None]]:
        match item:
            case Lock(cell=cell):
                return {
                    ("acquire", True): lambda: self._acquired(cell, span, False),
                    ("release", False): lambda: self.release(item, span, is_certain=False),
                    ("locked", False): lambda: self._is(cell, Operator.UNEQUAL, 0, span),
                }
            case Semaphore(cell=cell):
                return {
                    ("acquire", True): lambda: self._acquired(cell, span, True),
                    ("release", False): lambda: self.release(item, span, is_certain=False),
                }
            case Event(cell=cell):
                return {
                    ("wait", True): lambda: self._waited(item, span),
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
                    ("acquire", True): lambda: self._acquired(item.lock.cell, span, False),
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
                    "SER923", f"{written(node)} has other arguments than expected", node, "put one item"
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

    def _acquired(self, cell: Cell, span: Span, is_semaphore: bool) -> Scalar:
        self.inference.assign(f"contended {cell.name}", integers(1, 1))  # It may be held for long.
        self.acquire(cell, span, is_semaphore)
        return self.boolean(Number(1, span))

    def _waited(self, event: Event, span: Span) -> Scalar:
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
