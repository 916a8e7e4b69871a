"""One time on all nodes: a running time service stays, otherwise the plan starts chrony.

Nodes of a lab read the clock of one machine. There the plan starts chrony only where the study
names time servers (docs/decisions/0055-clocks-of-nodes.md).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.basics.text import Address
from seatrial.plan.plan import Plan, Stage, Step, command_step, remove_file, write_file
from seatrial.plan.site import Site
from seatrial.solutions.parts.at_site import AtSite
from seatrial.solutions.parts.steps import (
    need_commands,
    no_service,
    restart_if_active,
    service,
    wait_until,
)

FUNCTIONS = Path(__file__).with_suffix(".sh").read_text(encoding="ascii")
PACKAGES = {"chronyd": "chrony", "chronyc": "chrony"}
SET_LIMIT_S = 60


class Clock(Model):
    """`clock: {servers: [ntp.example.org]}`: the time service of nodes that have none."""

    servers: tuple[Address, ...] = Field(
        (),
        description=(
            "Time servers. A node of the study serves its own time. By default the first server"
            " does."
        ),
    )


@dataclass(frozen=True)
class OneTime(AtSite):
    """A solution with nodes that compare times, such as the members of a cluster."""

    @property
    def storage_nodes(self) -> tuple[str, ...]:
        """The nodes of the storage; the first one may serve its time."""
        raise NotImplementedError

    @property
    def _clocks(self) -> "Clocks":
        nodes = tuple(dict.fromkeys((*self.storage_nodes, *self.clients)))
        return Clocks(self.study_id, self.site, nodes, self.options.clock.servers)

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages that nodes of a lab need in addition to those of every lab."""
        return ("chrony",) if self._clocks.is_set_by_plan else ()

    def with_clocks(self, stages: Sequence[Stage]) -> list[Stage]:
        """The stages of a plan, with the clocks after the first one."""
        clocks = Stage("clocks", self._clocks.steps(), FUNCTIONS)
        return [*stages[:1], clocks, *stages[1:]]

    def retired(self, title: str, stages: Iterable[Stage]) -> Plan:
        """A plan of removal; the time service ends last."""
        return self.planned(title, (*stages, Stage("clocks", self._clocks.removal())))


@dataclass(frozen=True)
class Clocks:
    """The time service of a study."""

    study_id: str
    site: Site
    nodes: tuple[str, ...]
    servers: tuple[str, ...]

    @property
    def is_set_by_plan(self) -> bool:
        """Whether the plan may start a time service."""
        return bool(self.servers) or not self.site.traits.shares_clock

    @property
    def unit(self) -> str:
        """The systemd unit."""
        return f"seatrial-{self.study_id}-clock"

    @property
    def sources(self) -> tuple[str, ...]:
        """The time servers: nodes of the study, and names or addresses of others."""
        return self.servers or self.nodes[:1]

    def steps(self) -> dict[str, tuple[Step, ...]]:
        """Node -> the steps that start its time service."""
        if not self.is_set_by_plan:
            return {}
        return {name: tuple(map(self._unless_kept, self._own(name))) for name in self.nodes}

    def removal(self) -> dict[str, tuple[Step, ...]]:
        """Node -> the steps that end the study's time service."""
        if not self.is_set_by_plan:
            return {}
        ended = (*no_service(self.unit, "stop chrony"), remove_file(self._file))
        return dict.fromkeys(self.nodes, ended)

    @property
    def _file(self) -> str:
        return f"/etc/seatrial/{self.study_id}/chrony.conf"

    def _unless_kept(self, step: Step) -> Step:
        title = f"{step.title}, unless another time service runs"
        return replace(step, title=title, unless=f"clock_kept {self.unit}")

    def _own(self, node: str) -> list[Step]:
        # The service of the package has the time servers of the distribution.
        install = need_commands(PACKAGES, disabled=("chronyd", "chrony", "chronyd"))
        settled = f"clock_set {self.unit}"
        return [
            replace(install, title="install chrony"),
            write_file(
                self._file,
                self.configuration(node),
                title="configure chrony",
                after=restart_if_active(self.unit),
            ),
            *service(
                self.unit,
                "[Unit]\nDescription=one time on all nodes\nAfter=network-online.target\n"
                f"[Service]\nExecStart=/usr/sbin/chronyd -n -u root -f {self._file}\n"
                "Restart=always\n[Install]\nWantedBy=multi-user.target",
                "start chrony",
                reason="no time service runs, and the nodes of a cluster need one time",
            ),
            command_step(
                "wait until the clock is set",
                settled,
                wait_until(settled, SET_LIMIT_S, "the clock is not set"),
            ),
        ]

    def configuration(self, node: str) -> str:
        """The text of chrony.conf on a node; see chrony.conf(5)."""
        lines = ["makestep 0.1 3", "rtcsync", "cmdport 0", f"pidfile /run/{self.unit}.pid"]
        lines.append(f"bindcmdaddress /run/{self.unit}/chronyd.sock")
        serves = node in self.sources
        if serves:
            others = [name for name in self.nodes if name != node]
            lines += [
                "local stratum 10",
                *(f"allow {self._name(other_node, node)}" for other_node in others),
            ]
        # Two nodes that serve their own time never follow each other.
        followed = [
            other_node for other_node in self.sources if not serves or other_node not in self.nodes
        ]
        lines += [f"server {self._name(other_node, node)} iburst" for other_node in followed]
        return "\n".join(lines)

    def _name(self, name: str, towards: str) -> str:
        """The name or address of a node on a network that both are attached to."""
        node = self.site.nodes.get(name)
        if node is None:
            return name
        shared = [
            network for network in node.networks if network in self.site.nodes[towards].networks
        ]
        return node.networks[shared[0]] if shared else node.address
