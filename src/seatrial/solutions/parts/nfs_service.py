"""An NFS service that fails over between servers, as cluster resources.

It uses either the distribution's agents or one lightweight agent.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.plan.plan import Step, command_step, write_file
from seatrial.solutions.parts.nfs_ha_options import Options
from seatrial.solutions.parts.pacemaker import Operation, Resource

AGENT = Path(__file__).parent / "agents" / "nfs-service"
AGENT_PATH = "/usr/lib/ocf/resource.d/seatrial/nfs-service"
MOUNT_OPTIONS = "noatime"
OWN_S = 60
"""seconds for the agent itself, at most: about a hundred process starts on a busy server"""
STORAGE_PATIENCE = 2
"""A storage with a path that works is busy. It has this multiple of the time without any path."""


@dataclass(frozen=True)
class NfsService:
    """One service: a volume group, a file system on it, its export, its address."""

    name: str
    number: int
    """from 1; the fsid of its export"""
    volume: str
    directory: str
    address: str
    """with its prefix length: 10.10.200.1/16"""
    scope: str
    options: Options
    servers: tuple[str, ...]
    """all servers that can run it"""
    references: tuple[str, ...]
    """nodes that answer while the public network works"""

    @property
    def device(self) -> str:
        """The logical volume."""
        return f"/dev/{self.volume}/{self.name}"

    @property
    def host(self) -> str:
        """The address without its prefix length."""
        return self.address.partition("/")[0]

    @property
    def clients(self) -> str:
        """The clients of the export: the network of its address."""
        return str(ipaddress.ip_interface(self.address).network)

    @property
    def export_path(self) -> str:
        """The path that clients mount."""
        return f"{self.directory}/export"

    @property
    def _interface(self) -> str:
        """The servers' card for the address: one name on all servers."""
        return self.options.interface or self.options.public

    @property
    def _export(self) -> str:
        squash = "root_squash" if self.options.export.root_squash else "no_root_squash"
        return f"rw,{self.options.export.mode},{squash},no_subtree_check"

    def lightweight(self) -> tuple[Resource, ...]:
        """The lightweight agent as one resource; of two services each has a network namespace."""
        options = self.options
        timers = self.options.timers
        parameters = {
            "volume": self.volume,
            "device": self.device,
            "directory": self.directory,
            "export": self._export,
            "clients": self.clients,
            "options": MOUNT_OPTIONS,
            "fsid": str(self.number),
            "address": self.address,
            "interface": self._interface,
            "threads": str(options.export.threads),
            "lease": str(timers.lease_s),
            "patience": str(STORAGE_PATIENCE * timers.path_retry_s),
            "pathless": str(timers.path_retry_s),
            "scope": self.scope,
            "servers": " ".join(self.servers),
            "references": " ".join(self.references),
            **({} if len(options.services) == 1 else {"namespace": self.name}),
        }
        operations = (
            Operation("start", OWN_S),
            Operation("stop", OWN_S, on_fail="fence"),
            Operation("monitor", OWN_S, timers.monitor_s),
            # The agent itself limits the time of the storage, so that a busy server does not count
            # as one without storage.
            Operation(
                "monitor",
                OWN_S + STORAGE_PATIENCE * timers.path_retry_s,
                timers.monitor_s + 1,
                on_fail="fence",
                depth=10,
            ),
        )
        return (
            Resource(f"{self.name}-service", "ocf:seatrial:nfs-service", parameters, operations),
        )

    def distribution(self) -> tuple[Resource, ...]:
        """The agents that vendors support, in order; client notifications follow the address."""
        timers = self.options.timers
        watch = Operation("monitor", 60, max(timers.monitor_s, 10))
        return (
            self._volume_agent(watch),
            self._file_system_agent(watch),
            self._server_agent(watch),
            self._export_agent(watch),
            self._address_agent(),
            self._agent(
                "notify", "nfsnotify", {"source_host": self.host}, Operation("monitor", 60, 30)
            ),
        )

    def _agent(
        self, part: str, name: str, parameters: Mapping[str, str], *watches: Operation
    ) -> Resource:
        """A resource agent of the distribution. A part that does not stop is fenced."""
        start = Operation("start", 90)
        stop = Operation("stop", 90, on_fail="fence")
        return Resource(
            f"{self.name}-{part}",
            f"ocf:heartbeat:{name}",
            dict(parameters),
            (start, stop, *watches),
        )

    def _volume_agent(self, watch: Operation) -> Resource:
        parameters = {"vgname": self.volume, "vg_access_mode": "system_id"}
        return self._agent("volume", "LVM-activate", parameters, watch)

    def _file_system_agent(self, watch: Operation) -> Resource:
        timers = self.options.timers
        parameters = {
            "device": self.device,
            "directory": self.directory,
            "fstype": "xfs",
            "options": MOUNT_OPTIONS,
        }
        # The storage may not answer for this time before the server is fenced.
        deep = Operation(
            "monitor",
            timers.path_retry_s + 10,
            max(timers.monitor_s, 10) + 1,
            on_fail="fence",
            depth=10,
        )
        return self._agent("filesystem", "Filesystem", parameters, watch, deep)

    def _server_agent(self, watch: Operation) -> Resource:
        parameters = {
            "nfs_shared_infodir": f"{self.directory}/nfs-state",
            "nfs_no_notify": "true",
            "nfs_server_scope": self.scope,
        }
        return self._agent("server", "nfsserver", parameters, watch)

    def _export_agent(self, watch: Operation) -> Resource:
        parameters = {
            "clientspec": self.clients,
            "directory": self.export_path,
            "options": self._export,
            "fsid": str(self.number),
            "unlock_on_stop": "0",
            "wait_for_leasetime_on_stop": "false",
        }
        return self._agent("export", "exportfs", parameters, watch)

    def _address_agent(self) -> Resource:
        parameters = {
            "ip": self.host,
            "cidr_netmask": self.address.partition("/")[2],
            "nic": self._interface,
            "arp_count": "3",
            "arp_interval": "100",
        }
        watch = Operation("monitor", 30, self.options.timers.monitor_s)
        return self._agent("address", "IPaddr2", parameters, watch)


