"""Network systems, as in section 2.3 of the paper: (G, L, REQ, RESP, g₀, δ, req, resp), states by number.

In flight means a request and its local state: several requests may share local states, and a response
counts for the request that was spawned.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from seriatim.program.state import Names
from seriatim.program.syntax import Handler
from seriatim.source import Diagnostic, Span

if TYPE_CHECKING:
    from seriatim.program.syntax import UnboundedHandler


@dataclass(frozen=True, slots=True)
class LocalState:
    """A local state; one that comes from a program knows what is left to do there."""

    name: str
    code: str | None = None
    """The remaining code."""
    line: int | None = None
    """The line at which it waits."""
    values: tuple[tuple[str, int], ...] = ()
    """The values of its live variables."""


@dataclass(frozen=True, slots=True)
class NetworkSystem:
    """States, requests and responses are indices into the tuples of their names."""

    globals: tuple[str, ...]
    locals: tuple[LocalState, ...]
    requests: tuple[str, ...]
    responses: tuple[str, ...]
    initial: int
    req: tuple[tuple[int, int], ...]
    """Pairs (request, local)."""
    resp: tuple[tuple[int, int], ...]
    """Pairs (local, response)."""
    delta: tuple[tuple[int, int, int, int], ...]
    """Tuples (local, global, local', global')."""
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)
    """Warnings about parts of its text that have no effect."""

    @property
    def noun(self) -> str:
        """The word for it in messages."""
        return "network system"

    @property
    def handlers(self) -> tuple[Handler, ...]:
        """Empty: it has no text."""
        return ()

    @property
    def unbounded_handlers(self) -> "tuple[UnboundedHandler, ...]":
        """Empty: it has no parameters."""
        return ()

    @property
    def leaves_cells_out(self) -> bool:
        """False: it has no arrays."""
        return False

    @property
    def can_fail(self) -> bool:
        """False: it has no assertions, ranges or indices."""
        return False

    @property
    def is_marked(self) -> bool:
        """False: it has no text in which points could be marked."""
        return False

    @property
    def never_yields(self) -> bool:
        """False: it has no text that could show that."""
        return False

    @property
    def may_wait(self) -> bool:
        """True: it has no text that could show the opposite."""
        return True

    @property
    def has_arrays(self) -> bool:
        """False: global states have no structure."""
        return False

    @property
    def variables(self) -> tuple[str, ...]:
        """Empty: global states have no structure."""
        return ()

    @property
    def spans(self) -> tuple[Span | None, ...]:
        """All None: requests have no place in a text."""
        return (None,) * len(self.requests)

    @property
    def value_names(self) -> Names:
        """Empty: it has no variables."""
        return {}

    @property
    def answer_names(self) -> Names:
        """Empty: its responses already have names."""
        return {}
