"""Studies with faults: the small study, a pair of servers, and the moment of a fault."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seatrial.basics.event_kinds import EventKind
from seatrial.faults.base import Roles, Scene
from seatrial.labs.base import lab_kind
from seatrial.plan.data_path import DataPath
from seatrial.plan.plan import Plan, Stage, command_step
from seatrial.solutions.base import ClusterStatus, Moment, Storage, Wipe
from seatrial.study.study import Study
from tests.builders.strategies import changed, study

STREAM = {
    "phases": ["write"],
    "transfer_size": "4KiB",
    "file_size": "64MiB",
    "pattern": "random",
    "arrivals_per_s": 20,
}


def broken(
    faults: Mapping[str, Any], load: Mapping[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """The minimal study with faults."""
    data = changed("experiments", {})
    return {
        **data,
        "background_load": load if load is not None else {"small": {"workload": STREAM}},
        "faults": faults,
        **more,
    }


@dataclass
class Pair:
    """A highly available solution of two servers, with its state in a file."""

    folder: Path = Path()
    servers: tuple[str, ...] = ("nas", "c4")
    storage_nodes: tuple[str, ...] = ("nas", "c4")
    clients: tuple[str, ...] = ("c1", "c2")
    cluster_nodes: tuple[str, ...] = ("nas", "c4")
    fenced_nodes: tuple[str, ...] = ("nas", "c4")
    services: tuple[str, ...] = ("storage",)
    layout: str = ""
    restored: list[str] = field(default_factory=list)
    local_directory: str = "/nowhere"
    storage: Storage = field(default_factory=Storage)

    def __post_init__(self) -> None:
        self.directory = str(self.folder / "storage")

    def plan(self, wipe: Wipe) -> Plan:
        return Plan("pair", "nothing", ())

    removal = plan

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        return Plan("pair", "nothing", ())

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        return DataPath(clients, ())

    def parts(self) -> list[tuple[str, str]]:
        return []

    def status_command(self) -> str:
        return f"cat {self.folder}/status"

    def status(self, node: str, answer: str) -> ClusterStatus:
        reported = json.loads(answer)
        return ClusterStatus(reported["active"], reported["healthy"], answer.strip())

    def moments_command(self, since_boot_s: float) -> str:
        return "cut -d' ' -f1 /proc/uptime"

    def moments(self, node: str, answer: str) -> list[Moment]:
        return [
            Moment(float(answer), node, EventKind.DETECTED, "it is gone"),
            Moment(1.0, node, EventKind.DETECTED, "long ago"),
        ]

    def switchover(self, service: str, to: str) -> Plan:
        return Plan("pair", f"{service} to {to}", ())

    def restore(self, node: str) -> Plan:
        self.restored.append(node)
        step = command_step(
            "restore",
            None,
            f'echo \'{{"active": {{"storage": "c4"}}, "healthy": true}}\' >{self.folder}/status',
        )
        return Plan("pair", "restore", (Stage("restore", {node: (step,)}),))


def scene(solution: Any = None, **active: str) -> Scene:
    """The minimal study with two more networks; the first of two servers is active."""
    networks: dict[str, Any] = {"private": {}, "san1": {}, "san2": {}, "data": {}}
    whole = study({**broken({}), "networks": networks})
    site = lab_kind(whole).site(whole)
    solution = solution or Pair()
    return Scene(whole, site, solution, Roles(solution.servers, active or {"storage": "nas"}))


def planned(name: str = "it") -> Study:
    """A study with one fault, for tests that need only one."""
    return study(broken({name: {"kind": "panic"}}))
