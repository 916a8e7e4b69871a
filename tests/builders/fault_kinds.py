"""The actions of each kind of fault, and their undo."""

from typing import Any

from seatrial.faults.base import (
    Action,
    Bus,
    Disk,
    Emulator,
    Link,
    Mtu,
    Network,
    Power,
    Revive,
    Shell,
    Switchover,
    Wait,
)
from seatrial.faults.probe import Probe
from seatrial.result.evidence import Sign

NO_NFSD = Probe(
    "read -r threads 2>/dev/null </proc/fs/nfsd/threads; [ ${threads:-0} = 0 ]", Sign.PROCESS_GONE
)
KINDS: list[tuple[str, dict[str, Any], tuple[Action, ...], tuple[Action, ...]]] = [
    (
        "panic",
        {},
        (Shell("nas", "echo c >/proc/sysrq-trigger", expect_answer=False),),
        (Revive("nas", 40.0),),
    ),
    ("power-cut", {"node": "passive"}, (Power("c4", "off"),), (Power("c4", "on"),)),
    ("freeze", {"node": "c1"}, (Power("c1", "frozen"),), (Power("c1", "thawed"),)),
    ("power-bus", {"pdu": "pdu-a"}, (Bus("pdu-a", live=False),), (Bus("pdu-a", live=True),)),
    (
        "fence-device",
        {"network": "private"},
        (Link("nas-bmc", "private", up=False),),
        (Link("nas-bmc", "private", up=True),),
    ),
    (
        "fence-device",
        {"device": "pdu-a", "mode": "slow", "delay": "9s"},
        (Emulator("pdu-a", "slow", 9.0),),
        (Emulator("pdu-a", "ok"),),
    ),
    (
        "storage-path",
        {"network": "san1"},
        (Link("nas", "san1", up=False),),
        (Link("nas", "san1", up=True),),
    ),
    (
        "storage-paths",
        {"networks": ["san1", "san2"]},
        (Link("nas", "san1", up=False), Link("nas", "san2", up=False)),
        (Link("nas", "san2", up=True), Link("nas", "san1", up=True)),
    ),
    (
        "public-link",
        {"network": "data"},
        (Link("nas", "data", up=False),),
        (Link("nas", "data", up=True),),
    ),
    (
        "switch",
        {"network": "private"},
        (Network("private", up=False),),
        (Network("private", up=True),),
    ),
    ("heartbeat", {}, (Link("nas", "private", up=False),), (Link("nas", "private", up=True),)),
    (
        "array-controller",
        {"node": "c3", "network": "san1"},
        (Link("c3", "san1", up=False),),
        (Link("c3", "san1", up=True),),
    ),
    ("local-disk", {"fail": "f", "repair": "m"}, (Shell("nas", "f"),), (Shell("nas", "m"),)),
    ("switchover", {}, (Switchover("storage", "c4"),), ()),
    ("service-dead", {"daemon": "nfsd"}, (Shell("nas", "rpc.nfsd 0", probe=NO_NFSD),), ()),
    (
        "client-crash",
        {"clients": "c2"},
        (Power("c2", "off"),),
        (Power("c2", "on"),),
    ),
    (
        "shell",
        {"node": "c3", "command": "f", "repair": "m"},
        (Shell("c3", "f"),),
        (Shell("c3", "m"),),
    ),
    (
        "link-flaps",
        {"network": "san1", "down": "2s", "up": "3s", "times": 2},
        (
            Link("nas", "san1", up=False),
            Wait(2.0),
            Link("nas", "san1", up=True),
            Wait(3.0),
            Link("nas", "san1", up=False),
            Wait(2.0),
            Link("nas", "san1", up=True),
        ),
        (Link("nas", "san1", up=True),),
    ),
    (
        "mtu",
        {"network": "data", "mtu": 1500},
        (Mtu("nas", "data", 1500),),
        (Mtu("nas", "data", None),),
    ),
    (
        "slow-disk",
        {"node": "nas", "disk": 3, "requests_per_s": 4},
        (Disk("nas", 3, None, 4.0),),
        (Disk("nas", 3),),
    ),
    (
        "several",
        {
            "parts": [
                {"kind": "fence-device", "mode": "dead"},
                {"kind": "fence-device", "device": "pdu-a", "mode": "dead"},
                {"kind": "freeze"},
            ],
            "delay": "2s",
            "repaired": "first-first",
        },
        (
            Emulator("nas-bmc", "dead"),
            Wait(2.0),
            Emulator("pdu-a", "dead"),
            Wait(2.0),
            Power("nas", "frozen"),
        ),
        (Emulator("nas-bmc", "ok"), Emulator("pdu-a", "ok"), Power("nas", "thawed")),
    ),
    (
        "pair",
        {
            "first": {"kind": "heartbeat"},
            "second": {"kind": "freeze", "node": "passive"},
            "delay": "3s",
        },
        (Link("nas", "private", up=False), Wait(3.0), Power("c4", "frozen")),
        (Power("c4", "thawed"), Link("nas", "private", up=True)),
    ),
]
