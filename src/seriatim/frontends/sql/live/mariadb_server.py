"""MariaDB servers: one that a URL names, or a private one that lives as long as this process.

The programs of the private server are those that the system has installed.
"""

import atexit
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from seriatim.frontends.sql.live.mysql_wire import MyAddress, MyWire
from seriatim.frontends.sql.live.server import (
    INSTALL_MARIADB,
    MOST_WRITTEN,
    NoServer,
    await_answer,
    guarded,
    own_folder,
    prepare,
    run_program,
    unprivileged,
    written_in,
)
from seriatim.frontends.sql.live.wire import ConnectionLost

SCHEMES = ("mariadb", "mysql")

WRITE_URL = "write mariadb://user:secret@host:3306, or mariadb://user@/?socket=/run/mysqld/mysqld.sock"

PREFIX = "ser-my-"
"""How the folders of private servers start."""

FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin", "/usr/local/bin")
"""The folders where operating systems install MariaDB, if it is not on the path."""

OPTIONS = (
    "--skip-networking",
    "--skip-log-bin",
    "--local-infile=0",
    "--event-scheduler=DISABLED",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-doublewrite=0",
    "--innodb-buffer-pool-size=24M",
    "--innodb-log-file-size=8M",
    "--innodb-lock-wait-timeout=1000",
    "--lock-wait-timeout=1000",
    "--skip-name-resolve",
    "--performance-schema=0",
    "--max-connections=40",
    "--tmp-disk-table-size=64M",
    "--plugin-maturity=stable",
)
"""How the private server runs: nothing is kept, nothing can be loaded, and waiting ends only by others."""


@dataclass(frozen=True, slots=True)
class MariaServer:
    """The address of a server."""

    address: MyAddress
    is_private: bool = False
    used: int = 0
    """As for PostgreSQL."""

    def has_room(self) -> bool:
        """Whether a private server may write more."""
        return not self.is_private or written_in(Path(self.address.host).parent) - self.used < MOST_WRITTEN

    def connect(self, user: str | None = None, database: str = "") -> MyWire:
        """Opens a connection; raises `NoServer`."""
        try:
            return MyWire(replace(self.address, user=user or self.address.user, database=database))
        except ConnectionLost as error:
            hint = "check the URL, and that the server runs"
            raise NoServer(f"no connection to MariaDB: {error}", hint) from None


def named_mariadb(url: str) -> MariaServer:
    """The server that a URL names, mariadb://user:secret@host:3306, or with the path of a socket instead of a
    host: mariadb://user@/?socket=/run/mysqld/mysqld.sock. Raises `NoServer`."""
    parts = urlsplit(url)
    named = parse_qs(parts.query)
    if parts.scheme not in SCHEMES or named.keys() - {"socket"} or parts.path.strip("/"):
        raise NoServer(f"not the URL of a MariaDB server: {url.partition('@')[2] or url}", WRITE_URL)
    password = parts.password or os.environ.get("MYSQL_PWD") or ""
    user = unquote(parts.username or os.environ.get("USER") or "root")
    host = named["socket"][-1] if "socket" in named else parts.hostname or "localhost"
    return MariaServer(MyAddress(host, parts.port or 3306, user, unquote(password)))


def mariadb_programs() -> tuple[Path, Path]:
    """The server, and the program that makes its data; raises `NoServer`."""
    for server, maker in (("mariadbd", "mariadb-install-db"), ("mysqld", "mysql_install_db")):
        path = os.pathsep.join((os.environ.get("PATH", ""), *FOLDERS))
        found = shutil.which(server, path=path), shutil.which(maker, path=path)
        if found[0] is not None and found[1] is not None:
            return Path(found[0]), Path(found[1])
    raise NoServer("there is no MariaDB on this machine", INSTALL_MARIADB)


def shared_mariadb() -> MariaServer:
    """The private server of this process, which starts when it is first needed. Raises `NoServer`."""
    process = os.getpid()
    if process not in _shared:
        stack = ExitStack()
        _shared[process] = stack.enter_context(private_mariadb())
        atexit.register(stack.close)
    return _shared[process]


_shared: dict[int, MariaServer] = {}
"""The private server of each process: a forked process starts its own."""


@contextmanager
def private_mariadb() -> Iterator[MariaServer]:
    """Starts a private server, and removes it with its folder at the end. Raises `NoServer`."""
    if os.name != "posix":
        raise NoServer("a private MariaDB server needs Linux or macOS", WRITE_URL)
    (server, maker), rights = mariadb_programs(), unprivileged("mysql")
    with own_folder(PREFIX, Path("pid"), rights) as base:
        base.chmod(0o700)
        data = base / "data"
        prepare(server, data, rights, lambda: _initialise(maker, data, rights))
        command = [str(server), "--no-defaults", f"--datadir={data}", f"--socket={base / 'socket'}"]
        files = [f"--pid-file={base / 'pid'}", f"--tmpdir={base}", f"--secure-file-priv={base}"]
        address = MyAddress(str(base / "socket"), 0, "root")
        found = MariaServer(address, is_private=True, used=written_in(base))
        with guarded([*command, *files, *OPTIONS], "KILL", base, rights) as guard:
            await_answer(lambda: found.connect().close(), guard, base / "log", "MariaDB")
            yield found


def _initialise(maker: Path, data: Path, rights: dict[str, Any]) -> None:
    options = ("--auth-root-authentication-method=normal", "--skip-test-db", "--innodb-log-file-size=8M")
    command = [str(maker), "--no-defaults", f"--datadir={data}", *options]
    run_program(command, data.parent, rights, "MariaDB")
