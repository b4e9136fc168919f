"""Walls around code that is run to be checked: it may compute, and nothing else.

Two walls stand one behind the other. Where the system has them, Landlock and a network namespace make every
write, program start and connection fail; the kernel holds this wall, also against native code, finalizers and
`close`. Everywhere, an audit hook refuses the same by name, so that the report can say what the code wanted.
Neither wall keeps code from reading files. So nothing that it reads can leave the process but its answers.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, NoReturn

CREATE_RULESET, RESTRICT_SELF = 444, 446
"""The numbers of Landlock's system calls, which are the same on all machines."""

SIGNAL_WHEN_PARENT_ENDS = 1
NO_NEW_PRIVILEGES = 38
NEW_USERS, NEW_NETWORK = 0x10000000, 0x40000000

READING = 0b1100
"""The rights of Landlock that stay: to read files and folders (bits 2 and 3)."""

RIGHTS_BY_VERSION = (0, 13, 14, 15)
"""How many rights about files each version of Landlock knows; later ones may have one more, about devices."""

TCP = 0b11
"""The rights to offer and to open connections, since version 4."""

REFUSED = (
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
    "os.chown", "os.utime", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.kill", "os.killpg",
    "os.fork", "os.forkpty", "os.putenv", "os.unsetenv", "shutil.rmtree", "shutil.move", "subprocess.Popen",
    "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "pty.spawn",
    "ctypes.dlopen", "webbrowser.open", "signal.pthread_kill", "fcntl.ioctl", "syslog.openlog",
    "syslog.syslog", "os.setxattr", "os.removexattr", "resource.prlimit",
)  # fmt: skip
"""Audit events of what touches the machine."""

SILENT = (
    (os, ("mkfifo", "mknod", "setpriority", "sched_setscheduler", "sched_setaffinity", "pidfd_open")),
    (signal, ("pidfd_send_signal",)),
)
"""What touches the machine and raises no event."""

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refusal(BaseException):
    """The code wants something that cannot be checked; a base exception, so that `except Exception` does not
    hide it."""


class Guard:
    """The audit hook: active only while code of the user runs."""

    def __init__(self) -> None:
        self.is_active = False
        self.complaint: str | None = None
        """The first thing that was refused; the code may have caught the exception."""

    def refuse(self, message: str) -> NoReturn:
        """Remembers the refusal, then raises it."""
        self.complaint = self.complaint or message
        raise Refusal(message)

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_active:
            return
        if event == "open":
            mode, flags = arguments[1], arguments[2]
            opens_for_writing = isinstance(mode, str) and bool(set(mode) & set("wax+"))
            if opens_for_writing or (isinstance(flags, int) and flags & WRITING):
                self.refuse(f"it writes a file: {arguments[0]!r}")
        elif event == "sqlite3.connect":
            if ":memory:" not in str(arguments[0]) and arguments[0]:
                self.refuse(f"it writes a file: {arguments[0]!r}")
        elif event in REFUSED:
            self.refuse(f"it touches the machine: {event}")


GUARD = Guard()


def _guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that raises no audit event, with a guard of its own."""

    def call(*args: Any, **named: Any) -> Any:
        if GUARD.is_active:
            GUARD.refuse(f"it touches the machine: {name}")
        return function(*args, **named)

    return call


def limit_machine(seconds: int, memory: int) -> tuple[str, ...]:
    """Puts up the walls in this process for good; returns the names of those that the system offers."""
    import resource  # Not on Windows, nor where Python runs in a browser.

    end_with_parent()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (memory if most < 0 else min(memory, most), most))
    walls = [name for name, build in (("network", _leave_network), ("landlock", _forbid_writes)) if build()]
    sys.addaudithook(GUARD.hook)
    for module, names in SILENT:
        for name in names:
            if hasattr(module, name):
                setattr(module, name, _guarded(f"{module.__name__}.{name}", getattr(module, name)))
    with suppress(OSError):
        os.setsid()  # A process without a terminal cannot type into one.
    return (*walls, "audit hook")


def end_with_parent() -> None:
    """Has Linux kill this process when the one that asked it is gone, so that nobody runs for an answer that
    nobody waits for. Copies of a process have to ask for it again."""
    control = process_control()
    if control is not None:
        control(SIGNAL_WHEN_PARENT_ENDS, signal.SIGKILL, 0, 0, 0)


@cache
def process_control() -> Callable[..., int] | None:
    """What Linux offers to say what happens to a process; looked up once, as each copy calls it."""
    try:
        found: Callable[..., int] = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    return found


def _leave_network() -> bool:
    """Moves this process to a network of its own, which leads nowhere."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        return bool(library.unshare(NEW_USERS | NEW_NETWORK) == 0)
    except (OSError, AttributeError):
        return False


def _forbid_writes() -> bool:
    """Has Landlock forbid writing, creating, removing and executing files, and connections by TCP."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        version = library.syscall(CREATE_RULESET, None, 0, 1)
        if version < 1:
            return False
        rights = (1 << RIGHTS_BY_VERSION[min(version, 3)]) - 1 & ~READING
        fields = (ctypes.c_uint64 * 2)(rights, TCP if version >= 4 else 0)
        size = ctypes.sizeof(fields) if version >= 4 else 8
        ruleset = library.syscall(CREATE_RULESET, ctypes.byref(fields), size, 0)
        if ruleset < 0 or library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            return False
        done = library.syscall(RESTRICT_SELF, ruleset, 0) == 0
        os.close(ruleset)
        return bool(done)
    except (OSError, AttributeError):
        return False


def bare_environment(seed: int = 0) -> dict[str, str]:
    """The environment of a process that runs such code: nothing of the user's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "SYSTEMROOT") if name in os.environ}
    return {**kept, "PYTHONHASHSEED": str(seed), "PYTHONDONTWRITEBYTECODE": "1"}
