"""PostgreSQL servers: one that a URL names, or a private one in a temporary folder."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

INSTALL = (
    "install PostgreSQL (such as `apt-get install postgresql`), or name a server: --confirm postgresql://…"
)
DRIVER = "pip install 'seriatim[pg]'"
WRITE_URL = "write postgresql://user@host:5432/database, or postgresql://user@/database?host=/run/postgresql"

FOLDERS = ("/usr/lib/postgresql", "/usr/local/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt")
"""The folders where operating systems install PostgreSQL, if it is not on the path."""

CONFIGURATION = """
listen_addresses = ''
fsync = off
full_page_writes = off
synchronous_commit = off
autovacuum = off
deadlock_timeout = 100ms
max_connections = 40
"""


PATIENCE = 60.0
"""The seconds that a server may take to start, and to stop."""


class NoServer(Exception):
    """Raised when no server can be reached; gives the reason and a remedy."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a server."""

    arguments: tuple[tuple[str, object], ...]
    """The arguments for the driver."""
    url: str

    def connect(self) -> Any:
        """Opens a connection; raises `NoServer`."""
        try:
            import pg8000.native
        except ImportError:
            raise NoServer("the PostgreSQL driver is not installed", DRIVER) from None
        try:
            return pg8000.native.Connection(**dict(self.arguments))
        except (pg8000.exceptions.InterfaceError, pg8000.exceptions.DatabaseError, OSError) as error:
            raise NoServer(
                f"no connection to PostgreSQL: {error}", "check the URL, and that the server runs"
            ) from None


def named_server(url: str) -> Server:
    """The server that a URL names; raises `NoServer`.

    The URL is postgresql://user:secret@host:5432/database or, as in libpq, has the folder of a socket instead
    of a host: postgresql://user@/database?host=/run/postgresql.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres"):
        raise NoServer(f"not the URL of a PostgreSQL server: {url}", WRITE_URL)
    arguments: dict[str, object] = {
        "user": unquote(parts.username or os.environ.get("PGUSER") or "postgres"),
        "database": unquote(parts.path.lstrip("/")) or "postgres",
    }
    host, port = parts.hostname or "localhost", parts.port or 5432
    named = parse_qs(parts.query)
    if named.keys() - {"host"}:
        raise NoServer(f"not supported in a URL: {', '.join(sorted(named.keys() - {'host'}))}", WRITE_URL)
    if "host" in named:
        host = named["host"][-1]
    if host.startswith("/"):
        # Sockets have no TLS, and preparing for it takes a tenth of a second.
        arguments |= {"unix_sock": f"{host}/.s.PGSQL.{port}", "ssl_context": False}
    else:
        arguments |= {"host": host, "port": port}
    password = parts.password or os.environ.get("PGPASSWORD")
    if password:
        arguments["password"] = unquote(password)
    return Server(tuple(arguments.items()), url)


def programs() -> Path | None:
    """The folder with initdb and postgres of the newest installed version."""
    on_path = shutil.which("initdb")
    if on_path is not None and shutil.which("postgres") is not None:
        return Path(on_path).parent
    found = [
        path.parent
        for folder in FOLDERS
        for path in Path(folder).glob("*/bin/initdb")
        if (path.parent / "postgres").exists()
    ]
    return max(
        found,
        key=lambda path: [int(n) for n in path.parent.name.split("@")[-1].split(".") if n.isdigit()],
        default=None,
    )


def unprivileged() -> dict[str, Any]:
    """Arguments that run a program as a user other than root, which PostgreSQL requires."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise NoServer("PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`", INSTALL)


@contextmanager
def private_server() -> Iterator[Server]:
    """Starts a private server, and removes it with its folder at the end. Raises `NoServer`."""
    folder = programs()
    if folder is None:
        raise NoServer("no PostgreSQL server is installed", INSTALL)
    rights = unprivileged()
    base = Path(tempfile.mkdtemp(prefix="ser-pg-"))
    try:
        if rights:
            os.chown(base, rights["user"], rights["group"])
        data = base / "data"
        _run(
            [folder / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8"],
            base,
            rights,
        )
        with (data / "postgresql.conf").open("a") as configuration:
            configuration.write(f"{CONFIGURATION}unix_socket_directories = '{base}'\n")
        server = named_server(f"postgresql://postgres@/postgres?host={quote(str(base))}")
        watch = [
            shutil.which("sh") or "/bin/sh",
            "-c",
            WATCH,
            "sh",
            folder / "postgres",
            data,
            base / "log",
            base,
        ]
        with subprocess.Popen(
            list(map(str, watch)), stdin=subprocess.PIPE, env=_environment(base), **rights
        ) as guard:
            try:
                _await(server, guard, base / "log")
                yield server
            finally:
                assert guard.stdin is not None
                guard.stdin.close()
                guard.wait(PATIENCE)
    finally:
        shutil.rmtree(base, ignore_errors=True)


WATCH = """"$1" -D "$2" >"$3" 2>&1 & server=$!
cat >/dev/null
kill -QUIT $server
wait $server
rm -rf "$4"
"""
"""A shell script that runs a server until its own standard input is closed, which also happens if this
process dies; then it deletes the server's folder."""


def _await(server: Server, guard: "subprocess.Popen[bytes]", log: Path) -> None:
    """Waits until a server answers; raises `NoServer`."""
    until = monotonic() + PATIENCE
    while True:
        try:
            server.connect().close()
            return
        except NoServer as missing:
            if missing.hint == DRIVER:
                raise
            if guard.poll() is not None or monotonic() > until:
                lines = log.read_text("utf-8", "replace").strip().splitlines() or ["no message"]
                raise NoServer(f"a private PostgreSQL server does not start: {lines[-1]}", INSTALL) from None
        sleep(0.05)


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C", "HOME": str(folder)}


def _run(command: Sequence[Path | str], folder: Path, rights: dict[str, Any]) -> None:
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
        raise NoServer(f"a private PostgreSQL server does not start: {lines[-1]}", INSTALL)