PUBLIC_LINK = "public-link"
"""resource that tests the public network on each server, and the attribute that it sets"""


def reachable(references: Sequence[str], every_s: int) -> Resource:
    """The clone of this resource."""
    return Resource(
        PUBLIC_LINK,
        "ocf:pacemaker:ping",
        {
            "host_list": " ".join(references),
            "multiplier": "100",
            "attempts": "2",
            "timeout": "1",
            "dampen": "2s",
            "name": PUBLIC_LINK,
        },
        (Operation("start", 60), Operation("stop", 20), Operation("monitor", 60, every_s)),
    )


def keeps_away(group: str) -> str:
    """The rule that keeps a service away from a server without the public network."""
    rule = f"{group}-needs-{PUBLIC_LINK}"
    return (
        f'<rsc_location id="{rule}" rsc="{group}"><rule id="{rule}-rule" score="-INFINITY"'
        f' boolean-op="or"><expression id="{rule}-defined" attribute="{PUBLIC_LINK}"'
        f' operation="not_defined"/><expression id="{rule}-reached" attribute="{PUBLIC_LINK}"'
        ' operation="lte" value="0" type="number"/></rule></rsc_location>'
    )


def prefers(group: str, server: str) -> str:
    """The rule that a service starts on its preferred server; it does not fail back."""
    return f'<rsc_location id="{group}-prefers" rsc="{group}" score="10" node="{server}"/>'


def agent_step() -> Step:
    """Install the lightweight agent."""
    return write_file(
        AGENT_PATH,
        AGENT.read_text(encoding="ascii"),
        title="install the lightweight resource agent",
        mode="755",
        reason="one agent with few processes takes over sooner than the distribution's many",
    )


def volume_steps(service: NfsService, device: str, wipe: bool) -> list[Step]:
    """Create the volume group and the file system once; `device` is the LUN over all its paths."""
    volume = service.volume
    place = f"/run/seatrial-{service.volume}"
    made = f"vgs --foreign --noheadings -o tags {volume} 2>/dev/null | grep -q seatrial-made"
    erase = command_step(
        f"erase the signatures on {device}, as --wipe allows",
        f"{made} || must_be_blank {device}",
        f"wipefs --all {device}",
    )
    return [
        *([erase] if wipe else []),
        command_step(
            f"create the volume group {volume} and an XFS file system on {device}",
            made,
            f"must_be_blank {device}\n"
            f"vgcreate -q -y --setautoactivation n {volume} {device}\n"
            f"lvcreate -q -y -W n -n {service.name} -l 100%FREE {volume}\n"
            f"mkfs.xfs -q -L {volume[:12]} {service.device}\n"
            f"mkdir -p {place}\nmount -t xfs {service.device} {place}\n"
            f"mkdir {place}/export && chmod 1777 {place}/export\n"
            f"cp -a /var/lib/nfs {place}/nfs-state\nmkdir -p {place}/nfs-state/nfsdcld\n"
            # The distribution's agents look for statd's lists where Red Hat has them, and on Debian
            # notify no client.
            f"[ -e {place}/nfs-state/statd ] || ln -s . {place}/nfs-state/statd\n"
            f"umount {place}\nrmdir {place}\nvgchange -q -an {volume}\n"
            f"vgchange -q --addtag seatrial-made {volume}",
            reason="created on one server and released: from now on only the cluster activates it",
        ),
    ]
