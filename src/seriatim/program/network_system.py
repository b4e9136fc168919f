"""Network systems, as in section 2.3 of the paper: (G, L, REQ, RESP, g₀, δ, req, resp), states by number.

In flight means a request and its local state: several requests may share local states, and a response
counts for the request that was spawned.
"""

from typing import TYPE_CHECKING

from seriatim.frozen import field, frozen
from seriatim.program.state import Names
from seriatim.program.syntax import Handler
from seriatim.source import Diagnostic, Span

if TYPE_CHECKING:
    from seriatim.program.any_integers import UnboundedHandler


@frozen
class LocalState:
    """A local state; one that comes from a program knows what is left to do there."""

    name: str
    code: str | None = None
    """The remaining code."""
    line: int | None = None
    """The line at which it waits."""
    values: tuple[tuple[str, int], ...] = ()
    """The values of its live variables."""


@frozen
class NetworkSystem:
    """States, requests and responses are indices into the tuples of their names."""

    globals: tuple[str, ...]
    locals: tuple[LocalState, ...]
    requests: tuple[str, ...]
    responses: tuple[str, ...]
    initial: int
    req: tuple[tuple[int, int], ...]
    """(request, local)."""
    resp: tuple[tuple[int, int], ...]
    """(local, response)."""
    delta: tuple[tuple[int, int, int, int], ...]
    """(local, global, local', global')."""
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False)
    """What has no effect in the text that it was read from."""

    @property
    def noun(self) -> str:
        """What messages call it."""
        return "network system"

    @property
    def handlers(self) -> tuple[Handler, ...]:
        """It has no text."""
        return ()

    @property
    def unbounded_handlers(self) -> "tuple[UnboundedHandler, ...]":
        """It has no parameters."""
        return ()

    @property
    def leaves_cells_out(self) -> bool:
        """It has no arrays."""
        return False

    @property
    def can_fail(self) -> bool:
        """It has no assertions, ranges or indices."""
        return False

    @property
    def can_fail_beyond_examples(self) -> bool:
        """It has no examples."""
        return False

    @property
    def is_marked(self) -> bool:
        """It has no text in which points could be marked."""
        return False

    @property
    def never_yields(self) -> bool:
        """It has no text that could show that."""
        return False

    @property
    def may_wait(self) -> bool:
        """It has no text that could show the opposite."""
        return True

    @property
    def has_arrays(self) -> bool:
        """Global states have no structure."""
        return False

    @property
    def variables(self) -> tuple[str, ...]:
        """None: global states have no structure."""
        return ()

    @property
    def spans(self) -> tuple[Span | None, ...]:
        """Requests stand nowhere."""
        return (None,) * len(self.requests)

    @property
    def value_names(self) -> Names:
        """None: it has no variables."""
        return {}

    @property
    def answer_names(self) -> Names:
        """None: its responses have names of their own."""
        return {}
