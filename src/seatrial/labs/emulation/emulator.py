"""The process of one emulator: a management controller or a power distribution unit.

The supervisor starts it in a separate network namespace. It has no state: for every datagram it
asks the supervisor over the lab's control socket whether the device answers, and the supervisor
carries out every request. Without requests it sleeps.

`bmc_emulator` and `pdu_emulator` run as `python -m MODULE CONTROL NAME`, in tests also with a PORT.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, cast

KEEPER_TIMEOUT_S = 600.0


class Device(Protocol):
    """The implementation of a device's protocol."""

    def received(self, octets: bytes, source: Any) -> object:
        """Handle one datagram that the device receives."""

    def restarted(self) -> None:
        """The device has lost its power since the last datagram."""


Ask = Callable[..., Awaitable[dict[str, Any]]]
Send = Callable[[bytes, Any], None]
Make = Callable[[str, Ask, Send], Device]


class Emulator(asyncio.DatagramProtocol):
    """Passes datagrams between network and device, in order, while the device is reachable."""

    def __init__(self, control: str, name: str, make: Make) -> None:
        self._control = control
        self._name = name
        self._boots = 0
        self._waiting: asyncio.Queue[tuple[bytes, Any]] = asyncio.Queue(maxsize=256)
        self._transport: asyncio.DatagramTransport | None = None
        self._device = make(name, self.ask, self._send)

    async def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request to the supervisor; each has a connection, so that none blocks another."""
        reader, writer = await asyncio.open_unix_connection(self._control)
        try:
            writer.write(json.dumps({"name": self._name, **request}).encode() + b"\n")
            async with asyncio.timeout(KEEPER_TIMEOUT_S):
                answer: dict[str, Any] = json.loads(
                    await reader.readline() or b'{"error": "the supervisor is gone"}'
                )
        finally:
            writer.close()
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    async def serve(self) -> None:
        """Pass on datagrams until the process is ended."""
        while True:
            octets, source = await self._waiting.get()
            gate = await self.ask(verb="hears", source=source[0])
            if not gate["answers"]:
                continue
            if gate["boots"] != self._boots:
                self._boots = gate["boots"]
                self._device.restarted()
            self._device.received(octets, source)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The port is open."""
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: Any) -> None:
        """Queue a datagram; when the queue is full it is lost, as on any network."""
        if not self._waiting.full():
            self._waiting.put_nowait((data, addr))

    def _send(self, octets: bytes, address: Any) -> None:
        if self._transport is not None:
            self._transport.sendto(octets, address)


async def run(control: str, name: str, make: Make, port: int) -> None:
    """Open the port, notify the supervisor, serve."""
    emulator = Emulator(control, name, make)
    await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: emulator, local_addr=("0.0.0.0", port)
    )
    await emulator.ask(verb="ready")
    await emulator.serve()


def main(make: Make, port: int) -> None:
    """Serve until the supervisor ends."""
    control, name, *other = sys.argv[1:]
    asyncio.run(run(control, name, make, int(other[0]) if other else port))
