"""What solutions have in common: where they are, and of those with one network and one mount, both."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.plan.plan import Plan, Stage, Step
from seatrial.plan.site import Site
from seatrial.solutions.parts.steps import mount_note, mtu_towards


@dataclass(frozen=True)
class AtSite:
    """A solution at a site; see `solutions.base.Solution`, of which a kind adds what it is made of."""

    study_id: str
    options: Any
    """the model of the kind"""
    site: Site
    clients: tuple[str, ...]

    @property
    def directory(self) -> str:
        """Where every client has it."""
        return f"/mnt/{self.study_id}"

    @property
    def local_directory(self) -> str:
        """The same, where no server is known to see the storage by itself."""
        return self.directory

    def each_client(self, *steps: Step) -> dict[str, tuple[Step, ...]]:
        """The same steps on every client."""
        return dict.fromkeys(self.clients, steps)

    def mtu_steps(self, *networks: tuple[str, Mapping[str, str]]) -> dict[str, tuple[Step, ...]]:
        """The MTU of each node's link to its peer (a name or an address), on networks of which the study says it."""
        found: dict[str, tuple[Step, ...]] = {}
        for network, peers in networks:
            for name, peer in peers.items() if network in self.site.mtus_asked else ():
                found[name] = (*found.get(name, ()), mtu_towards(self.study_id, peer, self.site.mtus[network]))
        return found

    def planned(self, title: str, stages: Iterable[Stage], warnings: Sequence[str] = ()) -> Plan:
        """A plan of those stages in which somebody has something to do."""
        present = tuple(stage for stage in stages if any(stage.steps.values()))
        return Plan(self.study_id, title, present, tuple(warnings))


@dataclass(frozen=True)
class OneNetwork(AtSite):
    """One with a `network` among its options, on which clients have one mount each."""

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
