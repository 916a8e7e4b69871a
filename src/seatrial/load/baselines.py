"""Baselines by component: the rate of each disk, storage path and link, and each pair of MTUs.

Measured before the first experiment, so that a slow disk or a bad cable is found at its place and
not in a file system's figures. Pure: the commands for each node, and the parsing of the answers.
Nothing is written to any device.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import inf, isclose
from typing import Protocol, runtime_checkable

from seatrial.basics.known import all_known
from seatrial.basics.text import is_ipv6
from seatrial.plan.data_path import link_bytes_per_s
from seatrial.plan.site import Site
from seatrial.result.baselines import Baseline, Kind
from seatrial.solutions.base import Solution
from seatrial.study.study import Study

DISK_MIB = 4
PATH_MIB = 8
LINK_S = 1
LINK_TRIES = 40
"""the listener reopens its port after each test, which takes a while on a busy machine"""
LINK_PORT = 5201
"""the partner's first port; links that are measured at the same time have one each"""
LINKS_AT_ONCE = 8
"""maximum number of links that are measured at the same time"""
COMMON_SHARE_MAX = 0.8
"""maximum share of the partner's link, or of an uplink, that links together need when they are
measured at the same time: none of them is slower for it
"""
ALL_ECHOES = "mtu"
"""the batch of all echoes: occasional packets do not affect each other"""
IP_AND_ICMP_HEADER_BYTES = 28
"""IPv4 20 (RFC 791), ICMP echo 8 (RFC 792)."""
IPV6_MORE_BYTES = 20
"""additional header bytes of IPv6 (RFC 8200)"""


@dataclass(frozen=True)
class Probe:
    """A command on one node; for a link, its partner listens on another."""

    kind: Kind
    group: str
    """group for the comparison: `disks of array`"""
    node: str
    command: str
    expected: float | None = None
    """bytes per second; None where the study does not set it"""
    listener: str | None = None
    port: int = LINK_PORT
    """of the listener"""
    batch: str = ""
    """probes with the same batch do not affect each other, and run at the same time; empty: alone
    """
    names: dict[str, str] = field(default_factory=dict)
    """printed name -> shown name"""
    count: int = 0
    """required number of figures; 0 where it is unknown"""
    devices: tuple[str, ...] = ()
    """the disks that it reads, one figure each"""

    def figures(self) -> tuple[str, ...]:
        """The names of the required figures; empty where they are unknown in advance."""
        match self.kind:
            case "disks":
                return tuple(f"{self.node} {device}" for device in self.devices)
            case "links":
                return f"{self.node} to {self.listener}", f"{self.listener} to {self.node}"
            case "mtu":
                return tuple(f"{self.node} and {peer}" for peer in self.names.values())
            case "paths":
                return ()


@runtime_checkable
class StoragePaths(Protocol):
    """A solution with servers that reach an array over more than one path."""

    def path_devices(self) -> str:
        """A shell pattern: the block device of every single path to one LUN, on any server."""

    def path_networks(self) -> tuple[str, ...]:
        """The networks that are the paths."""


def probes(kinds: Sequence[Kind], study: Study, site: Site, solution: Solution) -> list[Probe]:
    """Every measurement, in order."""
    measurements: list[Probe] = []
    if "disks" in kinds:
        measurements += _disks(site, solution)
    if "paths" in kinds and isinstance(solution, StoragePaths):
        measurements += _paths(site, solution)
    if "links" in kinds:
        measurements += _links(study, site, solution)
    if "mtu" in kinds:
        measurements += _mtus(study, site)
    return measurements


def _read(pattern: str, size_mib: int, *, warm: bool) -> str:
    """Read the beginning of every device past this node's cache; `warm`: twice, the second time
    from the array's.
    """
    read = f'LC_ALL=C dd if="$device" of=/dev/null bs=1M count={size_mib} iflag=direct 2>&1'
    first = f"{read} | tail -n 0; " if warm else ""
    return f'for device in {pattern}; do {first}echo "$device $({read} | tail -n 1)"; done'


