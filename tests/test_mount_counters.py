"""The counters of a client's mount, read from real outputs of NFS and Lustre clients."""

from dataclasses import replace
from typing import Any, cast

import pytest

from seatrial.load.client_counters import between, readings
from seatrial.load.mount_counters import Counters, MountCounters, grown, read_counters
from seatrial.report.mount_counters import table
from seatrial.transport import Completed, Local
from tests.builders.mounts import solution
from tests.builders.places import DATA

COUNTERS = DATA / "mount-counters"
"""its README names the sources"""


def read(path: str, name: str, more: str = "") -> MountCounters | None:
    """The counters of the mount that holds a path, as a client with this output has them."""
    return read_counters(f"{path}\n{(COUNTERS / name).read_text()}{more}")


def test_operations_of_nfs_before_errors_were_counted() -> None:
    """Version 1.0 has 8 fields; a transmission more than requests is a retransmission."""
    found = read("/mnt/nfsv3/scratch", "nfs-rpc-1.0.txt")
    assert found is not None
    assert (found.filesystem, found.mount) == ("nfs", "/mnt/nfsv3")
    assert found.operations["WRITE"] == Counters(8, 8, 0, 1049728, 1088, 56.0, 125.0, None)
    assert found.operations["NULL"].transmissions == 2
    assert "READDIRPLUS" in found.operations
    assert found.operations["READ"].requests == 0


def test_operations_of_nfs_over_rdma_with_several_connections() -> None:
    """Version 1.1 has the errors; the lines of the connections are no operations."""
    found = read("/storage/group", "nfs-rdma-nconnect.txt")
    assert found is not None
    assert found.operations["LOOKUP"].errors == 90189
    write = found.operations["WRITE"]
    assert (write.requests, write.rtt_ms, write.total_ms) == (3304938, 50317800.0, 1246575394.0)
    assert len(found.operations) == 9


def test_the_last_mount_on_a_point_counts() -> None:
    """It hides the earlier one."""
    found = read("/storage/icds/run", "nfs-rdma-nconnect.txt")
    assert found is not None
    assert found.operations["GETATTR"].requests == 1504197


@pytest.mark.parametrize("path", ["/home", "/mnt/nfsv3-other", "/mnt", ""])
def test_a_path_outside_the_mounts_has_no_counters(path: str) -> None:
    """A name that begins like a mount point is another directory."""
    assert read(path, "nfs-rpc-1.0.txt") is None


def test_a_blank_in_a_mount_point_is_escaped() -> None:
    """The kernel writes it as an octal number."""
    line = "device nas:/x mounted on /my\\040data with fstype nfs4 statvers=1.1\n"
    found = read("/my data", "nfs-rpc-1.0.txt", f"{line}\t        READ: 5 6 0 1 2 3 4 5 0\n")
    assert found is not None
    assert (found.mount, found.operations["READ"].transmissions) == ("/my data", 6)


def test_the_file_system_of_lustre_is_found_by_its_name() -> None:
    """Another file system of the same client does not count."""
    stats = (COUNTERS / "lustre-llite-stats.txt").read_text().splitlines()
    own = [f"/proc/fs/lustre/llite/lustrefs-ffff88105db50000/stats:{line}" for line in stats]
    other = ["/proc/fs/lustre/llite/home-ffff8810/stats:open   7 samples [regs]"]
    mounted = "device 172.20.20.1@o2ib:/lustrefs mounted on /lustre with fstype lustre"
    found = read_counters("\n".join(["/lustre/scratch", mounted, *own, *other]))
    assert found is not None
    assert (found.filesystem, found.mount) == ("lustre", "/lustre")
    assert found.operations["write_bytes"].sent_bytes == 93813797294080
    assert found.operations["read_bytes"].received_bytes == 4194304
    assert found.operations["open"] == Counters(136)
    assert "snapshot_time" not in found.operations
    assert read_counters("\n".join(["/lustre/scratch", mounted])) is None


