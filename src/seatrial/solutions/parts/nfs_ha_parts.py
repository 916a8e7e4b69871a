"""The pair in words for the report, and what its nodes must have installed."""

import ipaddress
from collections.abc import Mapping

from seatrial.plan.plan import Step
from seatrial.solutions.parts.nfs_ha_options import PRESETS, Options
from seatrial.solutions.parts.raid import Array
from seatrial.solutions.parts.steps import need_commands

DISTRIBUTION_LEASE_S = 20
"""with the distribution's agents, what leaves clients time to reclaim their locks; in a busy lab more"""


def describe(options: Options, raid: Array, addresses: Mapping[str, str]) -> list[tuple[str, str]]:
    """What was built, and the settings that were chosen from; `addresses`: of the services."""
    squash = "root_squash" if options.export.root_squash else "no_root_squash"
    levels = "; then ".join(" with ".join(level) for level in options.fencing)
    rows = [
        ("array", f"{raid.describe()}, one LUN a service, by iSCSI over {' and '.join(options.array.networks)}"),
        ("services", ", ".join(f"{name} at {address}" for name, address in addresses.items())),
        ("heartbeat", " and ".join(options.heartbeat)),
        ("fencing", levels),
        ("resource agents", options.agents),
        ("file system", "XFS on LVM, activated by one server at a time (system id)"),
        ("export", f"{options.export.mode}, {squash}, {options.export.threads} nfsd threads"),
        ("mounts", f"NFS v{' and v'.join(options.mount.versions)}, {', '.join(options.mount.options)}"),
        ("settings", f"{options.settings}: {options.timers.text()}"),
    ]
    others = [(name, row) for name, row in PRESETS.items() if name != options.settings]
    return rows + [(f"settings, {name}", f"not used: {row.text()}") for name, row in others]


def directory_step(path: str) -> Step:
    """A mount point on a server."""
    return Step(f"have a place for {path}", f"[ -d {path} ]", f"mkdir -p {path}")


def server_packages() -> Step:
    """What a server of the pair needs."""
    return need_commands(
        {
            "corosync": "corosync",
            "crm_mon": "pacemaker-cli-utils",
            "pacemakerd": "pacemaker",
            "vgchange": "lvm2",
            "mkfs.xfs": "xfsprogs",
            "exportfs": "nfs-kernel-server",
            "fence_ipmilan": "fence-agents",
            "flock": "util-linux",
        }
    )


def client_packages() -> Step:
    """What a client needs."""
    return need_commands({"mount.nfs": "nfs-common"})


def warnings(options: Options, *, hosts: bool) -> list[str]:
    """What the report must say of what was chosen."""
    found = []
    if options.export.mode == "async":
        found.append(
            "The export is async: the server acknowledges writes that are only in its memory. "
            "A failover loses acknowledged data."
        )
    lease_s = options.timers.lease_s
    if options.agents == "distribution" and lease_s < DISTRIBUTION_LEASE_S:
        found.append(
            f"The lease of {lease_s} s is short for the distribution's agents: the grace begins when nfsd starts, "
            "and the address comes after it. Where it comes too late, clients lose their locks."
        )
    for name, service in options.services.items() if hosts else ():
        network = ipaddress.ip_interface(service.address).network
        found.append(f"{name} is exported to all of {network}, not to the clients of this study alone.")
    if len(options.heartbeat) == 1:
        found.append(
            f"The servers hear each other on {options.heartbeat[0]} alone, as in the paper: when that network "
            "fails, nobody can be fenced over it either, and a second failure stops the service."
        )
    return found
