"""PostgreSQL's protocol: sends a statement and reads its reply whenever the caller has time for it.

Replies are the server's own text with its type numbers, so nothing is converted on the way, and one thread
can drive many connections while some of them wait for locks.
"""

import base64
import hashlib
import hmac
import os
import select
import socket
import struct
from dataclasses import dataclass
from time import monotonic

PROTOCOL = 196608
"""Version 3.0."""

TLS_REQUEST = struct.pack("!ii", 8, 80877103)

RECEIVE = 65536

PATIENCE = 30.0
"""The seconds after which a statement of ours counts as lost."""

Cells = tuple[str | None, ...]
"""A row as the server writes it; None is NULL."""


class ConnectionLost(Exception):
    """Raised when the server does not answer, refuses the connection, or closes it; gives the reason."""


class Failed(Exception):
    """Raised when a statement of ours fails."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one statement."""

    tag: str = ""
    """What was done, such as `UPDATE 1`; empty after an error."""
    columns: tuple[str, ...] = ()
    types: tuple[int, ...] = ()
    rows: tuple[Cells, ...] | None = None
    """The rows; None if the statement returns none."""
    error: str | None = None
    """The SQLSTATE of an error."""
    message: str = ""

    @property
    def count(self) -> int | None:
        """The number of rows in the tag."""
        last = self.tag.rpartition(" ")[2]
        return int(last) if last.isdigit() else None


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a database on a server."""

    host: str
    """A name, or the folder of a socket."""
    port: int
    user: str
    database: str
    password: str | None = None


class Wire:
    """A connection."""

    def __init__(self, address: Address) -> None:
        self.pid = 0
        self._buffer = b""
        self._replies: list[Reply] = []
        self._columns: tuple[str, ...] = ()
        self._types: tuple[int, ...] = ()
        self._rows: list[Cells] | None = None
        self.busy = False
        self.status = "I"
        """Whether the session is idle (I), in a transaction (T), or in one that has failed (E)."""
        try:
            self._socket = _connect(address)
        except OSError as error:
            raise ConnectionLost(str(error)) from None
        try:
            _Login(self, address).log_in()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._socket.close()

    def send(self, text: str) -> None:
        """Sends a statement, or several of them, after the reply to the one before."""
        assert not self.busy, "the last statement has not ended"
        self.busy = True
        self._replies = []
        self.put(b"Q", text.encode() + b"\0")

    def poll(self, seconds: float) -> list[Reply] | None:
        """The replies; None if there are not all of them after some seconds."""
        until = monotonic() + seconds
        while True:
            while (message := self._take()) is not None:
                if self._read(*message):
                    self.busy = False
                    return self._replies
            left = until - monotonic()
            if not select.select([self._socket], [], [], max(0.0, left))[0]:
                return None
            self._receive()

    def run(self, text: str) -> list[Reply]:
        """Executes statements of ours and waits for them; raises `Failed`."""
        self.send(text)
        replies = self.poll(PATIENCE)
        if replies is None:
            raise ConnectionLost("a statement does not end")
        for each in replies:
            if each.error is not None:
                raise Failed(each.error, each.message)
        return replies

    def put(self, kind: bytes, body: bytes) -> None:
        """Sends a message."""
        try:
            self._socket.sendall(kind + struct.pack("!i", len(body) + 4) + body)
        except OSError as error:
            raise ConnectionLost(str(error)) from None

    def next_message(self) -> tuple[bytes, bytes]:
        """Waits for a message and returns its kind and body."""
        while (message := self._take()) is None:
            if not select.select([self._socket], [], [], PATIENCE)[0]:
                raise ConnectionLost("the server does not answer")
            self._receive()
        return message

    def _receive(self) -> None:
        try:
            data = self._socket.recv(RECEIVE)
        except OSError as error:
            raise ConnectionLost(str(error)) from None
        if not data:
            raise ConnectionLost("the server has closed the connection")
        self._buffer += data
        pending = getattr(
            self._socket, "pending", None
        )  # Sockets with TLS keep data that `select` does not see.
        if pending is not None and pending():
            self._buffer += self._socket.recv(pending())

    def _take(self) -> tuple[bytes, bytes] | None:
        """The next message of the buffer, if it is complete."""
        if len(self._buffer) < 5:
            return None
        end = struct.unpack_from("!i", self._buffer, 1)[0] + 1
        if len(self._buffer) < end:
            return None
        message = self._buffer[:1], self._buffer[5:end]
        self._buffer = self._buffer[end:]
        return message

    def _read(self, kind: bytes, body: bytes) -> bool:
        """Reads a message; whether all replies are there."""
        match kind:
            case b"T":
                self._columns, self._types = _description(body)
                self._rows = []
            case b"D":
                assert self._rows is not None
                self._rows.append(_cells(body))
            case b"C" | b"I":
                tag = body.rstrip(b"\0").decode()
                rows = None if self._rows is None else tuple(self._rows)
                self._replies.append(Reply(tag, self._columns, self._types, rows))
                self._columns, self._types, self._rows = (), (), None
            case b"E":
                code, message = error_of(body)
                self._replies.append(Reply(error=code, message=message))
                self._columns, self._types, self._rows = (), (), None
            case b"G" | b"H" | b"W":
                self.put(b"f", b"COPY is not supported here\0")
            case b"Z":
                self.status = body.decode()
                return True
        return False


def _connect(address: Address) -> socket.socket:
    if address.host.startswith("/"):
        local = socket.socket(socket.AF_UNIX)
        try:
            local.connect(f"{address.host}/.s.PGSQL.{address.port}")
        except OSError:
            local.close()
            raise
        return local
    plain = socket.create_connection((address.host, address.port), PATIENCE)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    plain.sendall(TLS_REQUEST)
    if plain.recv(1) != b"S":
        return plain
    import ssl  # Absent where Python runs in a browser.

    # As with libpq's `sslmode=prefer`: a server on this machine rarely has a certificate that others sign.
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(plain, server_hostname=address.host)


def _description(body: bytes) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The names and the types of columns."""
    (count,) = struct.unpack_from("!h", body)
    at, names, types = 2, [], []
    for _ in range(count):
        end = body.index(b"\0", at)
        names.append(body[at:end].decode())
        types.append(struct.unpack_from("!i", body, end + 7)[0])
        at = end + 19
    return tuple(names), tuple(types)


