"""How a task of a request pauses beside others, and how tasks are cancelled.

asyncio cancels a task where it waits: what it awaits from outside is given up, and `CancelledError` is raised
when its turn comes. A task that awaits another one cancels that one instead, and one that awaits `gather`
cancels all that is gathered; what becomes of these decides what it gets. A task that is ready, or has not
begun, finds `CancelledError` when its turn comes. Here each task has a local, `doomed`, that says so; who
pauses looks at it afterwards. `scheduling` has the code that sets it.
"""

import ast

from seriatim.frontends.python.domains import integers
from seriatim.frontends.python.inlining import Inlining
from seriatim.frontends.python.places import Refused
from seriatim.frontends.python.scheduling import CANCEL, GATE, doomed, is_, push, put, wait
from seriatim.frontends.python.surroundings import Raised
from seriatim.source import Span

BY_CANCELLATION = Raised("CancelledError", "CancelledError")


class TaskPauses(Inlining):
    """Pauses of tasks."""

    @property
    def has_tasks(self) -> bool:
        """Whether the handler starts any, as an earlier round has found."""
        return not self.inference.read(f"tasks {self.handler}").is_empty

    @property
    def is_cancelled(self) -> bool:
        """Whether tasks may be cancelled: by others, or by the handler itself, as an earlier round has
        found."""
        return self.is_cancellable or not self.inference.read(f"cancels {self.handler}").is_empty

    def rest(self, span: Span, what: str) -> None:
        """A pause; of a task beside others, until an answer arrives."""
        if self.has_tasks:
            self.emit(put(wait(self.task), GATE))
        super().rest(span, what)

    def rest_until(self, what: int, span: Span, words: str) -> None:
        """A pause until somebody else wakes the task."""
        self.emit(put(wait(self.task), what))
        super().rest(span, words)
        self.interrupt(span)

    def give_way(self, span: Span) -> None:
        """`asyncio.sleep(0)`: goes on after everything that is ready."""
        if self.has_tasks:
            self.emit(push(self.task + 1))
            super().rest(span, "sleeps")
            self.interrupt(span)
        else:
            self.suspend(span, "sleeps")

    def interrupt(self, span: Span) -> None:
        if not self.has_tasks:
            super().interrupt(span)
        elif self.is_cancelled:
            self.choose(is_(doomed(self.task), 1), lambda: self.give_up(span), lambda: None, span)

    def give_up(self, span: Span) -> None:
        """Raises `CancelledError` in a task that was cancelled."""
        self.emit(put(doomed(self.task), 0))
        self.raise_up(BY_CANCELLATION, span)

    def cancel_task(self, number: int) -> None:
        """`task.cancel()`."""
        self.inference.assign(f"cancels {self.handler}", integers(1, 1))
        self.emit(put(CANCEL, number))

    def cancellation(self, span: Span) -> int:
        """The number by which `CancelledError` is known."""
        value = self.atom(BY_CANCELLATION.atom, span)
        assert value.known is not None
        return value.known

    def refuse_cancelled(self, what: str, node: ast.AST | int) -> None:
        """Raises `Refused` for what is not translated where tasks may be cancelled."""
        if self.is_cancelled:
            hint = "leave out --cancel and task.cancel(), or await the coroutines one after the other"
            raise Refused("SER923", f"{what} beside tasks that are cancelled is not translated", node, hint)
