"""The controller's end of agents that connect to it.

`mpirun` gives its standard input to rank 0 only, and may mix the lines of several tasks in its
output. So the agents of the launcher `mpi` connect to the controller, and each connection carries
the requests to one task and the lines from it. Every connection begins with the key of the step;
the controller closes any other. The data are not encrypted, as those of MPI itself.
"""

import contextlib
import secrets
import selectors
import socket
import struct
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from seatrial.basics.errors import RunError

KEY_VARIABLE = "SEATRIAL_GROUP_KEY"
"""of the environment of each task"""
KEY_BYTES = 16
SEND_TIMEOUT_S = 30
"""an agent that takes no request for this time is lost"""
RECEIVE_BYTES = 1 << 16
CHECK_S = 0.5
"""interval in s of the check for the end"""
LINE_MAX = 1 << 20
"""bytes of a first line; a longer one has no key"""
BACKLOG = 4096
"""connections that may wait; the kernel has its own limit (net.core.somaxconn)"""


@dataclass
class _Connection:
    """The connection of one task."""

    socket: socket.socket
    has_key: bool = False
    line_start: bytearray = field(default_factory=bytearray)
    """received bytes of an unfinished line"""


class Listener:
    """Accepts the tasks of a step, sends the same requests to all, and hands over their lines."""

    def __init__(self, address: str, tasks: int) -> None:
        """Listen on a free port of `address`, for `tasks` connections.

        RunError when the address is none of this machine.
        """
        self.key = secrets.token_hex(KEY_BYTES)
        self._tasks = tasks
        self._accepted = 0
        self._sent: list[bytes] = []
        """what late tasks still need; emptied when every task is connected"""
        self._has_ended = False
        self._connections: list[_Connection] = []
        self._lock = threading.Lock()
        self._is_closing = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._server = _listening(address)
        self._selector.register(self._server, selectors.EVENT_READ)
        port = self._server.getsockname()[1]
        host = f"[{address}]" if ":" in address else address
        self.address = f"{host}:{port}"
        """for the agents, as `host:port`"""
        self._reader: threading.Thread | None = None

    def begin(self, take_line: Callable[[bytes], None]) -> None:
        """Accept tasks, and call `take_line` with each of their lines, in a thread."""
        self._reader = threading.Thread(
            target=self._read, args=(take_line,), daemon=True, name="listener"
        )
        self._reader.start()

    def send(self, data: bytes) -> None:
        """Send to every task, also to those that connect later."""
        with self._lock:
            if self._accepted < self._tasks:
                self._sent.append(data)
            for connection in self._connections:
                self._send_to(connection, data)

    def end(self) -> None:
        """End the input of every task."""
        with self._lock:
            self._has_ended = True
            for connection in self._connections:
                _end_input(connection)

    def close(self, timeout_s: float) -> None:
        """Take what still arrives, at most for `timeout_s`, and close every connection."""
        self._is_closing.set()
        if self._reader is not None:
            self._reader.join(timeout_s)
        with self._lock:
            for connection in self._connections:
                connection.socket.close()
            self._connections.clear()
        self._server.close()

    # ---- in the thread of the reader

    def _read(self, take_line: Callable[[bytes], None]) -> None:
        while not (self._is_closing.is_set() and not self._connections):
            with contextlib.suppress(OSError):  # a socket was closed while this thread waited
                for key, _ in self._selector.select(CHECK_S):
                    if key.data is None:
                        self._accept()
                    else:
                        self._receive(key.data, take_line)
            if self._server.fileno() < 0:
                return

    def _accept(self) -> None:
        opened, _ = self._server.accept()
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        limit = struct.pack("ll", SEND_TIMEOUT_S, 0)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        self._selector.register(opened, selectors.EVENT_READ, _Connection(opened))

    def _receive(self, connection: _Connection, take_line: Callable[[bytes], None]) -> None:
        try:
            data = connection.socket.recv(RECEIVE_BYTES)
        except OSError:
            data = b""
        if not data:
            self._forget(connection)
            return
        *lines, rest = (bytes(connection.line_start) + data).split(b"\n")
        connection.line_start = bytearray(rest)
        if not connection.has_key:
            is_task = bool(lines) and secrets.compare_digest(lines[0], self.key.encode())
            if not is_task and (lines or len(rest) > LINE_MAX):
                self._forget(connection)
                return
            if not is_task:
                return
            self._admit(connection)
            lines = lines[1:]
        for line in lines:
            take_line(line)

    def _admit(self, connection: _Connection) -> None:
        """The connection has the key: it gets all requests so far."""
        with self._lock:
            connection.has_key = True
            self._accepted += 1
            self._connections.append(connection)
            for data in self._sent:
                self._send_to(connection, data)
            if self._has_ended:
                _end_input(connection)
            if self._accepted >= self._tasks:
                self._sent.clear()

    def _forget(self, connection: _Connection) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(connection.socket)
        with self._lock:
            if connection in self._connections:
                self._connections.remove(connection)
        connection.socket.close()

    def _send_to(self, connection: _Connection, data: bytes) -> None:
        """Without its requests a task is useless: its connection ends, which the step notices."""
        try:
            connection.socket.sendall(data)
        except OSError:
            with contextlib.suppress(OSError):
                connection.socket.shutdown(socket.SHUT_RDWR)


def _end_input(connection: _Connection) -> None:
    with contextlib.suppress(OSError):
        connection.socket.shutdown(socket.SHUT_WR)


def _listening(address: str) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            address, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        server = socket.socket(family, kind, protocol)
        try:
            server.bind(place)
            server.listen(BACKLOG)
        except OSError:
            server.close()
            raise
    except OSError as error:
        raise RunError(
            f"the controller cannot listen on {address}: {error.strerror or error}",
            "set SEATRIAL_CONTROLLER_ADDRESS to an address of this machine that the nodes reach",
        ) from None
    return server


def address_towards(nodes: Sequence[str]) -> str:
    """The address of this machine from which it reaches the first node that has an address.

    Connecting a UDP socket sends nothing: it only asks the kernel for the route. Without any known
    node the result is the name of this machine.
    """
    for node in nodes:
        try:
            family, kind, protocol, _, place = socket.getaddrinfo(node, 9, type=socket.SOCK_DGRAM)[
                0
            ]
            with socket.socket(family, kind, protocol) as probe:
                probe.connect(place)
                return str(probe.getsockname()[0])
        except OSError:
            continue
    return socket.gethostname()
