"""How to interrupt z3 while it may be ending by itself."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import z3


def interrupting(context: "z3.Context") -> Callable[[], None]:
    """A function that interrupts the work in a context. Ignores z3's complaint if the work has just ended."""

    def interrupt() -> None:
        import z3

        try:
            context.interrupt()
        except z3.Z3Exception:
            return

    return interrupt
