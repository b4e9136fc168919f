"""Starts `ser`: handles errors before a command runs, and exceptions that no command catches."""

import gc
import os
import signal
import sys
from types import TracebackType


def run() -> None:
    """Runs the command `ser` with the arguments of this process."""
    # Imports take a while. Until they are done, Ctrl-C ends the process without a traceback.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    reopen_closed_streams()
    sys.excepthook = tell_mistake

    from seriatim.memory import collect_rarely

    collect_rarely()  # Comes first, because loading modules makes no garbage.
    from seriatim.cli.main import main

    try:
        main(prog_name="ser")
    finally:
        gc.freeze()  # The system frees all memory anyway; a last garbage collection would only take time.


def reopen_closed_streams() -> None:
    """Replaces closed standard streams by the null device, so that output does not end up in the next file
    that is opened."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # This gets the smallest free number, which is that of the closed stream.
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - open as long as we are


def tell_mistake(kind: type[BaseException], mistake: BaseException, trace: TracebackType | None) -> None:
    """Reports an uncaught exception. Python's own exit code, 1, would mean "not serializable"."""
    from seriatim.cli.exit_codes import ExitCode

    sys.stderr.write("ser: A BUG IN SERIATIM; please report it, with the input and what follows\n")
    sys.__excepthook__(kind, mistake, trace)
    os._exit(ExitCode.UNKNOWN)
