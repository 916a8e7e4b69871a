"""What solutions have in common whose clients all have the storage at one path."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.plan.plan import Plan, Stage, Step
from seatrial.plan.site import Site
from seatrial.solutions.parts.steps import mount_note, mtu_towards


@dataclass(frozen=True)
class OneMount:
    """A solution at a site; see `solutions.base.Solution`, of which a kind adds what it is made of."""

    study_id: str
    options: Any
    """the model of the kind"""
    site: Site

    @property
    def directory(self) -> str:
        """Where every client has it."""
        return f"/mnt/{self.study_id}"

    @property
    def local_directory(self) -> str:
        """The same, where no server is known to see the storage by itself."""
        return self.directory

    @property
    def noted(self) -> str:
        """Where a client notes what it has mounted."""
        return mount_note(self.study_id)

    @property
    def network(self) -> str:
        """That of the storage: the one that the options name, or the nodes' data network."""
        return str(self.options.network or self.site.data_network)

    def address(self, name: str) -> str:
        """How others reach a node on it."""
        node = self.site.nodes[name]
        return node.networks[self.options.network] if self.options.network else node.address

    def mtu_steps(self, network: str, peers: Mapping[str, str]) -> dict[str, tuple[Step, ...]]:
        """The MTU of each node's link to its peer (a name or an address), where the study says that of the network."""
        mtu = self.site.mtus[network] if network in self.site.mtus_asked else None
        return {} if mtu is None else {name: (mtu_towards(self.study_id, peer, mtu),) for name, peer in peers.items()}

    def planned(self, title: str, stages: Iterable[Stage], warnings: Sequence[str] = (), **more: Any) -> Plan:
        """A plan of those stages in which somebody has something to do; `more`: other fields of it."""
        present = tuple(stage for stage in stages if any(stage.steps.values()))
        return Plan(self.study_id, title, present, tuple(warnings), **more)

    def caches_emptied(self, clients: Iterable[str], meanwhile: Stage, mount: Sequence[Step]) -> Plan:
        """Clients unmount and forget what they have cached, something is done, and they mount again."""
        path, names = self.directory, tuple(clients)
        unmount = Step(
            "unmount", f"! grep -q ' {path} ' /proc/mounts", f"umount {path}\necho 3 >/proc/sys/vm/drop_caches"
        )
        stages = (
            Stage("unmount", dict.fromkeys(names, (unmount,))),
            meanwhile,
            Stage("mount", dict.fromkeys(names, tuple(mount))),
        )
        return Plan(self.study_id, "empty all caches", stages)
