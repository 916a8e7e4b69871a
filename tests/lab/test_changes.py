"""Variations of one run: cables, the file system, settings of metadata, local tasks."""

from collections.abc import Sequence
from typing import Any

import pytest

from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result, read_result
from tests.builders.labs import command, lab_study
from tests.builders.strategies import text_of

pytestmark = pytest.mark.lab

CABLING = "nodes.nas.disks.paths.cabling"
RATE = "nodes.nas.disks.paths.rate"
KIND = "solution.filesystem.kind"
PATH_BYTES_PER_S = 5e6
NAMES = ["create", "stat", "utime", "rename", "open-close", "readdir", "remove"]
EXPERIMENTS: dict[str, Any] = {
    "cables": {
        "workload": {"transfer_size": "64KiB", "file_size": "1MiB", "tasks": 12, "local": True},
        "overrides": {RATE: "200MB/s"},
        "sweep": {CABLING: ["single", "redundant", "separate"]},
    },
    "names": {
        "workload": {"phases": NAMES, "tree": {"items": 20}},
        "overrides": {"solution.export.mode": "async", "solution.mount.options": ["hard", "noac"]},
        "sweep": {"directory": ["unique", "shared"]},
    },
    "folders": {
        "workload": {
            "phases": ["mkdir", "stat", "utime", "readdir", "rmdir"],
            "tree": {"items": 20},
        }
    },
    "copies": {
        "workload": {
            "phases": ["copy-to-storage", "copy-from-storage"],
            "sizes": [{"file_size": "10kB", "files": 3}, {"file_size": "64KiB", "files": 1}],
            "transfer_size": "16KiB",
            "verify_tree": True,
        }
    },
    "kinds": {
        "workload": {"transfer_size": "64KiB", "file_size": "2MiB"},
        "sweep": {KIND: ["ext4", "ext3"]},
    },
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The result of a study with these experiments on a server with four disks and two paths."""
    folder = tmp_path_factory.mktemp("changes")
    data = lab_study("changes", clients=2)
    paths = {"cabling": "separate", "rate": "2.4GB/s"}
    data["nodes"]["nas"]["disks"] = {
        "count": 4,
        "size": "128MiB",
        "rate": "130MB/s",
        "paths": paths,
    }
    data["solution"]["raid"] = {"level": 0, "chunk": "64KiB"}
    data["experiments"] = EXPERIMENTS
    data["criteria"] = [{"id": "twice", "check": "idempotence"}]
    (folder / "study.yaml").write_text(text_of(data))
    done = command("run", str(folder), "--out", str(folder / "results"))
    assert done.returncode == 0, done.stderr
    return read_result(next((folder / "results").iterdir()))


def phases(result: Result, experiment: str) -> Sequence[PhaseResult]:
    """An experiment's phases, each of them whole."""
    found = [phase for phase in result.phases if phase.experiment == experiment]
    assert not [
        phase for phase in found if phase.partial or any(client.damage for client in phase.clients)
    ]
    return found


def test_cables_are_moved_while_the_array_is_in_use(result: Result) -> None:
    """Two separate paths carry more than one, a redundant one does not; no path carries more than
    its rate.
    """
    found = phases(result, "cables")
    read = {
        phase.point[CABLING]: phase.natural_bytes_per_s for phase in found if phase.phase == "read"
    }
    assert read["single"] < 1.1 * PATH_BYTES_PER_S
    assert read["redundant"] < 1.1 * PATH_BYTES_PER_S
    assert read["separate"] > 1.4 * read["single"]
    assert {client.client for phase in found for client in phase.clients} == {"nas"}
    assert {phase.bottleneck for phase in found} == {"storage paths"}


def test_the_storage_is_rebuilt_for_another_file_system(result: Result) -> None:
    """ext3 for its point only, and afterwards the study's ext4, without a question about
    erasing.
    """
    assert [(phase.point[KIND], phase.phase) for phase in phases(result, "kinds")] == [
        (kind, phase) for kind in ("ext4", "ext3") for phase in ("write", "read")
    ]
    assert result.complete


def test_names_and_settings_of_an_experiment(result: Result) -> None:
    """Every metadata phase, in own and shared directories, on a mount that the experiment sets."""
    found = phases(result, "names")
    done = {
        (phase.point["directory"], phase.phase): sum(it.operations for it in phase.clients)
        for phase in found
    }
    wanted = {name: 2 if name == "readdir" else 40 for name in NAMES}
    assert done == {(place, name): wanted[name] for place in ("unique", "shared") for name in NAMES}
    assert all(phase.operations_per_s > 0 and phase.natural_bytes_per_s == 0 for phase in found)


def test_directories_are_looked_at_as_well(result: Result) -> None:
    """The directories of the neighbour: mdtest -D creates, stats and removes them."""
    done = {
        phase.phase: sum(client.operations for client in phase.clients)
        for phase in phases(result, "folders")
    }
    assert done == {"mkdir": 40, "stat": 40, "utime": 40, "readdir": 2, "rmdir": 40}


def test_copies_are_compared_with_the_operation_logs(result: Result) -> None:
    """For each client 4 files of three blocks and 2 of sixteen, one of each size not counted;
    each is present.
    """
    assert [phase.phase for phase in phases(result, "copies")] == [
        "copy-to-storage",
        "copy-from-storage",
    ]
    (found,) = [line for line in result.of("comparison") if line["experiment"] == "copies"]
    blocks = 2 * (4 * 3 + 2 * 16)
    assert (found["files"], found["blocks"], found["must"]) == (12, blocks, blocks)
    assert (found["lost"], found["wrong"], found["unfinished"]) == (0, 0, [])
