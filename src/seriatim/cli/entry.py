"""The way into `ser`: what could go wrong before there is a command, and what no command has foreseen."""

import gc
import os
import signal
import sys
from types import TracebackType


def run() -> None:
    """The command `ser`, with the arguments of this process."""
    # Imports take a while, and Python would answer Ctrl-C with a traceback: for now, it just ends us.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    reopen_closed_streams()
    sys.excepthook = tell_mistake

    from seriatim.memory import collect_rarely

    collect_rarely()  # First, because loading modules makes no garbage.
    from seriatim.cli.main import main

    try:
        main(prog_name="ser")
    finally:
        gc.freeze()  # The system takes all memory back: to look for garbage once more would take a while.


def reopen_closed_streams() -> None:
    """Replaces closed standard streams by the null device, so that output does not end up in the next file
    that is opened."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Gets the smallest number that is free, which is the one that was closed.
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - open as long as we are


def tell_mistake(kind: type[BaseException], mistake: BaseException, trace: TracebackType | None) -> None:
    """What nobody has caught is no verdict, and Python's own exit code would say "not serializable"."""
    from seriatim.cli.exit_codes import ExitCode

    sys.stderr.write("ser: A BUG IN SERIATIM; please report it, with the input and what follows\n")
    sys.__excepthook__(kind, mistake, trace)
    os._exit(ExitCode.UNKNOWN)
