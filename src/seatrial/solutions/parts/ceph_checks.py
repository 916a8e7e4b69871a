"""What a study may not ask of `cephfs`: InputError with its place, before any node exists."""

from collections.abc import Mapping

from seatrial.basics.units import format_size
from seatrial.plan.site import Site
from seatrial.solutions.parts.ceph_cluster import CLIENT_LEAST_BYTES
from seatrial.solutions.parts.ceph_options import Options
from seatrial.study.study import Study

HOSTS_LEAST = 3


def check_nodes(study: Study, site: Site, options: Options, key: str, names: tuple[str, ...]) -> None:
    """Each is a node that can do what the key says."""
    where = ("solution", key) if getattr(options, key) else ("solution",)
    for name in names:
        if name not in site.nodes:
            raise study.mistake(where, f"{name!r} is no node of this study")
        if key == "servers" and not site.nodes[name].devices:
            raise study.mistake(where, f"{name!r} has no disks in this study")
        if options.network is not None and options.network not in site.nodes[name].networks:
            raise study.mistake(("solution", "network"), f"{name!r} is not on a network called {options.network!r}")
    if key == "clients" and not names:
        raise study.mistake(where, "no node is left to be a client")


def check_cluster_network(study: Study, site: Site, options: Options, servers: tuple[str, ...]) -> None:
    """Every storage server is on it, and it is another network than the clients'."""
    network, where = options.cluster_network, ("solution", "cluster_network")
    if network is None:
        return
    if network == (options.network or site.data_network):
        raise study.mistake(where, f"{network!r} is the network that clients use; leave it out, or name another one")
    for name in servers:
        if network not in site.nodes[name].networks:
            raise study.mistake(where, f"{name!r} is not on a network called {network!r}")


def check_clients(study: Study, site: Site, everyone: Mapping[str, tuple[str, ...]]) -> None:
    """The kernel's clients are no servers; servers that are clients have OSDs, and ceph-fuse."""
    daemons = {name for key in ("servers", "monitors", "managers", "metadata") for name in everyone[key]}
    for client in everyone["clients"]:
        if client in daemons:
            raise study.mistake(
                ("solution", "clients"),
                f"{client!r} is a server: a client that waits for its own OSD can hang for ever; "
                "name it in server_clients instead, which is a client by ceph-fuse",
            )
        if site.kind == "uml" and site.nodes[client].memory_bytes < CLIENT_LEAST_BYTES:
            least = format_size(CLIENT_LEAST_BYTES)
            raise study.mistake(("nodes",), f"{client!r} is a CephFS client and needs {least} of memory to mount")
    for name in everyone["server_clients"]:
        if name not in everyone["servers"]:
            raise study.mistake(
                ("solution", "server_clients"), f"{name!r} is no storage server; name it among the clients"
            )


def check_width(study: Study, options: Options, hosts: int) -> None:
    """Copies or parts fit so many storage servers."""
    data, where = options.data, ("solution", "data")
    if hosts < HOSTS_LEAST:
        raise study.mistake(
            ("solution",),
            f"{hosts} storage servers are too few, {HOSTS_LEAST} are needed: metadata lie on three hosts, and an OSD "
            "that is lost is marked down when two other hosts say so (with two hosts that takes 900 s)",
        )
    if (data.k is None) != (data.m is None):
        raise study.mistake(where, "say both k and m, or neither")
    if "replicas" in data.model_fields_set and data.k is not None:
        raise study.mistake((*where, "replicas"), "data are copied or erasure-coded; leave out replicas, or k and m")
    if data.width > hosts:
        what = f"{data.k}+{data.m} parts" if data.k else f"{data.replicas} copies"
        raise study.mistake(
            where,
            f"{what} need {data.width} storage servers, there are {hosts}: the failure domain is the host, and each "
            "holds one part of an object at most",
        )
    least = data.k or 1
    if data.min_size is not None and not least <= data.min_size <= data.width:
        raise study.mistake((*where, "min_size"), f"{data.min_size} is not from {least} to {data.width}")
    if data.placement_groups & (data.placement_groups - 1):
        raise study.mistake(
            (*where, "placement_groups"),
            f"{data.placement_groups} is no power of 2: some groups would be twice as large",
        )
    if data.object % 2**16 or not 2**16 <= data.object <= 2**26:
        raise study.mistake((*where, "object"), "write a multiple of 64KiB from 64KiB to 64MiB")