def _disks(site: Site, solution: Solution) -> Iterator[Probe]:
    for name in solution.storage_nodes:
        node = site.nodes[name]
        if node.devices:
            command = _read(" ".join(node.devices), DISK_MIB, warm=False)
            rate = node.device_rate_bytes_per_s
            yield Probe(
                "disks", f"disks of {name}", name, command, rate, devices=tuple(node.devices)
            )


def _paths(site: Site, solution: Solution) -> Iterator[Probe]:
    if not isinstance(solution, StoragePaths):
        return
    networks = solution.path_networks()
    rates = all_known(
        [link_bytes_per_s(site, name, network) for name in solution.servers for network in networks]
    )
    expected = min(rates) if rates else None
    for server in solution.servers:
        command = _read(solution.path_devices(), PATH_MIB, warm=True)
        count = len(solution.path_networks())
        yield Probe("paths", "storage paths", server, command, expected, count=count)


def _links(study: Study, site: Site, solution: Solution) -> Iterator[Probe]:
    """Each node of a network against one partner: the first server, or the first node where no
    server is on it.
    """
    for network in study.networks:
        members = _members(study, site, network)
        anchor = next(
            (name for name in solution.servers if name in members), members[0] if members else ""
        )
        links = [
            _Link(name, _slower_end(site, network, name, anchor))
            for name in members
            if name != anchor
        ]
        address = site.nodes[anchor].networks[network]
        batches = _link_batches(links, _common_bytes_per_s(site, network, anchor))
        for number, batch in enumerate(batches, start=1):
            for port, link in enumerate(batch, start=LINK_PORT):
                yield Probe(
                    "links",
                    f"links of {network}",
                    link.node,
                    _link_test(address, port),
                    link.bytes_per_s,
                    anchor,
                    port=port,
                    batch=f"links of {network} {number}",
                )


@dataclass(frozen=True)
class _Link:
    """The link of a node, and the rate of its slower end; None where it is unknown."""

    node: str
    bytes_per_s: float | None


def _slower_end(site: Site, network: str, node: str, partner: str) -> float | None:
    rates = [link_bytes_per_s(site, name, network) for name in (node, partner)]
    known_rates = [rate for rate in rates if rate]
    return min(known_rates) if len(known_rates) == 2 else None


def _common_bytes_per_s(site: Site, network: str, partner: str) -> float | None:
    """The rate that all links to a partner have in common: its own link, or one uplink."""
    partner_bytes_per_s = link_bytes_per_s(site, partner, network)
    edges = site.edges.get(network)
    if partner_bytes_per_s is None or edges is None:
        return partner_bytes_per_s
    return min(partner_bytes_per_s, edges.uplink_bytes_per_s)


def _link_batches(links: Sequence[_Link], common_bytes_per_s: float | None) -> list[list[_Link]]:
    """The links that can be measured at the same time; one at a time where a rate is unknown."""
    limit_bytes_per_s = (common_bytes_per_s or 0.0) * COMMON_SHARE_MAX
    batches: list[list[_Link]] = []
    batch_bytes_per_s = inf
    for link in links:
        needed_bytes_per_s = inf if link.bytes_per_s is None else link.bytes_per_s
        together_bytes_per_s = batch_bytes_per_s + needed_bytes_per_s
        fits = together_bytes_per_s <= limit_bytes_per_s or isclose(
            together_bytes_per_s, limit_bytes_per_s
        )
        if fits and len(batches[-1]) < LINKS_AT_ONCE:
            batches[-1].append(link)
            batch_bytes_per_s = together_bytes_per_s
        else:
            batches.append([link])
            batch_bytes_per_s = needed_bytes_per_s
    return batches


def _link_test(address: str, port: int) -> str:
    """sh: the rate to a listener, and then the rate from it."""
    return (
        f"for way in '' --reverse; do for try in $(seq {LINK_TRIES}); do said=$(iperf3"
        f" --client {address} --port {port} --time {LINK_S} --omit 1 $way --json"
        ' --connect-timeout 5000) && break; sleep 0.5; done; echo "$said"; done'
    )


def listen(port: int) -> str:
    """sh: the partner of a link, for any number of tests because an aborted one is retried.

    It prints a line when it is ready, and ends with its input.
    """
    return f"iperf3 --server --port {port} --forceflush 2>&1 & cat >/dev/null; kill 0"


