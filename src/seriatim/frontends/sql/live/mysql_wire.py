"""The protocol of MariaDB and MySQL: sends a statement and reads its reply whenever the caller has time.

As in `wire`, replies are the server's own text. Types are given by the numbers that PostgreSQL has for them,
so that everything else need not know where a value comes from.
"""

import hashlib
import select
import socket
import struct
from dataclasses import dataclass
from time import monotonic

from seriatim.frontends.sql.live.wire import PATIENCE, RECEIVE, Cells, ConnectionLost, Failed, Reply

FOUND_ROWS = 1 << 1
"""Counts the rows that a statement finds, and not only those that it changes."""

WITH_DATABASE, PROTOCOL_41, TLS, TRANSACTIONS, SECURE, PLUGINS = (
    1 << 3,
    1 << 9,
    1 << 11,
    1 << 13,
    1 << 15,
    1 << 19,
)
CAPABILITIES = 1 | FOUND_ROWS | WITH_DATABASE | PROTOCOL_41 | TRANSACTIONS | SECURE | PLUGINS

LARGEST_PACKET = (1 << 24) - 1
UTF8 = 45
NATIVE = "mysql_native_password"

QUERY, CHANGE_DATABASE, RESET_CONNECTION = b"\x03", b"\x02", b"\x1f"

IN_TRANSACTION, MORE_RESULTS = 1, 8

INTEGER_TYPES = frozenset({1, 2, 3, 8, 9})
"""The numbers of TINYINT, SMALLINT, INT, BIGINT and MEDIUMINT."""

DECIMAL_TYPES = frozenset({0, 246})
BIGINT, NUMERIC, TEXT = 20, 1700, 25


@dataclass(frozen=True, slots=True)
class MyAddress:
    """The address of a server."""

    host: str
    """A name, or the path of a socket."""
    port: int
    user: str
    password: str = ""
    database: str = ""


class MyWire:
    """A connection."""

    def __init__(self, address: MyAddress) -> None:
        self.pid = 0
        """The number of the server's thread."""
        self.busy = False
        self.status = "I"
        """Whether the session is idle (I) or in a transaction (T)."""
        self._buffer = b""
        self._sequence = 0
        self._replies: list[Reply] = []
        self._packets: list[bytes] = []
        """The packets of the result that is under way."""
        try:
            self._socket = _connect(address)
        except OSError as error:
            raise ConnectionLost(str(error)) from None
        try:
            self._log_in(address)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._socket.close()

    def send(self, text: str) -> None:
        """Sends a statement, after the reply to the one before."""
        self._command(QUERY + text.encode())

    def reset(self) -> None:
        """Forgets what the session has set: variables, temporary tables, locks by name."""
        self._command(RESET_CONNECTION)
        self._await()

    def run(self, text: str) -> list[Reply]:
        """Executes a statement of ours and waits for it; raises `Failed`."""
        self.send(text)
        return self._await()

    def poll(self, seconds: float) -> list[Reply] | None:
        """The replies; None if there are not all of them after some seconds."""
        until = monotonic() + seconds
        while True:
            while (packet := self._take()) is not None:
                if self._read(packet):
                    self.busy = False
                    return self._replies
            if not select.select([self._socket], [], [], max(0.0, until - monotonic()))[0]:
                return None
            self._receive()

    def _command(self, body: bytes) -> None:
        assert not self.busy, "the last statement has not ended"
        self.busy = True
        self._replies, self._packets = [], []
        self._sequence = 0
        self._put(body)

    def _await(self) -> list[Reply]:
        replies = self.poll(PATIENCE)
        if replies is None:
            raise ConnectionLost("a statement does not end")
        for each in replies:
            if each.error is not None:
                raise Failed(each.error, each.message)
        return replies

    def _put(self, body: bytes) -> None:
        if len(body) >= LARGEST_PACKET:
            raise ConnectionLost("a statement is too long")
        header = len(body).to_bytes(3, "little") + bytes([self._sequence])
        self._sequence = (self._sequence + 1) % 256
        try:
            self._socket.sendall(header + body)
        except OSError as error:
            raise ConnectionLost(str(error)) from None

    def _receive(self) -> None:
        try:
            data = self._socket.recv(RECEIVE)
        except OSError as error:
            raise ConnectionLost(str(error)) from None
        if not data:
            raise ConnectionLost("the server has closed the connection")
        self._buffer += data
        pending = getattr(self._socket, "pending", None)  # As for PostgreSQL.
        if pending is not None and pending():
            self._buffer += self._socket.recv(pending())

    def _take(self) -> bytes | None:
        """The next packet of the buffer, if it is complete."""
        if len(self._buffer) < 4:
            return None
        size = int.from_bytes(self._buffer[:3], "little")
        if len(self._buffer) < size + 4:
            return None
        self._sequence = (self._buffer[3] + 1) % 256
        packet, self._buffer = self._buffer[4 : size + 4], self._buffer[size + 4 :]
        return packet

    def _next(self) -> bytes:
        """Waits for a packet."""
        while (packet := self._take()) is None:
            if not select.select([self._socket], [], [], PATIENCE)[0]:
                raise ConnectionLost("the server does not answer")
            self._receive()
        return packet

    def _read(self, packet: bytes) -> bool:
        """Reads a packet of a reply; whether the reply is complete."""
        kind = packet[:1]
        if kind == b"\xff":
            code, message = _error_of(packet)
            self._replies.append(Reply(error=code, message=message))
            return True
        if not self._packets and kind == b"\xfb":
            self._put(b"")  # It asks for a file of ours, and gets nothing.
            return False
        if not self._packets and kind == b"\x00":
            return self._end(packet)
        self._packets.append(packet)
        ends = [n for n, each in enumerate(self._packets) if n and each[:1] == b"\xfe" and len(each) < 9]
        if len(ends) < 2:
            return False
        columns, rows = self._packets[1 : ends[0]], self._packets[ends[0] + 1 : ends[1]]
        names, types = zip(*map(_column_of, columns), strict=True) if columns else ((), ())
        cells = tuple(_cells(each, len(names)) for each in rows)
        self._replies.append(Reply(f"SELECT {len(cells)}", tuple(names), tuple(types), cells))
        self._packets = []
        (flags,) = struct.unpack_from("<H", packet, 3)
        return self._note(flags)

    def _end(self, packet: bytes) -> bool:
        """Reads the end of a statement without rows."""
        count, at = _number(packet, 1)
        _, at = _number(packet, at)
        (flags,) = struct.unpack_from("<H", packet, at)
        self._replies.append(Reply(f"CHANGE {count}"))
        return self._note(flags)

    def _note(self, flags: int) -> bool:
        self.status = "T" if flags & IN_TRANSACTION else "I"
        return not flags & MORE_RESULTS

    def _log_in(self, address: MyAddress) -> None:
        hello = self._next()
        if hello[:1] == b"\xff":
            raise ConnectionLost(_error_of(hello)[1])
        at = hello.index(b"\0", 1) + 1
        (self.pid,) = struct.unpack_from("<I", hello, at)
        (low,) = struct.unpack_from("<H", hello, at + 13)
        (high,) = struct.unpack_from("<H", hello, at + 18)
        salt = hello[at + 4 : at + 12] + hello[at + 31 : at + 43]
        wanted = CAPABILITIES
        if not address.host.startswith("/") and (low | high << 16) & TLS:
            wanted |= TLS
            self._put(struct.pack("<IIB23x", wanted, LARGEST_PACKET, UTF8))
            self._encrypt(address.host)
        proof = _proof(address.password, salt)
        names = address.user.encode() + b"\0" + bytes([len(proof)]) + proof
        names += address.database.encode() + b"\0" + NATIVE.encode() + b"\0"
        self._put(struct.pack("<IIB23x", wanted, LARGEST_PACKET, UTF8) + names)
        while (reply := self._next())[:1] != b"\x00":
            if reply[:1] == b"\xff":
                raise ConnectionLost(_error_of(reply)[1])
            method, _, salt = reply[1:].partition(b"\0")
            if reply[:1] != b"\xfe" or method.decode("utf-8", "replace") != NATIVE:
                raise ConnectionLost("the server asks for a login of an unknown kind")
            self._put(_proof(address.password, salt.rstrip(b"\0")[:20]))

    def _encrypt(self, host: str) -> None:
        import ssl  # Absent where Python runs in a browser.

        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self._socket = context.wrap_socket(self._socket, server_hostname=host)


