"""The servers of existing storage are observed over ssh, without an agent and without a change."""

import time
from dataclasses import dataclass
from typing import Any, cast

import pytest

from seatrial.basics.errors import InputError, RunError
from seatrial.labs.node_state import CACHES, SERVERS
from seatrial.load import site_servers
from seatrial.load.proc_samples import LOOP, Sample, SampleReader, figures
from seatrial.load.telemetry import Watched
from seatrial.report.overview import not_available
from seatrial.transport import Completed, Local, Transport
from tests.builders.fake_lab import Lab
from tests.builders.mounts import solution

NAMES = "interface eth0\ndisk sda\ndisk cciss!c0d0\n"


def sample_text(*, busy: int, received: int, sectors: int, uptime_s: float) -> str:
    """One sample of a server, as `LOOP` prints it."""
    return (
        f"/proc/stat:cpu  {100 + busy} 0 50 800 50 0 0 0 5 5\n"
        f"/proc/stat:processes {70 + busy}\n"
        f"/proc/uptime:{uptime_s} 9.9\n"
        "/proc/net/dev:Inter-|   Receive  |  Transmit\n"
        "/proc/net/dev: face |bytes packets errs drop fifo frame compressed multicast|bytes\n"
        "/proc/net/dev:    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0\n"
        f"/proc/net/dev:  eth0: {received} 1 0 0 0 0 0 0 {2 * received} 1 0 0 0 0 0 0\n"
        f"/proc/net/dev: bond0: {received} 1 0 0 0 0 0 0 {2 * received} 1 0 0 0 0 0 0\n"
        "/proc/net/snmp:Tcp: RtoAlgorithm OutSegs RetransSegs InErrs\n"
        f"/proc/net/snmp:Tcp: 1 500 {40 + busy} 9\n"
        f"/proc/diskstats:   8  0 sda 9 9 {sectors} 9 9 9 {2 * sectors} 9 0 {sectors} 9 0 0\n"
        f"/proc/diskstats:   8  1 sda1 9 9 {sectors} 9 9 9 {sectors} 9 0 {sectors} 9 0 0\n"
        f"/proc/diskstats: 104  0 cciss/c0d0 9 9 {sectors} 9 9 9 0 9 0 0 9 0 0\n"
        "/proc/meminfo:MemAvailable:     500 kB\n"
        "/proc/meminfo:Dirty: 3 kB\n"
        "/proc/meminfo:Writeback:  1 kB\n"
        "end\n"
    )


def samples(text: str) -> list[Sample]:
    """Every complete sample of an output."""
    reader = SampleReader()
    taken = (reader.take(line) for line in text.splitlines())
    return [sample for sample in taken if sample is not None]


def test_the_figures_are_per_second() -> None:
    """The same names and rules as the agent's; only hardware and whole disks count."""
    first = sample_text(busy=0, received=1000, sectors=10, uptime_s=50.0)
    second = sample_text(busy=60, received=1500, sectors=30, uptime_s=52.0)
    before, after = samples(NAMES + first + second)
    assert figures(before, after) == {
        "cpus_busy_share": 1.0,
        "memory_available_bytes": 500 * 1024,
        "memory_dirty_bytes": 4 * 1024,
        "network_received_bytes": 250.0,
        "network_sent_bytes": 500.0,
        "retransmitted_segments": 30.0,
        "processes_started": 30.0,
        "disk_read_bytes": 2 * 20 * 512 / 2.0,
        "disk_written_bytes": 40 * 512 / 2.0,
        "disk_busy_share": 0.01,
    }


def test_without_hardware_the_virtual_interfaces_count() -> None:
    """A container has no other; `lo` never counts."""
    text = sample_text(busy=0, received=1000, sectors=1, uptime_s=1.0)
    (found,) = samples(text)
    assert found.received_bytes == 2000
    assert found.read_bytes is None


def test_an_idle_processor_is_not_busy() -> None:
    """A wait for disks counts as idle."""
    before = Sample(1.0, (100, 0, 50, 800, 50, 0, 0, 0))
    after = Sample(2.0, (160, 0, 60, 815, 55, 0, 0, 10))
    assert figures(before, after)["cpus_busy_share"] == pytest.approx(0.8)


