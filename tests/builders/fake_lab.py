"""A lab that carries nothing out, and lists the requests of faults."""

from dataclasses import dataclass, field
from typing import Any

from seatrial.basics.errors import RunError
from seatrial.faults.injection import Injector
from seatrial.labs.base import lab_kind
from seatrial.service.session import Session
from seatrial.solutions.base import load_solution
from seatrial.transport import Local, OpenSsh
from tests.builders.strategies import study


@dataclass
class Lab:
    """A lab that can do everything, records it, and fails on request."""

    kind: str = "fake"
    reported: list[str] = field(default_factory=list)
    fails: set[str] = field(default_factory=set)
    raises: type[BaseException] = RunError
    up: bool = False
    """its observation of every requested link"""
    ssh_config = None
    transport = OpenSsh(None)

    def _do(self, what: str) -> None:
        self.reported.append(what)
        if what in self.fails:
            raise self.raises(what)

    def power(self, node: str, state: str) -> None:
        self._do(f"{node} {state}")

    def link(self, node: str, network: str, *, up: bool) -> None:
        self._do(f"{node} {network} {up}")

    def network(self, name: str, *, up: bool) -> None:
        self._do(f"{name} {up}")

    def link_is_up(self, node: str, network: str) -> bool:
        return self.up

    def network_is_up(self, name: str) -> bool:
        return self.up

    def emulator(self, name: str, mode: str, delay_s: float = 0.0) -> None:
        self._do(f"{name} {mode} {delay_s:g}")

    def bus(self, pdu: str, *, live: bool) -> None:
        self._do(f"{pdu} {live}")

    def mtu(self, node: str, network: str, mtu: int | None) -> None:
        self._do(f"{node} {network} {mtu}")

    def disk(
        self, node: str, number: int, rate_bytes_per_s: float | None, requests_per_s: float | None
    ) -> None:
        self._do(f"{node} {number} {rate_bytes_per_s} {requests_per_s}")

    def power_log(self) -> list[dict[str, Any]]:
        return [{"unix_s": 1.0, "node": "nas", "what": "on", "by": "operator"}]

    def power_requests(self) -> list[dict[str, Any]]:
        return []

    def down(self) -> None: ...

    def facts(self) -> dict[str, Any]:
        return {}


def injector(lab: Any) -> Injector:
    """On a session with this lab."""
    whole = study()
    site = lab_kind(whole).site(whole)
    return Injector(
        Session(whole, site, load_solution(whole, site), lab, Local()), pause=lambda _: None
    )
