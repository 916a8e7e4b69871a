"""Base classes of solutions: nodes and plans of all kinds; one network and one mount of most."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.plan.plan import Plan, Stage, Step, command_step
from seatrial.plan.site import Site
from seatrial.solutions.parts.steps import mount_note, mtu_towards


@dataclass(frozen=True)
class AtSite:
    """A solution at a site; see `solutions.base.Solution`. Kinds derive from it."""

    study_id: str
    options: Any
    """the kind's model of its options"""
    site: Site
    clients: tuple[str, ...]

    @property
    def directory(self) -> str:
        """The mount point on every client."""
        return f"/mnt/{self.study_id}"

    @property
    def local_directory(self) -> str:
        """The mount point, as no server has another path to the storage."""
        return self.directory

    def each_client(self, *steps: Step) -> dict[str, tuple[Step, ...]]:
        """The same steps on every client."""
        return dict.fromkeys(self.clients, steps)

    def mtu_steps(self, *networks: tuple[str, Mapping[str, str]]) -> dict[str, tuple[Step, ...]]:
        """Steps by node that set the MTU of the link to a peer (name or address).

        `networks`: (network, node -> its peer). Networks without an MTU in the study are skipped.
        """
        steps: dict[str, tuple[Step, ...]] = {}
        for network, peers in networks:
            for name, peer in peers.items() if network in self.site.mtus_asked else ():
                mtu = mtu_towards(self.study_id, peer, self.site.mtus[network])
                steps[name] = (*steps.get(name, ()), mtu)
        return steps

    def planned(self, title: str, stages: Iterable[Stage], warnings: Sequence[str] = ()) -> Plan:
        """A plan of the stages that have at least one step."""
        present = tuple(stage for stage in stages if any(stage.steps.values()))
        return Plan(self.study_id, title, present, tuple(warnings))


@dataclass(frozen=True)
class OneNetwork(AtSite):
    """A solution with the option `network` and one mount per client."""

    @property
    def mount_record(self) -> str:
        """The file on a client with a note of its mount."""
        return mount_note(self.study_id)

    @property
    def network(self) -> str:
        """The storage network: the option `network`, or the nodes' data network."""
        return str(self.options.network or self.site.data_network)

    def address(self, name: str) -> str:
        """The name or address of a node on the storage network."""
        node = self.site.nodes[name]
        return node.networks[self.options.network] if self.options.network else node.address

    def caches_emptied(
        self, clients: Iterable[str], meanwhile: Stage, mount: Sequence[Step]
    ) -> Plan:
        """Unmount clients and drop their caches, run the stage `meanwhile`, mount again."""
        path = self.directory
        names = tuple(clients)
        unmount = command_step(
            "unmount",
            f"! grep -q ' {path} ' /proc/mounts",
            f"umount {path}\necho 3 >/proc/sys/vm/drop_caches",
        )
        stages = (
            Stage("unmount", dict.fromkeys(names, (unmount,))),
            meanwhile,
            Stage("mount", dict.fromkeys(names, tuple(mount))),
        )
        return Plan(self.study_id, "empty all caches", stages)