def test_a_server_without_counters_has_no_figures() -> None:
    """A restart of the server between two samples gives none either."""
    nothing = Sample(0.0)
    assert set(figures(nothing, nothing).values()) == {None}
    (found,) = samples("/proc/uptime:5.0 1\nend\n")
    assert found == Sample(5.0)
    restarted = figures(Sample(500.0, received_bytes=10), Sample(3.0, received_bytes=2))
    assert restarted["network_received_bytes"] is None


@dataclass
class Site(Lab):
    """A lab at a site: `oss1` is this machine, and nothing else answers."""

    def site_transport(self, host: str) -> Transport:
        """See `SiteHosts`."""
        return Local() if host == "oss1" else Unreachable()

    def site_command_line(self, host: str, command: str) -> str:
        """See `SiteHosts`."""
        return command


class Unreachable(Local):
    """A host that ssh does not reach."""

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """See `Transport.run`."""
        raise RunError(f"{node}: ssh: connection refused")


def test_a_server_that_does_not_answer_is_listed() -> None:
    """It ends nothing; a server that answers makes the load of servers available."""
    refused = site_servers.refusals(Site(), ["oss1", "oss2"])
    assert refused == {"oss1": None, "oss2": "ssh: connection refused"}
    known = [item.not_available(["c1"]) for item in (CACHES, SERVERS)]
    found = site_servers.without_figures(known, refused)
    assert [item.code for item in found] == ["caches", "site-server"]
    assert found[1].what == "load of the server oss2: ssh: connection refused"
    none = site_servers.without_figures(known, {"oss2": "ssh: connection refused"})
    assert [item.code for item in none] == ["caches", "server-telemetry", "site-server"]
    assert site_servers.without_figures(known, {}) == tuple(known)


def test_a_lab_without_a_site_observes_nothing() -> None:
    """The reason is listed."""
    refused = site_servers.refusals(Lab(), ["oss1"])
    assert refused == {"oss1": "the lab fake has no machines of a site"}
    with site_servers.observing(Lab(), ["oss1"], Watched()):
        pass


def test_a_server_is_observed_over_time() -> None:
    """The figures arrive in every second, until the block ends; the server is this machine."""
    watched = Watched()
    limit_s = time.monotonic() + 60
    with site_servers.observing(Site(), ["oss1"], watched):
        while not (lines := watched.between(0, time.time())) and time.monotonic() < limit_s:
            time.sleep(0.05)
    (line,) = lines["oss1"][:1]
    assert line["memory_available_bytes"] > 0
    assert 0 <= line["cpus_busy_share"] <= 1
    assert line["network_received_bytes"] is not None
    assert line["unix_s"] == pytest.approx(time.time(), abs=60)


def test_the_loop_changes_nothing() -> None:
    """It has no redirection to a file, and no command that writes."""
    words = LOOP.replace("2>/dev/null", "").split()
    assert not [word for word in words if ">" in word]
    assert not {"rm", "cp", "mv", "tee", "touch", "mkdir", "dd"} & set(words)


def test_a_study_names_servers_that_are_no_nodes() -> None:
    """Without the key none is observed."""
    assert solution(servers="oss[1-2]").observed_servers == ("oss1", "oss2")
    assert site_servers.named_servers(cast("Any", solution(servers="oss1"))) == ("oss1",)
    assert site_servers.named_servers(cast("Any", solution())) == ()
    assert solution(servers="oss1").servers == ()
    with pytest.raises(InputError, match="'n2' is a node of this study"):
        solution(servers="n2")


def test_the_report_names_the_reason() -> None:
    """A missing server is no missing root."""
    item: dict[str, Any] = {"code": "site-server", "what": "w", "effect": "e"}
    found = not_available({"not_available": [item]})
    assert found is not None
    assert found.caption == "Not available: servers of the study."
    both = not_available({"not_available": [item, {**item, "code": "caches"}]})
    assert both is not None
    assert both.caption == "Not available: the run had no root on the nodes."
