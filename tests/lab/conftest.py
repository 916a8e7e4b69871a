"""One lab for the tests that can share it: a server with six disks and two clients."""

import contextlib
import copy
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from seatrial.check import prepare
from seatrial.labs.kinds import emulated
from seatrial.labs.kinds.emulated import EmulatedLab
from seatrial.service.session import packages_of
from seatrial.solutions.base import Solution
from seatrial.study.study import Study, load_study
from seatrial.transport import OpenSsh
from tests.strategies import MINIMAL, text_of

SEATRIAL = Path(sys.prefix) / "bin" / "seatrial"
DISKS = "nas:" + ",".join(f"/dev/ubd{letter}" for letter in "bcdefg")
"""the devices of the server, as `--wipe` names them"""


def lab_study(name: str, clients: int = 2) -> dict[str, Any]:
    """The small study with `clients` clients."""
    data = copy.deepcopy(MINIMAL)
    data["id"] = name
    # fio and its libraries need more than the 128 MiB that the agent is content with.
    client = {**data["nodes"]["c[1-4]"], "memory": "256MiB"}
    data["nodes"] = {"nas": data["nodes"]["nas"], f"c[1-{clients}]": client}
    return data


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
        changes_hosts = self.study.environment.kind == "hosts" and arguments[0] in {"deploy", "undeploy", "run"}
        return command(*arguments, *(["--yes"] if changes_hosts else []), str(self.path))


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the real command, with its output piped."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "300"}
    return subprocess.run(
        [str(SEATRIAL), *arguments], capture_output=True, text=True, env=environment, timeout=1200, check=False
    )


@contextlib.contextmanager
def booted(data: dict[str, Any], folder: Path) -> Iterator[Bench]:
    """The lab of a study, up until the end of the block."""
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
        packages=packages_of(study, site),
    )
    try:
        yield Bench(study, path, solution, lab, OpenSsh(lab.ssh_config))
    finally:
        lab.down()


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Up once; down at the end."""
    with booted(lab_study(f"tests-{os.getpid()}"), tmp_path_factory.mktemp("bench")) as found:
        yield found