def _connect(address: MyAddress) -> socket.socket:
    if not address.host.startswith("/"):
        found = socket.create_connection((address.host, address.port), PATIENCE)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return found
    local = socket.socket(socket.AF_UNIX)
    try:
        local.connect(address.host)
    except OSError:
        local.close()
        raise
    return local


def _proof(password: str, salt: bytes) -> bytes:
    """The proof that the client knows a password, for the plugin `mysql_native_password`."""
    if not password:
        return b""
    once = hashlib.sha1(password.encode(), usedforsecurity=False).digest()
    twice = hashlib.sha1(once, usedforsecurity=False).digest()
    mixed = hashlib.sha1(salt + twice, usedforsecurity=False).digest()
    return bytes(a ^ b for a, b in zip(once, mixed, strict=True))


def _error_of(packet: bytes) -> tuple[str, str]:
    """The number and the message of an error."""
    (code,) = struct.unpack_from("<H", packet, 1)
    message = packet[3:]
    message = message[6:] if message[:1] == b"#" else message
    return str(code), message.decode("utf-8", "replace")


def _number(packet: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, and the place after it."""
    first = packet[at]
    if first < 0xFB:
        return first, at + 1
    size = {0xFC: 2, 0xFD: 3, 0xFE: 8}[first]
    return int.from_bytes(packet[at + 1 : at + 1 + size], "little"), at + 1 + size


def _string(packet: bytes, at: int) -> tuple[bytes, int]:
    size, at = _number(packet, at)
    return packet[at : at + size], at + size


def _column_of(packet: bytes) -> tuple[str, int]:
    """The name and the type of a column."""
    at = 0
    parts: list[bytes] = []
    for _ in range(6):  # Catalogue, schema, table, its own name, name, name of the column.
        part, at = _string(packet, at)
        parts.append(part)
    _, at = _number(packet, at)
    type_ = packet[at + 6]
    number = BIGINT if type_ in INTEGER_TYPES else NUMERIC if type_ in DECIMAL_TYPES else TEXT
    return parts[4].decode("utf-8", "replace"), number


def _cells(packet: bytes, count: int) -> Cells:
    at = 0
    found: list[str | None] = []
    for _ in range(count):
        if packet[at] == 0xFB:
            found.append(None)
            at += 1
            continue
        part, at = _string(packet, at)
        found.append(part.decode("utf-8", "replace"))
    return tuple(found)
