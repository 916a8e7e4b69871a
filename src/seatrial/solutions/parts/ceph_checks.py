"""The checks and warnings of the options of `cephfs`.

A check raises InputError with its place before any node exists.
"""

from collections.abc import Mapping, Sequence

from seatrial.basics.units import format_size
from seatrial.plan.site import Site
from seatrial.solutions.parts import ceph_nfs, checks
from seatrial.solutions.parts.ceph_options import CLIENT_LEAST_BYTES, HOSTS_LEAST, Options
from seatrial.solutions.parts.ceph_roles import CephRoles
from seatrial.study.study import Study

MONITORS = (1, 3, 5)
"""accepted numbers of monitors; each tolerates more failures than the smaller ones"""


def check_nodes(
    study: Study, site: Site, options: Options, key: str, names: tuple[str, ...]
) -> None:
    """InputError for a node that cannot have the role of this key."""
    where = ("solution", key) if getattr(options, key) else ("solution",)
    checks.check_nodes(study, site, where, names, options.network)
    for name in names if key == "servers" else ():
        if not site.nodes[name].devices:
            raise study.mistake(where, f"{name!r} has no disks in this study")
    if key == "clients" and not names:
        raise study.mistake(where, "no node is left to be a client")


def check_cluster_network(
    study: Study, site: Site, options: Options, servers: tuple[str, ...]
) -> None:
    """InputError unless every storage server is on this network, and clients use another one."""
    network = options.cluster_network
    where = ("solution", "cluster_network")
    if network is None:
        return
    if network == (options.network or site.data_network):
        problem = f"{network!r} is the clients' network; leave it out, or name another one"
        raise study.mistake(where, problem)
    for name in servers:
        if network not in site.nodes[name].networks:
            raise study.mistake(where, f"{name!r} is not on a network called {network!r}")


def check_clients(study: Study, site: Site, nodes_of_keys: Mapping[str, tuple[str, ...]]) -> None:
    """InputError for a kernel client on a server, or a client on a node without an OSD."""
    kinds = ("servers", "monitors", "managers", "metadata")
    daemons = {name for key in kinds for name in nodes_of_keys[key]}
    for client in nodes_of_keys["clients"]:
        if client in daemons:
            raise study.mistake(
                ("solution", "clients"),
                f"{client!r} is a server: a kernel client that waits for its own OSD can deadlock; "
                "name it in server_clients instead, which uses ceph-fuse",
            )
        if site.traits.sets_memory and site.nodes[client].memory_bytes < CLIENT_LEAST_BYTES:
            least = format_size(CLIENT_LEAST_BYTES)
            raise study.mistake(
                ("nodes",), f"{client!r} is a CephFS client and needs {least} of memory to mount"
            )
    for name in nodes_of_keys["server_clients"]:
        if name not in nodes_of_keys["servers"]:
            raise study.mistake(
                ("solution", "server_clients"),
                f"{name!r} is not a storage server; name it among the clients",
            )


def check_width(study: Study, options: Options, hosts: int) -> None:
    """InputError when copies or parts do not fit the number of storage servers."""
    data = options.data
    where = ("solution", "data")
    if hosts < HOSTS_LEAST:
        raise study.mistake(
            ("solution",),
            f"{hosts} storage servers are too few, {HOSTS_LEAST} are needed: metadata have three "
            "copies on different hosts, and an OSD is marked down when two other hosts report it "
            "(with two hosts this takes 900 s)",
        )
    if (data.k is None) != (data.m is None):
        raise study.mistake(where, "give both k and m, or neither")
    if "replicas" in data.model_fields_set and data.k is not None:
        problem = "data are copied or erasure-coded; leave out replicas, or k and m"
        raise study.mistake((*where, "replicas"), problem)
    if data.width > hosts:
        what = f"{data.k}+{data.m} parts" if data.k else f"{data.replicas} copies"
        raise study.mistake(
            where,
            f"{what} need {data.width} storage servers, there are {hosts}: the failure domain is "
            "the host, and each holds at most one part of an object",
        )
    least = data.k or 1
    if data.min_size is not None and not least <= data.min_size <= data.width:
        raise study.mistake(
            (*where, "min_size"), f"{data.min_size} is not from {least} to {data.width}"
        )
    if data.placement_groups & (data.placement_groups - 1):
        raise study.mistake(
            (*where, "placement_groups"),
            f"{data.placement_groups} is not a power of 2: some groups would be twice as large",
        )
    if data.object_size % 2**16 or not 2**16 <= data.object_size <= 2**26:
        raise study.mistake(
            (*where, "object_size"), "write a multiple of 64KiB from 64KiB to 64MiB"
        )


def warnings(options: Options, monitors: Sequence[str]) -> list[str]:
    """The warnings of the report about the chosen options."""
    texts: list[str] = []
    data = options.data
    if data.width - (data.k or 1) == 0:
        texts.append(
            "There is one copy of every object: the failure of a disk loses its data.",
        )
    if data.least <= (data.k or 1) < data.width:
        texts.append(
            f"min_size is {data.least}: without any redundancy left clients can still write, "
            "and the failure of one more disk loses these data."
        )
    if options.nfs and options.nfs.export.mode == "async":
        texts.append(
            "The NFS export is async: if its server fails, acknowledged data are lost.",
        )
    if len(monitors) == 1:
        texts.append(
            f"There is one monitor: if {monitors[0]} fails, the storage stops.",
        )
    if options.timers.preset == "fast":
        texts.append(
            "Servers are declared down sooner than by Ceph's defaults: "
            "on a busy network this may happen to healthy servers."
        )
    return texts


def check_roles(study: Study, site: Site, options: Options, roles: CephRoles) -> None:
    """InputError when the nodes of the roles do not fit each other or the options."""
    for key, names in roles.of_keys.items():
        check_nodes(study, site, options, key, names)
    if options.nfs:
        taken = (*roles.taken, *roles.clients)
        has_rdma = site.traits.has_rdma
        ceph_nfs.check(study, options.nfs, roles.servers, taken, has_rdma=has_rdma)
    check_width(study, options, len(roles.servers))
    check_cluster_network(study, site, options, roles.servers)
    number = len(roles.monitors)
    if number not in MONITORS:
        problem = f"{number} monitors: use 1, 3 or 5; an even number tolerates no more failures"
        raise study.mistake(("solution", "monitors"), problem)
    check_clients(study, site, roles.of_keys)
    if options.secrets is None and not site.traits.holds_secrets:
        problem = "on real hosts name the keys' files: secrets: {servers: FILE, clients: FILE}"
        raise study.mistake(("solution",), problem)