def _mtus(study: Study, site: Site) -> Iterator[Probe]:
    """The largest packet of each network, unfragmented, from each node to all later ones: an echo
    tests both ways.
    """
    for network, about in study.networks.items():
        pairs = list(combinations(_members(study, site, network), 2))
        for node in dict.fromkeys(first for first, _ in pairs):
            names = {
                site.nodes[second].networks[network]: second
                for first, second in pairs
                if first == node
            }
            size = about.mtu - IP_AND_ICMP_HEADER_BYTES
            command = (
                f"for peer in {' '.join(names)}; do {_echo(size, names)} >/dev/null 2>&1; echo"
                ' "$peer $?"; done'
            )
            what = f"{about.mtu} bytes on {network}"
            yield Probe("mtu", what, node, command, batch=ALL_ECHOES, names=names)


def _echo(payload_bytes: int, peers: Iterable[str]) -> str:
    """sh: two echoes of the largest packet to $peer; IPv6 addresses get less payload."""
    ping = "ping -q -M do -c 2 -i 0.2 -W 1 -s"
    if not any(map(is_ipv6, peers)):
        return f"{ping} {payload_bytes} $peer"
    return (
        f"case $peer in *:*) {ping} {payload_bytes - IPV6_MORE_BYTES} $peer ;; *) {ping}"
        f" {payload_bytes} $peer ;; esac"
    )


def _members(study: Study, site: Site, network: str) -> list[str]:
    return [name for name in study.node_names() if network in site.nodes[name].networks]


# ---- answers

_DD = re.compile(r"^(\S+) (\d+) bytes\b.* copied, ([0-9.e+-]+) s")


def read_answer(probe: Probe, answer: str) -> list[Baseline]:
    """The baselines in a probe's output; an unexpected output gives a reason in place
    of a value.
    """
    match probe.kind:
        case "disks" | "paths":
            figures = [_of_dd(probe, line) for line in answer.splitlines()]
            missing = max(probe.count, 1) - len(figures)
            return figures + [failed(probe, f"{missing} of them are missing")] * (missing > 0)
        case "links":
            return _of_iperf3(probe, answer)
        case "mtu":
            return [_of_ping(probe, line) for line in answer.splitlines()]


def failed(probe: Probe, reason: str) -> Baseline:
    """A probe without a figure."""
    name = f"{probe.node} and {probe.listener}" if probe.listener else probe.node
    return Baseline(probe.kind, probe.group, name, None, probe.expected, reason)


def _of_dd(probe: Probe, line: str) -> Baseline:
    match = _DD.match(line)
    device = line.partition(" ")[0]
    path = re.match(r"^/dev/disk/by-path/ip-(.+):\d+-iscsi-", device)
    name = f"{probe.node} to {path[1]}" if path else f"{probe.node} {device}"
    if match is None or float(match[3]) <= 0:
        return Baseline(
            probe.kind,
            probe.group,
            name,
            None,
            probe.expected,
            line.partition(" ")[2] or "no answer",
        )
    return Baseline(probe.kind, probe.group, name, int(match[2]) / float(match[3]), probe.expected)


def _of_iperf3(probe: Probe, answer: str) -> list[Baseline]:
    """The received rates: by the partner from the node, then by the node from the partner."""
    results = []
    rest = answer.strip()
    decoder = json.JSONDecoder()
    for name in probe.figures():
        try:
            test, end = decoder.raw_decode(rest)
            rest = rest[end:].lstrip()
            if test.get("error"):
                raise ValueError(test["error"])
            value = test["end"]["sum_received"]["bits_per_second"] / 8
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            results.append(
                Baseline("links", probe.group, name, None, probe.expected, f"iperf3: {error}")
            )
        else:
            results.append(Baseline("links", probe.group, name, value, probe.expected))
    return results


def _of_ping(probe: Probe, line: str) -> Baseline:
    peer, _, code = line.partition(" ")
    name = f"{probe.node} and {probe.names.get(peer, peer)}"
    if code not in ("0", "1"):  # ping(8): 1 where no answer came; other codes are its own errors
        return Baseline("mtu", probe.group, name, None, 1.0, f"ping ended with {code or 'nothing'}")
    return Baseline("mtu", probe.group, name, 1.0 if code == "0" else 0.0, 1.0)
