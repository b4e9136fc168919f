"""Code under check cannot touch the machine, and the report says what it wanted."""

import sys
from contextlib import suppress
from pathlib import Path

import pytest

from seriatim.budget import Deadline, OutOfTime, enforce
from seriatim.frontends.python.service_runs import NotRun, run_file
from seriatim.source import SourceText

ATTEMPTS = {
    "write a file": "open({marker!r}, 'w').write('x')",
    "write a file by its number": "import os; os.write(os.open({marker!r}, os.O_WRONLY | os.O_CREAT), b'x')",
    "write through pathlib": "import pathlib; pathlib.Path({marker!r}).write_text('x')",
    "make a link": "import os; os.symlink('/etc/passwd', {marker!r})",
    "make a folder": "import os; os.mkdir({marker!r})",
    "start a program": "import subprocess; subprocess.run(['touch', {marker!r}])",
    "use a shell": "import os; os.system('touch ' + {marker!r})",
    "connect": "import socket; socket.create_connection(('127.0.0.1', 9))",
    "send a datagram": "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
}

ATTEMPTS |= {
    "make a pipe with a name": "import os; os.mkfifo({marker!r})",
    "open a database": "import sqlite3; sqlite3.connect({marker!r}).execute('create table t (x)')",
    "spawn a program": ("import os; os.posix_spawn('/usr/bin/touch', ['touch', {marker!r}], {{}})"),
    "signal another process": (
        "import os, signal; signal.pidfd_send_signal(os.pidfd_open(os.getppid()), signal.SIGTERM)"
    ),
    "write to the system's log": "import syslog; syslog.syslog('x')",
    "type into the terminal": (
        "import fcntl, os, termios; fcntl.ioctl(os.open('/dev/null', os.O_RDONLY), termios.TIOCSTI, b'x')"
    ),
    "give others less": "import os; os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
}

PLACES = {
    "at import": "{attempt}\nasync def a(): return 1\n",
    "in a constructor": "class S:\n    def __init__(self): {attempt}\n    async def a(self): return 1\n",
    "in a handler": "async def a():\n    {attempt}\n    return 1\n",
    "in a handler that catches everything": (
        "async def a():\n    try:\n        {attempt}\n    except BaseException:\n        pass\n    return 1\n"
    ),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_attempt_is_refused(name: str, place: str, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    text = PLACES[place].format(attempt=ATTEMPTS[name].format(marker=str(marker)))
    file = tmp_path / "service.py"
    file.write_text(text)
    try:
        (found,) = run_file(SourceText(str(file), text)).services
        refusals = [found.refusal or "", *found.notes]
    except NotRun as refused:
        refusals = [refused.diagnostics[0].message]
    assert not marker.exists()
    assert not marker.is_symlink()
    assert any(("touches the machine" in each) or ("writes a file" in each) for each in refusals)


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is a part of Linux")
def test_the_kernel_refuses_what_no_hook_sees(tmp_path: Path) -> None:
    """Native code raises no audit events."""
    marker = tmp_path / "marker"
    text = (
        "import ctypes\nC = ctypes.PyDLL(None)\n\n"
        f"class S:\n    async def a(self): return C.creat({str(marker).encode()!r}, 0o644)\n"
    )
    file = tmp_path / "service.py"
    file.write_text(text)
    with suppress(NotRun):
        run_file(SourceText(str(file), text))
    assert not marker.exists()


def test_a_finalizer_cannot_write_either(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    text = (
        f"class End:\n    def __del__(self): open({str(marker)!r}, 'w')\n\n"
        "async def a():\n    end = End()\n    return 1\n"
    )
    file = tmp_path / "service.py"
    file.write_text(text)
    run_file(SourceText(str(file), text))
    assert not marker.exists()


def test_the_environment_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_A_TEST", "xyzzy")
    text = "import os\nsecret = os.environ.get('SECRET_OF_A_TEST', 'none')\nasync def a(): return secret\n"
    file = tmp_path / "service.py"
    file.write_text(text)
    (found,) = run_file(SourceText(str(file), text)).services
    assert found.answers == (("a", ("'none'",)),)


def test_a_time_limit_ends_code_that_waits_for_ever(tmp_path: Path) -> None:
    text = (
        "import threading\nLOCK = threading.Lock()\nLOCK.acquire()\nLOCK.acquire()\nasync def a(): return 1\n"
    )
    file = tmp_path / "service.py"
    file.write_text(text)
    with pytest.raises(OutOfTime), enforce(Deadline(1.0)):
        run_file(SourceText(str(file), text))
