"""The door to solvers: whatever may take long in one goes through it, and obeys time, memory and Ctrl-C."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from seriatim.budget import Deadline, run_attended

if TYPE_CHECKING:
    import cvc5
    import z3

Result = TypeVar("Result")

LARGEST_TIMEOUT = 2**31
"""Milliseconds; z3 and cvc5 take no larger number."""


def attend(work: Callable[[], Result], deadline: Deadline, context: "z3.Context | None" = None) -> Result:
    """Do work that cannot look at a clock. Raises `OutOfBudget`, or what the work raises.

    z3 is interrupted in its context. cvc5 has no such thing: it is abandoned to the limit that it was given.
    """

    def attempt() -> Result | Exception:
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - it belongs to the caller's thread
            return error

    def interrupt() -> None:
        import z3

        try:
            if context is not None:
                context.interrupt()
        except z3.Z3Exception:  # The work has just ended.
            return

    result = run_attended(attempt, deadline, interrupt)
    if isinstance(result, Exception):
        raise result
    return result


def milliseconds(deadline: Deadline) -> int:
    """The time that is left, as solvers take it."""
    return round(min(1 + 1000 * deadline.remaining(), LARGEST_TIMEOUT))


MALLOC_SETTINGS = {-1: 1 << 28, -2: 1 << 24, -3: 1 << 25}
"""Of glibc, by number: what is kept when memory is free, how much is taken at a time, and from which size on
memory is mapped for one piece."""


@cache
def keep_freed_memory() -> None:
    """Lets the allocator of glibc keep freed memory. Each question has a context of its own in z3; giving its
    memory back to the system after each one took nearly half of the CPU time."""
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for option, value in MALLOC_SETTINGS.items():
        set_option(option, value)


def limited(solver: "z3.Solver", deadline: Deadline, work: int, seed: int = 0) -> "z3.Solver":
    """A solver of z3 with limits on its time and on its own count of its work."""
    keep_freed_memory()
    solver.set("random_seed", seed)
    solver.set("ctrl_c", False)  # It would keep Ctrl-C for itself.
    solver.set("rlimit", work)
    solver.set("timeout", milliseconds(deadline))
    return solver


def answer(
    script: str, solver: "z3.Solver", context: "z3.Context", deadline: Deadline
) -> "z3.CheckSatResult":
    """Asks a solver of z3 about a script, which it reads first. Raises `z3.Z3Exception`."""

    def ask() -> "z3.CheckSatResult":
        solver.from_string(script)
        return solver.check()

    return attend(ask, deadline, context)


def answer_of_cvc5(script: str, solver: "cvc5.Solver", deadline: Deadline) -> "cvc5.Result":
    """Asks a solver of cvc5 about a script without its question."""
    import cvc5

    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
    symbols = parser.getSymbolManager()

    def ask() -> "cvc5.Result":
        while not (command := parser.nextCommand()).isNull():
            command.invoke(solver, symbols)
        return solver.checkSat()

    return attend(ask, deadline)
