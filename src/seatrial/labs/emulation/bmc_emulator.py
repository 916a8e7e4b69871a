"""A management controller that speaks IPMI 2.0 (lanplus), based on pyghmi's Bmc class.

Only this module imports pyghmi. It works around these flaws of the class:

- It opens its own socket and thread; here datagrams come from the emulator's loop.
- It never deletes a session: a new session from the same address and port fails.
- It treats every proposed cipher suite as number 3, and then fails at the login; here other suites
  are refused, so that clients propose the next one.
- It answers a chassis command at once or never; here the supervisor may take time.
- Its chassis status lacks the restore policy.
"""

import asyncio
import collections
import traceback
import uuid
from typing import Any

from pyghmi.ipmi.bmc import Bmc
from pyghmi.ipmi.private import serversession, session

from seatrial.labs.emulation.emulator import Ask, Send, main
from seatrial.labs.emulation.supervisor_spec import PASSWORD, USER

PORT = 623
SESSIONS_MAX = 64
_APPLICATION = 6
_CHASSIS = 0
_CHASSIS_STATUS = 1
_CHASSIS_CONTROL = 2
_CONTROLS = {0: "off", 1: "on", 2: "cycle", 3: "reset"}
_RESTORE_ALWAYS_ON = 0b10 << 5
_NOT_IN_THIS_STATE = 0xD5
_NO_SUCH_CONTROL = 0xCC
_NO_SUCH_SUITE = 0x11
_IPMI_2 = 6
_OPEN_SESSION = 0x10
_PLAIN = 0x00


class _Wire:
    """Replaces pyghmi's socket: answers leave through the emulator's loop."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def setblocking(self, _flag: int) -> None:
        """Ignored: nothing blocks here."""

    def sendto(self, octets: bytes, address: Any) -> None:
        """Send one answer."""
        self._send(bytes(octets), address)


class _Session(serversession.ServerSession):  # type: ignore[misc] # pyghmi has no types
    closed = False

    def create_open_session_response(self, request: bytearray) -> bytearray:
        """Accept cipher suite 3 (SHA-1 and AES) only."""
        accepted: bytearray = super().create_open_session_response(request)
        proposed = [request[index] & 0x3F for index in (12, 20, 28)]
        other = proposed != [1, 1, 1]
        return (
            bytearray([request[0], _NO_SUCH_SUITE, 0, 0]) + self.clientsessionid
            if other
            else accepted
        )

    def close_server_session(self) -> None:
        """Mark a session that the client has closed."""
        self.closed = True


class Controller(Bmc):  # type: ignore[misc] # pyghmi has no types
    """One node's controller; the supervisor carries out chassis commands."""

    def __init__(self, _name: str, ask: Ask, send: Send) -> None:
        # The class's own constructor binds a socket and starts a thread; this sets other fields.
        self.revision = 0
        self.deviceid = 0
        self.firmwaremajor = 1
        self.firmwareminor = 0
        self.ipmiversion = 2
        self.additionaldevices = 0
        self.mfgid = 0
        self.prodid = 0
        self.uuid = uuid.uuid4()
        self.authdata = {USER: PASSWORD}
        # channel 1, IPMI 2.0 sessions only, logins with a user's name
        self.authcap = bytes([0, 1, 0b10000000, 0b00000100, 0b00000010, 0, 0, 0, 0])
        self.kg = None
        self.port = PORT
        self.serversocket = _Wire(send)
        self._ask = ask
        self._sessions: collections.OrderedDict[Any, _Session] = collections.OrderedDict()
        self._in_work: dict[tuple[int, bytes], _Header] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def restarted(self) -> None:
        """Power has returned: delete all sessions."""
        self._sessions.clear()

    def received(self, octets: bytes, source: Any) -> None:
        """Handle one datagram and drop invalid ones; pyghmi does not validate lengths or order."""
        try:
            self._received(bytearray(octets), source)
        except Exception:  # an invalid datagram must not end the controller
            traceback.print_exc()

    def _received(self, packet: bytearray, source: Any) -> None:
        if len(packet) < 16 or packet[0] != 6 or packet[2:4] != b"\xff\x07":
            return
        if packet[4] != _IPMI_2 or packet[5] in (_OPEN_SESSION, _PLAIN):
            self.sessionless_data(packet, source)
            return
        current = self._sessions.get(source)
        if current is not None:
            current._handle_ipmi_packet(packet, sockaddr=source)
            if current.closed:
                self._sessions.pop(source, None)

    def sessionless_data(self, data: bytearray, sockaddr: Any) -> None:
        """Open a session, or answer a request that needs none."""
        if not (data[4] == _IPMI_2 and data[5] == _OPEN_SESSION):
            super().sessionless_data(data, sockaddr)
            return
        self._sessions[sockaddr] = _Session(
            self.authdata, self.kg, sockaddr, self.serversocket, data[16:], self.uuid, bmc=self
        )
        self._sessions.move_to_end(sockaddr)
        session.Session.bmc_handlers.clear()  # pyghmi's own lookup of sessions is not used
        while len(self._sessions) > SESSIONS_MAX:
            self._sessions.popitem(last=False)

    def handle_raw_request(self, request: dict[str, Any], session: Any) -> None:
        """Send chassis commands to the supervisor; pyghmi handles all others."""
        if request["netfn"] == _APPLICATION or request["command"] not in (
            _CHASSIS_STATUS,
            _CHASSIS_CONTROL,
        ):
            super().handle_raw_request(request, session)
            return
        what = "status"
        if request["command"] == _CHASSIS_CONTROL:
            what = _CONTROLS.get(request["data"][0] & 0x0F, "")
        if not what:
            session.send_ipmi_response(code=_NO_SUCH_CONTROL)
            return
        key = (id(session), what.encode())
        repeated = key in self._in_work
        self._in_work[key] = _Header(session)
        if not repeated:  # a client repeats a slow command, which must run only once
            task = asyncio.get_running_loop().create_task(self._carry_out(what, session, key))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry_out(self, what: str, session: Any, key: tuple[int, bytes]) -> None:
        try:
            answered = await self._ask(verb="emulate", source=session.sockaddr[0], do=what)
        finally:
            header = self._in_work.pop(key)
        if not answered["answers"]:
            return
        header.restore()
        if what == "status":
            session.send_ipmi_response(data=[answered["on"] | _RESTORE_ALWAYS_ON, 0, 0])
        else:
            session.send_ipmi_response(code=0 if answered["ok"] else _NOT_IN_THIS_STATE)


class _Header:
    """The header of a session's request; pyghmi keeps only that of the last one."""

    _FIELDS = ("seqlun", "clientaddr", "clientnetfn", "rqlun", "clientcommand")

    def __init__(self, session: Any) -> None:
        self._session = session
        self._values = {name: getattr(session, name) for name in self._FIELDS}

    def restore(self) -> None:
        """Make the next answer belong to this request."""
        for name, value in self._values.items():
            setattr(self._session, name, value)


if __name__ == "__main__":
    main(Controller, PORT)
