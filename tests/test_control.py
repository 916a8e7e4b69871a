"""The supervisor's socket: every client with access to it gets an answer, on a slow machine
as well.
"""

import asyncio
import socket
import threading
import time
from pathlib import Path

import pytest

from seatrial.labs.emulation.control import serve_at


def test_every_client_of_the_socket_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when a moment passes between its being there and its listening."""
    path = tmp_path / "control"
    printed = list[bytes]()

    def listen(self: socket.socket, backlog: int) -> None:
        time.sleep(0.3)
        socket.SocketType.listen(self, backlog)

    monkeypatch.setattr(socket.socket, "listen", listen, raising=False)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        await writer.drain()
        writer.close()
        done.set()

    def ask() -> None:
        while not path.exists():
            time.sleep(0.001)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
            client.sendall(b"hello\n")
            printed.append(client.makefile("rb").readline())

    done = asyncio.Event()

    async def main() -> None:
        async with await serve_at(path, answer):
            await asyncio.wait_for(done.wait(), 30)

    asking = threading.Thread(target=ask)
    asking.start()
    asyncio.run(main())
    asking.join(30)
    assert printed == [b"hello\n"]
