"""A switched power distribution unit: the part of an APC rack PDU's SNMP that fence agents use."""

import asyncio
import contextlib
import time
from collections.abc import Mapping
from typing import Any

from seatrial.labs.emulation import snmp
from seatrial.labs.emulation.emulator import Ask, Send, main
from seatrial.labs.emulation.snmp import Oid, Ticks, Value
from seatrial.labs.emulation.supervisor_spec import COMMUNITY

PORT = 161
_SYSTEM: Oid = (1, 3, 6, 1, 2, 1, 1)
_RACK_PDU: Oid = (1, 3, 6, 1, 4, 1, 318, 1, 3, 4, 5)
_PDU: Oid = (1, 3, 6, 1, 4, 1, 318, 1, 1, 12)
_OUTLET_COUNT = (*_PDU, 1, 8, 0)
_CONTROL: Oid = (*_PDU, 3, 3, 1, 1)
_STATUS: Oid = (*_PDU, 3, 5, 1, 1)
_COMMANDS = {1: "on", 2: "off", 3: "reboot"}  # the delayed ones, 4 to 7, are not supported


class Silent(Exception):  # noqa: N818 - no error: the device gives no answer
    """The device does not answer this request."""


class Outlets:
    """The outlet table of one unit; the supervisor has its state."""

    def __init__(self, name: str, ask: Ask, started_s: float) -> None:
        self._name = name
        self._ask = ask
        self._started_s = started_s
        self._known: set[int] = set()

    async def read(self) -> Mapping[Oid, Value | Ticks]:
        """The identity and every outlet."""
        outlets = {
            int(number): item
            for number, item in (await self._require_answer(do="status"))["outlets"].items()
        }
        self._known = set(outlets)
        values: dict[Oid, Value | Ticks] = {
            (*_SYSTEM, 1, 0): b"Seatrial lab, emulated switched rack PDU",
            (*_SYSTEM, 2, 0): _RACK_PDU,
            (*_SYSTEM, 3, 0): Ticks(int((time.monotonic() - self._started_s) * 100)),
            (*_SYSTEM, 5, 0): self._name.encode(),
            _OUTLET_COUNT: len(outlets),
        }
        for number, item in outlets.items():
            state = 1 if item["on"] else 2
            values |= {
                (*_CONTROL, 1, number): number,
                (*_CONTROL, 2, number): item["name"].encode(),
                (*_CONTROL, 4, number): state,
                (*_STATUS, 1, number): number,
                (*_STATUS, 2, number): item["name"].encode(),
                (*_STATUS, 4, number): state,
            }
        return values

    async def learn(self) -> None:
        """Read which outlets exist, outside any request, so that nothing is logged."""
        self._known = {int(number) for number in (await self._ask(verb="outlets"))["outlets"]}

    def may_write(self, oid: Oid, value: Value | Ticks) -> bool | None:
        """Only an outlet's command can be written."""
        if oid[:-1] != (*_CONTROL, 4) or oid[-1] not in self._known:
            return None
        return isinstance(value, int) and value in _COMMANDS

    async def write(self, oid: Oid, value: Value | Ticks) -> None:
        """Switch the outlet."""
        assert isinstance(value, int)
        await self._require_answer(do=_COMMANDS[value], outlet=oid[-1])

    async def _require_answer(self, **request: Any) -> dict[str, Any]:
        answered = await self._ask(verb="emulate", **request)
        if not answered["answers"]:
            raise Silent
        return answered


class Unit:
    """Serves the agent's port; a repeated request that is still in progress is dropped."""

    def __init__(self, name: str, ask: Ask, send: Send) -> None:
        self._name = name
        self._community = COMMUNITY.encode()
        self._ask = ask
        self._send = send
        self._started_s = time.monotonic()
        self._in_work: set[tuple[Any, bytes]] = set()

    def restarted(self) -> None:
        """Power has returned: restart the uptime."""
        self._started_s = time.monotonic()

    def received(self, octets: bytes, source: Any) -> asyncio.Task[None] | None:
        """Handle one datagram."""
        if (source, octets) in self._in_work:
            return None
        self._in_work.add((source, octets))
        return asyncio.get_running_loop().create_task(self._work(octets, source))

    async def _work(self, octets: bytes, source: Any) -> None:
        try:
            with contextlib.suppress(snmp.MalformedError, Silent):
                request = snmp.Message.decode(octets)
                if request.community == self._community:
                    self._send(await self._answer(request, source), source)
        finally:
            self._in_work.discard((source, octets))

    async def _answer(self, request: snmp.Message, source: Any) -> bytes:
        async def ask(**what: Any) -> dict[str, Any]:
            return await self._ask(source=source[0], **what)

        table = Outlets(self._name, ask, self._started_s)
        if request.kind == snmp.SET:
            await table.learn()
        return await snmp.answer(request, table)


if __name__ == "__main__":
    main(Unit, PORT)
