"""How to interrupt z3 while it may be ending by itself."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import z3


def interrupting(context: "z3.Context") -> Callable[[], None]:
    """What interrupts the work in a context. If it has just ended by itself, z3 complains; nobody minds."""

    def interrupt() -> None:
        import z3

        try:
            context.interrupt()
        except z3.Z3Exception:
            return

    return interrupt
