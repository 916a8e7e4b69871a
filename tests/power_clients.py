"""Clients of emulated devices, to be run where those can be reached: `python -m tests.power_clients
KIND HOST PORT`.

`ipmi HOST PORT off` prints pyghmi's answer as JSON; `hears HOST PORT` whether anything comes back;
`snmp HOST PORT get OID` and `snmp HOST PORT set OID NUMBER` print the value, or `error N`.
"""

import json
import socket
import sys

from pyghmi.exceptions import IpmiException
from pyghmi.ipmi.command import Command

from seatrial.labs.emulation import snmp
from seatrial.labs.emulation.supervisor_spec import COMMUNITY, PASSWORD, USER

AUTHENTICATION = bytes.fromhex("0600ff07 00 00000000 00000000 09 20 18 c8 81 00 38 8e 04 b5")
SILENCE_S = 1.5


def exchange(host: str, port: int, octets: bytes, timeout_s: float) -> bytes | None:
    """What comes back."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        own.settimeout(timeout_s)
        own.connect((host, port))
        own.send(octets)
        try:
            return own.recv(4096)
        except (TimeoutError, ConnectionRefusedError):
            return None


def ipmi(host: str, port: int, what: str) -> object:
    """Status, or a command; an error as text."""
    try:
        client = Command(bmc=host, userid=USER, password=PASSWORD, port=port)
        return client.get_power() if what == "status" else client.set_power(what, wait=False)
    except IpmiException as error:
        return f"error {error}"


def outlet(host: str, port: int, oid: str, value: int | None, timeout_s: float) -> object:
    """Get, or set."""
    name = tuple(int(part) for part in oid.strip(".").split("."))
    kind = snmp.GET if value is None else snmp.SET
    request = snmp.Message(0, COMMUNITY.encode(), kind, 99, 0, 0, ((name, value),))
    octets = exchange(host, port, request.encode(), timeout_s)
    if octets is None:
        return "outage"
    answer = snmp.Message.decode(octets)
    found = answer.bound[0][1]
    shown = found.decode() if isinstance(found, bytes) else found
    return f"error {answer.error}" if answer.error else shown


def main() -> None:
    """One request."""
    kind, host, port, *rest = sys.argv[1:]
    answer: object
    if kind == "ipmi":
        answer = ipmi(host, int(port), rest[0])
    elif kind == "hears":
        answer = exchange(host, int(port), AUTHENTICATION, SILENCE_S) is not None
    else:
        answer = outlet(host, int(port), rest[1], int(rest[2]) if rest[0] == "set" else None, 10.0)
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
