"""Kinds with one server other than nfs: deployed twice, loaded and removed on real kernels."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.result.caches import out_of_caches
from seatrial.service.deploy import apply_plan
from tests.builders.labs import Bench, booted, lab_study, phase
from tests.builders.results import phase as measured

pytestmark = pytest.mark.lab


SOLUTIONS: dict[str, dict[str, Any]] = {
    "smb": {"kind": "smb"},
    "smb-guest": {"kind": "smb", "guest": True, "mount": {"version": 3.0, "cache": "none"}},
    "smb-encrypted": {"kind": "smb", "network": "data", "share": {"encryption": "required"}},
}


SOLUTIONS |= {
    # A client of 4.0 cannot say that it has reclaimed: its first read comes after a grace of one
    # lease.
    "nfs-v40": {"kind": "nfs", "mount": {"version": "4.0"}, "export": {"lease": "20s"}},
    "sshfs": {"kind": "sshfs"},
    "sshfs-direct": {"kind": "sshfs", "mount": {"cache": False, "direct_io": True}},
}


SOAKED = {"smb", "smb-guest", "sshfs-direct"}
"""what differs in a mount option from one that every run has"""


TRIED = [name for name in SOLUTIONS if "SEATRIAL_SOAK" in os.environ or name not in SOAKED]


@pytest.fixture(scope="module", params=TRIED)
def protocol(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    """A lab with one disk and two clients for each of the solutions."""
    folder = tmp_path_factory.mktemp(request.param)
    data = lab_study(f"tests-{request.param}")
    data["nodes"]["nas"]["disks"]["count"] = 1
    data["solution"] = SOLUTIONS[request.param]
    with booted(data, folder) as bench:
        yield bench


def state(path: Path, bench: Bench) -> str:
    """Everything on any node that has the study's name: processes, mounts, files, units, users."""
    name = bench.study.id
    script = (
        f"ps ax -o args | grep '[{name[0]}]{name[1:]}'; grep {name} /proc/mounts /etc/fstab"
        f" /etc/passwd; find / -xdev -name '*{name}*' -not -path '/proc/*'; ls {path} 2>/dev/null"
    )
    answers = [
        bench.ssh.run(node, "sh -s", stdin=script.encode())
        for node in ("nas", *bench.solution.clients)
    ]
    return "".join(answer.stdout for answer in answers)


def test_in_service_loaded_and_out_again(protocol: Bench) -> None:
    """The second deploy changes nothing, the data are read from the disks, and a removal
    leaves nothing.
    """
    first = protocol.seatrial("deploy")
    assert first.returncode == 0, first.stderr
    second = protocol.seatrial("deploy")
    assert second.returncode == 0, second.stderr
    assert "changed" not in second.stderr

    protocol.ssh.run("c1", f"mkdir {protocol.solution.directory}/load")
    written = phase(protocol, "write")
    assert [item.size_bytes for item in written] == [2**20, 2**20]
    apply_plan(protocol.solution.empty_caches(protocol.solution.clients), protocol.ssh)
    read = phase(protocol, "read")
    assert [item.size_bytes for item in read] == [2**20, 2**20]
    assert not [item for item in (*written, *read) if item.damage or item.errors]
    assert out_of_caches(measured(clients=tuple(read)), 0.0) is None
    if protocol.study.id == "tests-nfs-v40":  # once more with full caches: no read crosses a link
        printed = out_of_caches(measured(clients=tuple(phase(protocol, "read"))), 0.0) or ""
        assert re.fullmatch(r"the clients' caches, .*: c1 \([0-9]%\), c2 \([0-9]%\)", printed)

    third = protocol.seatrial("deploy")
    assert "changed" not in third.stderr
    removed = protocol.seatrial("undeploy")
    assert removed.returncode == 0, removed.stderr
    # The server's disks still have the data, and the mark names the study.
    assert (
        state(Path("/var/log/samba/log.smbd"), protocol)
        == f"/var/lib/seatrial/made/{protocol.study.id}\n"
    )
    again = protocol.seatrial("undeploy")
    assert "changed" not in again.stderr

    assert protocol.seatrial("deploy").returncode == 0
    # A server that was stopped and started again lets a client of NFSv4.0 wait for the grace.
    kept = protocol.ssh.run(
        "c2",
        f"cp {protocol.solution.directory}/load/f0000.000 /dev/null && echo kept",
        timeout_s=160,
    )
    assert kept.stdout == "kept\n", kept.stderr
