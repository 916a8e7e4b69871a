"""A bond and edge switches in a lab: the links that carry the packets of two nodes."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from seatrial.labs.emulation.running_lab import lab_of
from tests.builders.labs import Bench, booted, lab_study

pytestmark = pytest.mark.lab
SENT_S = 3
CARDS = ("vec1", "vec2")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A server with a bond of two links at the core switch, two clients at two edge switches."""
    data = lab_study("tests-switches")
    data["environment"]["scale"] = "1/1000"
    data["nodes"]["nas"]["bonds"] = {"data": {"members": 2}}
    edges = {"switches": 2, "uplinks": 2, "uplink": "10Gbit/s", "nodes": "c[1-2]"}
    data["networks"]["data"]["edges"] = edges
    with booted(data, tmp_path_factory.mktemp("switches")) as made:
        yield made


def told(bench: Bench, node: str, command: str) -> str:
    """The output of a command on a node, which must succeed."""
    done = bench.ssh.run(node, command, timeout_s=120)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def received(bench: Bench) -> list[int]:
    """Bytes that each card of the bond has received."""
    paths = " ".join(f"/sys/class/net/{card}/statistics/rx_bytes" for card in CARDS)
    return [int(line) for line in told(bench, "nas", f"cat {paths}").split()]


def sent_shares(bench: Bench, *clients: str) -> list[float]:
    """The share of each card in what the clients send to the server at the same time."""
    before = received(bench)
    for client in clients:
        told(bench, client, f"iperf3 --client nas --port {port(client)} --time {SENT_S} >/dev/null")
    moved = [after - start for after, start in zip(received(bench), before, strict=True)]
    return [each / sum(moved) for each in moved]


def port(client: str) -> int:
    """The port of the server's iperf3 for a client."""
    return 5200 + int(client.removeprefix("c"))


def uplink_bytes(bench: Bench, edge: int) -> int:
    """Bytes that have left an edge switch by its uplinks."""
    pid = str(lab_of(bench.lab.folder).supervisor_pid)
    devices = [f"br1e{edge}u{number}" for number in (1, 2)]
    total = 0
    for device in devices:
        command = ["nsenter", "-t", pid, "-U", "-n", "ip", "-s", "-j", "link", "show", device]
        done = subprocess.run(command, check=True, capture_output=True, timeout=30)
        total += json.loads(done.stdout)[0]["stats64"]["tx"]["bytes"]
    return total


def test_the_packets_of_two_nodes_use_one_link_of_a_bond(bench: Bench) -> None:
    """Two clients use both links, a single client one, and a bond of one link one."""
    told(bench, "nas", "for port in 5201 5202; do iperf3 --server --port $port --daemon; done")
    first = sent_shares(bench, "c1")
    second = sent_shares(bench, "c2")
    assert max(first) > 0.9
    assert max(second) > 0.9
    assert first.index(max(first)) != second.index(max(second))
    bench.lab.bond("nas", "data", 1)
    assert sent_shares(bench, "c1", "c2")[0] > 0.99
    bench.lab.bond("nas", "data", 2)
    assert min(sent_shares(bench, "c1", "c2")) > 0.2


def test_the_bond_answers_as_one_port(bench: Bench) -> None:
    """No packet arrives twice, and a cut link of the node unplugs every cable."""
    answer = told(bench, "c1", "ping -c 5 -i 0.2 nas")
    assert "5 received" in answer
    assert "DUP" not in answer
    bench.lab.link("nas", "data", up=False)
    assert not bench.lab.link_is_up("nas", "data")
    assert bench.ssh.run("c1", "ping -c 2 -W 1 nas", timeout_s=60).exit_code != 0
    bench.lab.link("nas", "data", up=True)
    told(bench, "c1", "ping -c 5 -i 0.5 -W 2 nas | grep -q ' 0% packet loss' || ping -c 5 nas")


def test_data_between_edge_switches_cross_the_uplinks(bench: Bench) -> None:
    """Those of each client's switch, and no others."""
    before = [uplink_bytes(bench, edge) for edge in (1, 2)]
    told(bench, "c1", "ping -c 20 -i 0.05 -s 8000 c2")
    moved = [uplink_bytes(bench, edge) - old for edge, old in zip((1, 2), before, strict=True)]
    assert min(moved) > 20 * 8000
    bench.lab.network("data", up=False)
    assert bench.ssh.run("c1", "ping -c 2 -W 1 c2", timeout_s=60).exit_code != 0
    bench.lab.network("data", up=True)
    told(bench, "c1", "ping -c 5 -W 2 c2")
