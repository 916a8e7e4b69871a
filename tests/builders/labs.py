"""Labs: their studies, the commands on them, and steps that several tests take."""

import contextlib
import copy
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seatrial.cases import ClientGroup
from seatrial.check import prepare
from seatrial.labs.kinds import emulated
from seatrial.labs.kinds.emulated import EmulatedLab
from seatrial.load.agent import run_phase
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.gather import client_result
from seatrial.load.installing import push
from seatrial.load.jobs import JobContext, jobs_of
from seatrial.result.phases import ClientResult
from seatrial.service.session import packages_of
from seatrial.solutions.base import Solution, client_groups_of
from seatrial.study.study import Study, load_study
from seatrial.study.workload import Workload
from seatrial.transport import OpenSsh
from tests.builders.places import STUDIES
from tests.builders.strategies import MINIMAL, text_of
from tests.builders.yaml_texts import loaded

SEATRIAL = Path(sys.prefix) / "bin" / "seatrial"
DISKS = "nas:" + ",".join(f"/dev/ubd{letter}" for letter in "bcdefg")
"""the devices of the server, as `--wipe` names them"""


@dataclass
class Bench:
    """A running lab and its deployed solution."""

    study: Study
    path: Path
    solution: Solution
    lab: EmulatedLab
    ssh: OpenSsh

    def seatrial(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the real command on this study, which finds this lab; on hosts with --yes."""
        changes_hosts = self.study.environment.kind == "hosts" and arguments[0] in {
            "deploy",
            "undeploy",
            "run",
        }
        return command(*arguments, *(["--yes"] if changes_hosts else []), str(self.path))


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the real command, with its output piped."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "300"}
    return subprocess.run(
        [str(SEATRIAL), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=1200,
        check=False,
    )


@contextlib.contextmanager
def booted(
    data: dict[str, Any], folder: Path, *, packages: tuple[str, ...] = ()
) -> Iterator[Bench]:
    """The lab of a study, up until the end of the block; its image has these further packages."""
    path = folder / "study.yaml"
    path.write_text(text_of(data))
    study = load_study(path)
    site, solution = prepare(study)
    lab = emulated.up(
        study,
        systemd_nodes=solution.storage_nodes,
        name=study.id,
        console=folder / "console",
        detached=False,
        say=print,
        packages=(*packages_of(study, site), *packages),
    )
    try:
        yield Bench(study, path, solution, lab, OpenSsh(lab.ssh_config))
    finally:
        lab.down()


def lab_study(name: str, clients: int = 2) -> dict[str, Any]:
    """The small study with `clients` clients."""
    data = copy.deepcopy(MINIMAL)
    data["id"] = name
    # fio and its libraries need more than the 128 MiB that the agent is content with.
    client = {**data["nodes"]["c[1-4]"], "memory": "256MiB"}
    data["nodes"] = {"nas": data["nodes"]["nas"], f"c[1-{clients}]": client}
    return data


def array_group(**solution: Any) -> dict[str, Any]:
    """The shipped study with three nodes, and with these options."""
    data = loaded((STUDIES / "gfs-equallogic" / "study.yaml").read_text())
    data = {key: data[key] for key in ("schema", "environment", "networks", "nodes", "solution")}
    data["id"] = f"group-{os.getpid()}"
    data["nodes"]["c[1-3]"] = data["nodes"].pop("c[1-4]")
    del data["nodes"]["c[5-6]"]
    data["nodes"]["ps[1-2]"] = data["nodes"].pop("ps[1-3]")
    data["solution"] = {
        key: value for key, value in data["solution"].items() if key != "spare_members"
    } | solution
    return data


def nfs_ha_pair() -> dict[str, Any]:
    """The smallest highly available pair of the shipped ones."""
    data = loaded((STUDIES / "nss-ha-async" / "study.yaml").read_text())
    return {key: data[key] for key in ("schema", "environment", "networks", "nodes", "solution")}


def three_servers() -> dict[str, Any]:
    """The shipped study's lab with three storage servers with a disk each, and two clients."""
    data = loaded((STUDIES / "gpfs-nsd" / "study.yaml").read_text())
    data = {key: data[key] for key in ("schema", "environment", "networks")} | {"id": "tests-ceph"}
    data["environment"]["scale"] = "1/20"
    data["nodes"] = {
        "s[1-3]": {"memory": "704MiB", "link": "1Gbit/s", "disks": {"count": 1, "size": "1GiB"}},
        "c[1-2]": {"memory": "256MiB", "link": "1Gbit/s"},
    }
    data["solution"] = {
        "kind": "cephfs",
        "managers": "s1",
        "data": {"replicas": 2, "placement_groups": 32},
    }
    return data


LOAD = Workload.model_validate({"transfer_size": "64KiB", "file_size": "1MiB"})


def phase(bench: Bench, name: str) -> list[ClientResult]:
    """One phase on all clients; in `read` each client reads the data of another client of its
    tree, if there is one.
    """
    clients = bench.solution.clients
    agent = push(bench.ssh, clients)
    clocks = measure_clocks(bench.ssh, clients, agent)
    context = JobContext("00000000000000ab", f"{bench.solution.directory}/load", 7, None)
    work = jobs_of(
        [ClientGroup(LOAD, group) for group in client_groups_of(bench.solution, clients)],
        name,
        context,
    )
    return [client_result(received) for received in run_phase(bench.ssh, agent, work, clocks)[1]]


def kernels_of(folder: Path) -> list[int]:
    """Every process that names the lab's folder in its command line, on the whole machine."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder).encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def assert_nothing_left(folder: Path, timeout_s: float = 30) -> None:
    """No process, no mount, no file of the lab (its namespaces end with its last process)."""
    limit = time.monotonic() + timeout_s
    while (kernels_of(folder) or folder.exists()) and time.monotonic() < limit:
        time.sleep(0.2)
    assert kernels_of(folder) == []
    assert not folder.exists()
    assert str(folder) not in Path("/proc/mounts").read_text()