def _cells(body: bytes) -> Cells:
    (count,) = struct.unpack_from("!h", body)
    at = 2
    found: list[str | None] = []
    for _ in range(count):
        (size,) = struct.unpack_from("!i", body, at)
        at += 4
        found.append(None if size < 0 else body[at : at + size].decode("utf-8", "replace"))
        at += max(size, 0)
    return tuple(found)


def error_of(body: bytes) -> tuple[str, str]:
    """The SQLSTATE and the message of an error."""
    parts = {part[:1]: part[1:].decode("utf-8", "replace") for part in body.split(b"\0") if part}
    return parts.get(b"C", "XX000"), parts.get(b"M", "")


class _Login:
    """Opens a session: without a password, or with one by SCRAM-SHA-256, MD5 or in clear text."""

    def __init__(self, wire: Wire, address: Address) -> None:
        self.wire = wire
        self.address = address
        self.nonce = base64.b64encode(os.urandom(18)).decode()
        self.first = f"n=,r={self.nonce}"
        self.proof_of_server = b""

    def log_in(self) -> None:
        names = f"user\0{self.address.user}\0database\0{self.address.database}\0\0".encode()
        self.wire.put(b"", struct.pack("!i", PROTOCOL) + names)
        while True:
            kind, body = self.wire.next_message()
            match kind:
                case b"R":
                    self._authenticate(struct.unpack_from("!i", body)[0], body[4:])
                case b"K":
                    (self.wire.pid,) = struct.unpack_from("!i", body)
                case b"E":
                    raise ConnectionLost(error_of(body)[1])
                case b"Z":
                    return

    def _authenticate(self, wanted: int, data: bytes) -> None:
        match wanted:
            case 0:
                return
            case 3:
                self.wire.put(b"p", self._password() + b"\0")
            case 5:
                inner = hashlib.md5(self._password() + self.address.user.encode(), usedforsecurity=False)
                outer = hashlib.md5(inner.hexdigest().encode() + data[:4], usedforsecurity=False)
                self.wire.put(b"p", f"md5{outer.hexdigest()}\0".encode())
            case 10 if b"SCRAM-SHA-256" in data.split(b"\0"):
                hello = f"n,,{self.first}".encode()
                self.wire.put(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", len(hello)) + hello)
            case 11:
                self.wire.put(b"p", self._answer(data.decode()))
            case 12:
                if base64.b64decode(data.partition(b"v=")[2]) != self.proof_of_server:
                    raise ConnectionLost("the server does not know the password")
            case _:
                raise ConnectionLost("the server asks for a login of an unknown kind")

    def _password(self) -> bytes:
        if self.address.password is None:
            raise ConnectionLost("the server asks for a password")
        return self.address.password.encode()

    def _answer(self, challenge: str) -> bytes:
        """The client's final message of SCRAM (RFC 5802)."""
        parts = dict(part.split("=", 1) for part in challenge.split(","))
        if not parts["r"].startswith(self.nonce):
            raise ConnectionLost("the server answers another login")
        salted = hashlib.pbkdf2_hmac(
            "sha256", self._password(), base64.b64decode(parts["s"]), int(parts["i"])
        )
        ending = f"c=biws,r={parts['r']}"
        told = f"{self.first},{challenge},{ending}".encode()
        key = _sign(salted, b"Client Key")
        signature = _sign(hashlib.sha256(key).digest(), told)
        self.proof_of_server = _sign(_sign(salted, b"Server Key"), told)
        proof = bytes(a ^ b for a, b in zip(key, signature, strict=True))
        return f"{ending},p={base64.b64encode(proof).decode()}".encode()


def _sign(key: bytes, text: bytes) -> bytes:
    return hmac.new(key, text, "sha256").digest()
