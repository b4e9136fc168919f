"""Waiting: locks, semaphores, events and conditions of asyncio.

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
from abc import abstractmethod

from seriatim.frontends.python.bounds import negate
from seriatim.frontends.python.containers import Containers
from seriatim.frontends.python.core_code import binary
from seriatim.frontends.python.domains import integers
from seriatim.frontends.python.places import Refused, quote_code
from seriatim.frontends.python.state import Cell, Condition, Event, Lock, Semaphore
from seriatim.frontends.python.values import Quoted, Scalar
from seriatim.program.syntax import (
    NOWHERE,
    Assign,
    Expression,
    If,
    Number,
    Operator,
    Prefix,
    Read,
    Unary,
    sequence,
)
from seriatim.source import Span

CANCELLED = "#cancelled"
"""A local that is set where a request is cancelled."""


class Waiting(Containers):
    """Waits and wakes."""

    held: list[str]
    """Locks that the request holds for sure."""
    is_cancellable: bool
    """Whether requests may be cancelled wherever they wait."""
    notes: dict[str, Span]
    """What is approximated, and where first."""

    def wait_while(self, condition: Expression, span: Span, what: str) -> None:
        """Pauses until a condition no longer holds; goes on in the step in which that is so."""
        self.repeat(lambda: condition, lambda: self.suspend(span, what), span)

    def suspend(self, span: Span, what: str) -> None:
        """A pause in which the request may be interrupted."""
        self.rest(span, what)
        self.interrupt(span)

    def rest(self, span: Span, what: str) -> None:
        """A pause while locks may be held."""
        for name in self.held:
            self.inference.assign(f"contended {name}", integers(1, 1))
        for key, domain in self.inference.known.items():
            if key.startswith("turned ") and not domain.is_empty:
                self.emit(Assign(f"#{key}", Number(0, span), NOWHERE))
        self.pause(span, what)

    @abstractmethod
    def interrupt(self, span: Span) -> None: ...

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
        if self.is_cancellable:
            hint = "leave out --cancel, or use an Event"
            raise Refused("SER923", "a condition with --cancel is not translated", span.line, hint)
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
                f"{quote_code(node)} needs a lambda without parameters",
                node,
                "write the test as a lambda",
            )
        predicate = node.args[0]
        assert isinstance(predicate, ast.Lambda)
        self.repeat(
            lambda: negate(self.condition(predicate.body), span),
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
