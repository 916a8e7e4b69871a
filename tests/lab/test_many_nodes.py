"""As many nodes as a small cluster has, all of them real kernels."""

import os
from pathlib import Path

import pytest

from seatrial.check import prepare
from seatrial.labs.kinds import emulated
from seatrial.study.study import parse_study
from seatrial.transport import OpenSsh, on_every
from tests.builders.labs import lab_study
from tests.builders.strategies import text_of

SOAK = bool(os.environ.get("SEATRIAL_SOAK"))
CLIENTS = 63 if SOAK else 15
pytestmark = pytest.mark.lab


def test_many_nodes_come_to_ssh_and_answer(tmp_path: Path) -> None:
    """Clients of 64 MiB, all at once; each is itself. 33 of them never came, when each look cost a
    process there.
    """
    data = lab_study(f"many-{os.getpid()}", CLIENTS)
    data["nodes"][f"c[1-{CLIENTS}]"]["memory"] = "64MiB"
    study = parse_study(text_of(data), tmp_path / "study.yaml")
    _, solution = prepare(study)
    printed: list[str] = []
    lab = emulated.up(
        study,
        systemd_nodes=solution.storage_nodes,
        name=study.id,
        console=tmp_path / "console",
        detached=False,
        say=printed.append,
    )
    try:
        ssh = OpenSsh(lab.ssh_config)
        names = on_every(
            study.node_names(), lambda node: ssh.run(node, "uname -n").stdout.strip(), 8
        )
        assert names == {node: node for node in study.node_names()}
        assert any(line.startswith(f"{CLIENTS + 1} nodes answer ssh after") for line in printed)
    finally:
        lab.down()