def test_newer_clients_of_lustre_count_times() -> None:
    """The unit states whether the sum is a time."""
    line = "/proc/fs/lustre/llite/fs-0/stats:getattr  4 samples [usecs] 7 1000 2000 1000049"
    found = read_counters(f"/l\ndevice a@tcp:/fs mounted on /l with fstype lustre\n{line}")
    assert found is not None
    assert found.operations["getattr"] == Counters(4, total_ms=2.0)


def test_the_growth_between_two_readings() -> None:
    """Only operations with requests in between; means are per request."""
    before = read("/storage/group", "nfs-rdma-nconnect.txt")
    assert before is not None
    write = before.operations["WRITE"]
    later = replace(
        write,
        requests=write.requests + 10,
        transmissions=(write.transmissions or 0) + 13,
        rtt_ms=(write.rtt_ms or 0.0) + 40.0,
        total_ms=(write.total_ms or 0.0) + 100.0,
    )
    new = Counters(2, 2, 0, 10, 20, 3.0, 4.0, 1)
    after = replace(before, operations={**before.operations, "WRITE": later, "COMMIT": new})
    figures = grown(before, after)
    assert set(figures) == {"WRITE", "COMMIT"}
    found = figures["WRITE"]
    assert (found.requests, found.retransmissions, found.errors) == (10, 3, 0)
    assert (found.mean_rtt_ms, found.mean_ms) == (4.0, 10.0)
    assert (figures["COMMIT"].requests, figures["COMMIT"].errors) == (2, 1)
    remounted = replace(after, mount="/other")
    assert grown(before, remounted) == {}


class Client(Local):
    """A client with one reading more in each answer; `c2` does not answer."""

    def __init__(self) -> None:
        self.requests = 0

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """See `Transport.run`."""
        self.requests += 10
        mounted = "device nas:/x mounted on /gpfs/scratch with fstype nfs4 statvers=1.1"
        operation = f"\t        READ: {self.requests} {self.requests} 0 1 2 3 4 5 0"
        text = f"/gpfs/scratch\n{mounted}\n\tper-op statistics\n{operation}\n"
        return Completed(node, 1 if node == "c2" else 0, text, "")


def test_a_client_without_an_answer_is_left_out() -> None:
    """The others have their figures."""
    client = Client()
    mount = cast("Any", solution())
    before = readings(client, mount, ["n1", "c2"])
    after = readings(client, mount, ["n1", "c2"])
    assert list(before) == ["n1"]
    found = between(before, after)
    assert found["n1"]["operations"]["READ"]["requests"] in (10, 20)
    assert (found["n1"]["filesystem"], found["n1"]["mount"]) == ("nfs4", "/gpfs/scratch")


def test_this_machine_answers_the_command() -> None:
    """Without a network mount below the directory there are no counters, and no error."""
    assert readings(Local(), cast("Any", solution("/nowhere-at-all")), ["localhost"]) == {}


def line(repeat: int, requests: int, rtt_ms: float | None, **more: Any) -> dict[str, Any]:
    """A line of the result."""
    item = {
        "requests": requests,
        "retransmissions": 1,
        "timeouts": 0,
        "errors": None,
        "mean_rtt_ms": rtt_ms,
        "mean_ms": rtt_ms,
    }
    operations = {"WRITE": item, **{f"OP{number}": {**item, "requests": 1} for number in range(6)}}
    clients = {"c1": {"filesystem": "nfs4", "mount": "/m", "operations": operations}}
    about = {"experiment": "seq", "point": {"clients": 1}, "repeat": repeat, "phase": "write"}
    return {**about, "clients": clients, **more}


def test_the_table_has_means_over_all_requests() -> None:
    """The later line counts for a repeat that was measured twice."""
    lines = [line(1, 5, 99.0), line(1, 10, 2.0), line(2, 30, 4.0)]
    found = table("it", lines)
    assert found.groups == ((0, "clients 1, write"),)
    assert found.rows[0] == ("c1", "WRITE", "40", "2", "0", "3.50", "3.50")
    assert len(found.rows) == 4
    assert [column.title for column in found.columns][3:5] == ["retransmitted", "timeouts"]
    assert table("it", []).rows == ()
