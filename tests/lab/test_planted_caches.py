"""Planted reads from caches, and honest reads: every planted one is found, and no honest one.

A run empties every cache; the test leaves one node out. The client then reads its own data, or the
server or the array answers from memory.
"""

import copy
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seatrial.cli import app
from seatrial.plan.plan import Plan, Stage
from seatrial.result.result import read_result
from seatrial.solutions.kinds.nfs import Nfs
from seatrial.solutions.kinds.nfs_ha import NfsHa
from tests.builders.places import STUDIES
from tests.builders.strategies import MINIMAL, text_of
from tests.builders.yaml_texts import loaded

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(
        "SEATRIAL_SOAK" not in os.environ, reason="takes some minutes; make controls runs it"
    ),
]


def server() -> dict[str, Any]:
    """One server and three NFSv3 clients: the omitted client delays no other."""
    data = copy.deepcopy(MINIMAL)
    data["nodes"] = {"nas": data["nodes"]["nas"], "c[1-3]": {"memory": "256MiB", "link": "4Gbit/s"}}
    data["solution"]["mount"] = {"version": "3"}
    return data


def pair() -> dict[str, Any]:
    """Two servers in front of an array."""
    data: dict[str, Any] = loaded((STUDIES / "nss-ha" / "study.yaml").read_text())
    for key in (
        "published",
        "question",
        "baselines",
        "background_load",
        "faults",
        "published_claims",
    ):
        data.pop(key, None)
    return data


def workload(read: str, result: str, file: str, clients: int, repeats: int) -> dict[str, Any]:
    """An experiment that writes and reads; each result is synced, so that an NFS client keeps its
    pages.
    """
    load = {"transfer_size": result, "file_size": file, "read": read, "fsync": "transfer"}
    return {"workload": load, "sweep": {"clients": [clients]}, "repeats": repeats}


HONEST = {
    "own": workload("own", "64KiB", "2MiB", 3, 10),
    "neighbours": workload("neighbour", "64KiB", "2MiB", 3, 10),
    "small": workload("neighbour", "16KiB", "512KiB", 2, 10),
    "alone": workload("own", "256KiB", "4MiB", 1, 10),
}


@dataclass(frozen=True)
class Case:
    """A system, the node left out where caches are emptied, the reads, and the expected
    verdict of each.
    """

    name: str
    system: Callable[[], dict[str, Any]]
    left_out: frozenset[str]
    experiments: dict[str, Any]
    readings: int
    words: str = ""
    """empty: nothing"""


OWN = {"own": workload("own", "64KiB", "2MiB", 3, 5)}
NEAR = {"near": workload("neighbour", "64KiB", "2MiB", 2, 5)}
NOBODY: frozenset[str] = frozenset()
CASES = [
    Case("honest", server, NOBODY, HONEST, 40),
    Case("honest-pair", pair, NOBODY, {"near": workload("neighbour", "64KiB", "2MiB", 2, 10)}, 10),
    Case("client", server, frozenset({"c1", "c2", "c3"}), OWN, 5, "the clients' caches"),
    Case("one-of-them", server, frozenset({"c2"}), OWN, 5, "over their links: c2 ("),
    Case("server", server, frozenset({"nas"}), NEAR, 5, "the servers' caches"),
    Case("array", pair, frozenset({"array"}), NEAR, 5, "the arrays' caches"),
]


def leaving_out(nodes: frozenset[str], empty: Callable[..., Plan]) -> Callable[..., Plan]:
    """Empties the caches of all other nodes."""

    def emptied(*given: Any) -> Plan:
        plan = empty(*given)
        kept = (
            Stage(
                stage.title,
                {node: steps for node, steps in stage.steps.items() if node not in nodes},
            )
            for stage in plan.stages
        )
        return Plan(plan.study_id, plan.title, tuple(kept))

    return emptied


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_reads_from_caches_are_found_and_honest_ones_are_valid(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty planted reads and fifty honest reads."""
    data = {**case.system(), "id": f"caches-{case.name}", "experiments": case.experiments}
    data["criteria"] = [{"id": "intact", "check": "integrity"}]
    (tmp_path / "study.yaml").write_text(text_of(data))
    for kind in (Nfs, NfsHa):
        monkeypatch.setattr(kind, "empty_caches", leaving_out(case.left_out, kind.empty_caches))
    done = CliRunner().invoke(
        app, ["run", str(tmp_path / "study.yaml"), "--out", str(tmp_path), "--full"]
    )
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    (folder,) = tmp_path.glob("caches-*")
    found = [item.out_of_caches for item in read_result(folder).phases if item.phase == "read"]
    assert len(found) == case.readings
    if case.words:
        assert all(item is not None and case.words in item for item in found)
    else:
        assert found == [None] * case.readings
