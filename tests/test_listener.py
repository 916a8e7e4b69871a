"""Agents that connect to the controller: their key, the requests to all of them, their lines."""

import queue
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from seatrial.basics.errors import RunError
from seatrial.launchers.listener import Listener, address_towards

WAIT_S = 30.0
Lines = queue.Queue[bytes]


@pytest.fixture
def lines() -> Lines:
    """The lines that arrived."""
    return queue.Queue()


@pytest.fixture
def listener(lines: Lines) -> Iterator[Listener]:
    """A controller that expects two tasks."""
    made = Listener("127.0.0.1", 2)
    made.begin(lines.put)
    yield made
    made.close(WAIT_S)


def task(listener: Listener, key: str | None = None) -> socket.socket:
    """The connection of a task."""
    host, _, port = listener.address.rpartition(":")
    opened = socket.create_connection((host, int(port)), WAIT_S)
    opened.sendall(f"{listener.key if key is None else key}\n".encode())
    return opened


def received(opened: socket.socket, length: int) -> bytes:
    """`length` bytes."""
    data = b""
    while len(data) < length:
        part = opened.recv(length - len(data))
        assert part, "the controller closed the connection"
        data += part
    return data


def test_every_task_gets_every_request_also_a_late_one(listener: Listener) -> None:
    """The second task connects after the first request."""
    with closing(task(listener)) as first:
        listener.send(b"hello\n")
        assert received(first, 6) == b"hello\n"
        with closing(task(listener)) as second:
            assert received(second, 6) == b"hello\n"
            listener.send(b"more\n")
            assert received(first, 5) == received(second, 5) == b"more\n"


def test_lines_arrive_whole(listener: Listener, lines: Lines) -> None:
    """A line in two parts from one task, with a line of the other one between them."""
    with closing(task(listener)) as first, closing(task(listener)) as second:
        first.sendall(b"c1 be")
        second.sendall(b"c2 whole\n")
        assert lines.get(timeout=WAIT_S) == b"c2 whole"
        first.sendall(b"gun\nc1 next\n")
        assert lines.get(timeout=WAIT_S) == b"c1 begun"
        assert lines.get(timeout=WAIT_S) == b"c1 next"


@pytest.mark.parametrize("key", ["", "0" * 32, "x" * (2 << 20)])
def test_a_connection_without_the_key_is_closed(key: str, listener: Listener, lines: Lines) -> None:
    """It gets no request, and none of its lines is taken."""
    listener.send(b"secret\n")
    try:
        with closing(task(listener, key)) as stranger:
            stranger.sendall(b"c1 mine\n")
            assert stranger.recv(1) == b""
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert lines.empty()


def test_the_end_of_the_input_leaves_the_output_open(listener: Listener, lines: Lines) -> None:
    """As with standard input: the task reads the end, and its last line still arrives."""
    with closing(task(listener)) as opened:
        listener.send(b"one\n")
        assert received(opened, 4) == b"one\n"
        listener.end()
        assert opened.recv(1) == b""
        opened.sendall(b"bye\n")
        assert lines.get(timeout=WAIT_S) == b"bye"


def test_a_task_that_is_gone_does_not_hold_up_the_others(listener: Listener) -> None:
    """Its connection ends; the other one gets all requests."""
    with closing(task(listener)) as living:
        task(listener).close()
        for _ in range(100):
            listener.send(b"x" * 1000)
        assert received(living, 100_000) == b"x" * 100_000


def test_the_address_is_that_of_the_route() -> None:
    """A node without an address is left out; without any, the name of the machine remains."""
    assert address_towards(["no-such-node.invalid", "127.0.0.1"]) == "127.0.0.1"
    assert address_towards([]) == socket.gethostname()


def test_an_address_of_another_machine_is_refused() -> None:
    """With the variable that changes it."""
    with pytest.raises(RunError, match=r"cannot listen on 192\.0\.2\.1") as caught:
        Listener("192.0.2.1", 1)
    assert "SEATRIAL_CONTROLLER_ADDRESS" in str(caught.value.hint)
