"""The facts of a node for the result: kernel, distribution and packages of storage; the mounts as
the kernel has negotiated them; flow control and offloads of its network cards; its clock.
"""

import shlex
from pathlib import Path

PACKAGES = (
    "beegfs-client",
    "ceph-common",
    "ceph-osd",
    "corosync",
    "gfs2-utils",
    "glusterfs-server",
    "gpfs.base",
    "ksmbd-tools",
    "lustre-client",
    "mdadm",
    "multipath-tools",
    "nfs-kernel-server",
    "nfs-utils",
    "open-iscsi",
    "openssh-server",
    "pacemaker",
    "samba",
    "tgt",
)
"""Debian and Red Hat packages; a node has few of them"""
FUNCTIONS = (Path(__file__).parent / "node_facts.sh").read_text()
SCRIPT = f"{FUNCTIONS}\nnode_facts {shlex.join(PACKAGES)}\n".encode()
"""for `sh -s`: prints one line for each fact, and a last one"""
OF_THE_NODE = frozenset(
    {"addr", "clientaddr", "mountaddr", "mountport", "username", "domain", "uid", "gid", "name"}
)
"""options of mounts that have other values on each node, or name a user"""


def facts_in(text: str) -> dict[str, str]:
    """The facts in the output of SCRIPT; empty where the node did not answer to the end.

    `kernel`, `system`, `storage_software`, `mounts` (of network file systems, with the negotiated
    options), `links` (of network cards) and `clock`, each where it is known.
    """
    values: dict[str, list[str]] = {}
    for line in text.splitlines():
        kind, _, value = line.partition("\t")
        values.setdefault(kind, []).append(value)
    if "end" not in values:
        return {}
    facts = {
        "kernel": values.get("kernel", []),
        "system": values.get("system", []),
        "storage_software": values.get("installed", []),
        "mounts": [_mount(line) for line in values.get("mount", [])],
        "links": values.get("link", []),
        "clock": values.get("clock", []),
    }
    separators = {"mounts": "; ", "links": "; "}
    return {name: separators.get(name, ", ").join(lines) for name, lines in facts.items() if lines}


def _mount(line: str) -> str:
    """A mount without the options that differ between nodes: `/mnt nfs4: rw,vers=4.2`."""
    path, kind, options = line.split(" ", 2)
    common_options = [
        item for item in options.split(",") if item.partition("=")[0] not in OF_THE_NODE
    ]
    return f"{path} {kind}: {','.join(common_options)}"
