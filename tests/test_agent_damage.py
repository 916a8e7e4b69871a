"""Damage that agents find: blocks that differ from the written ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import RunError
from seatrial.load.agent import run_phase
from seatrial.load.clock_offsets import measure_clocks
from seatrial.load.jobs import JobContext, jobs, preparation
from seatrial.load.operation_logs import OperationLogs
from seatrial.streams import Stream
from seatrial.study.workload import Workload
from seatrial.transport import Completed, Local
from tests.builders.agents import AGENT, NODES, phase, workload


def test_damage_is_found_and_named(tmp_path: Path) -> None:
    """One flipped byte, one zeroed block, two swapped blocks: each is named with its place."""
    phase(tmp_path, "write", workload())
    path = tmp_path / "f0001.000"
    content = bytearray(path.read_bytes())
    content[5 * 4096 + 1000] ^= 1
    content[9 * 4096 : 10 * 4096] = bytes(4096)
    page_20 = content[20 * 4096 : 21 * 4096]
    content[20 * 4096 : 21 * 4096] = content[30 * 4096 : 31 * 4096]
    content[30 * 4096 : 31 * 4096] = page_20
    path.write_bytes(content)
    results = {item.client: item for item in phase(tmp_path, "read", workload())}
    # The client c1 reads what c2 wrote.
    assert [bool(results[name].damage) for name in NODES] == [True, False, False]
    found = {(item["class"], item["offset"] // 4096) for item in results["c1"].damage}
    assert found == {("corrupt", 5), ("zero", 9), ("misplaced", 20), ("misplaced", 30)}


def test_stale_data_differ_from_corrupt_data(tmp_path: Path) -> None:
    """The file of the earlier generation."""
    phase(tmp_path, "write", workload(), generation=1)
    results = phase(tmp_path, "read", workload(), generation=2)
    assert {item["class"] for result in results for item in result.damage} == {"stale"}


def test_of_files_written_in_passes_any_pass_is_right() -> None:
    """Each pass has a generation; reads return one of them, and before a mixed phase an
    earlier one.
    """
    timed = {
        "time_based": True,
        "time_limit": "1s",
        "phases": ["write", "mixed", "read"],
        "read_percent": 50,
    }
    in_passes = workload(**timed, verify=False)
    once = workload()
    context = JobContext("00000000000000ab", "/x", 65539, None, before=3)

    def generations(load: Workload, name: str) -> tuple[int, int | None]:
        job = jobs(load, name, NODES, context)["c1"]
        return job.generation, job.generation_from

    assert [generations(once, name) for name in ("write", "read")] == [(65539, None)] * 2
    assert generations(in_passes, "write") == (65539, None)
    assert generations(in_passes, "mixed") == (65539, 3)
    assert generations(in_passes, "read") == (65539 + 65535, 65539)
    assert jobs(preparation(in_passes), "write", NODES, context)["c1"].generation == 65539


def test_a_tree_is_compared_with_the_logs_of_all_clients(tmp_path: Path) -> None:
    """Synced and intact data pass; a block that was zeroed below the clients is lost, and named."""
    transport = EachItsOwn(tmp_path)
    clocks = measure_clocks(transport, NODES, AGENT)
    logs = OperationLogs("00000000000000ab", NODES, str(tmp_path))
    storage = tmp_path / "storage"
    storage.mkdir()
    context = JobContext("00000000000000ab", str(storage), 1, logs.begin(transport, 1, "write"))
    run_phase(transport, AGENT, jobs(workload(log_sync=True), "write", NODES, context), clocks)
    found = logs.compare(
        transport,
        AGENT,
        str(storage),
        clocks,
        measure_clocks(transport, NODES, AGENT),
        clients=NODES,
    )
    assert (found["must"], found["lost"], found["wrong"], found["extents"]) == (192, 0, 0, [])
    with (storage / "f0001.000").open("r+b") as file:
        file.seek(8192)
        file.write(bytes(4096))
    found = logs.compare(
        transport,
        AGENT,
        str(storage),
        clocks,
        measure_clocks(transport, NODES, AGENT),
        clients=NODES,
    )
    assert (found["lost"], [(item["class"], item["offset"]) for item in found["extents"]]) == (
        1,
        [("zero", 8192)],
    )
    logs.forget(transport)
    assert not list(tmp_path.rglob("*.log"))


@pytest.mark.parametrize("refused", [NODES[:1], NODES])
def test_data_that_no_client_can_read_are_lost(tmp_path: Path, refused: Sequence[str]) -> None:
    """An I/O error of one client proves no loss, because an evicted client gets one too: the
    next client reads.
    """
    transport = EachItsOwn(tmp_path)
    clocks = measure_clocks(transport, NODES, AGENT)
    load_folder = str(tmp_path)
    logs = OperationLogs("00000000000000ab", NODES, load_folder)
    alone = OperationLogs("00000000000000ac", NODES[:1], load_folder)
    storage = tmp_path / "storage"
    storage.mkdir()
    context = JobContext("00000000000000ab", str(storage), 1, logs.begin(transport, 1, "write"))
    run_phase(transport, AGENT, jobs(workload(log_sync=True), "write", NODES, context), clocks)
    transport.refused = refused

    def compare(logs: OperationLogs, clients: Sequence[str]) -> dict[str, Any]:
        return logs.compare(
            transport,
            AGENT,
            str(storage),
            clocks,
            measure_clocks(transport, NODES, AGENT),
            clients=clients,
        )

    found = compare(logs, NODES)
    assert (found["must"], found["lost"], found["unreadable_by"]) == (
        192,
        192 if len(refused) > 1 else 0,
        list(refused),
    )
    alone.begin(transport, 1, "write")
    with pytest.raises(RunError, match="could not be compared"):
        compare(alone, NODES[:1])


class EachItsOwn(Local):
    """Every node keeps its logs in a separate folder, as on separate machines."""

    refused: Sequence[str] = ()
    """who gets errors of I/O for the storage"""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        if node not in self.refused or " verify " not in command:
            return super().run(node, command, stdin=stdin, timeout_s=timeout_s)
        if "--unreadable-is-lost" not in command:
            return Completed(node, 4, "", "Input/output error")
        gone = command.replace(str(self.folder / "storage"), str(self.folder / "none"))
        return super().run(
            node, gone.replace("$gone", "--may-be-gone"), stdin=stdin, timeout_s=timeout_s
        )

    def _argv(self, node: str, command: str) -> list[str]:
        there = str(self.folder / node / "logs")
        return [
            "sh",
            "-c",
            f"mkdir -p {there}; " + command.replace(str(self.folder / "logs"), there),
        ]

    def stream(self, node: str, command: str) -> Stream:
        stream = super().stream(node, command)
        send = stream.send
        here = str(self.folder / "logs")
        there = str(self.folder / node / "logs")
        stream.send = lambda line: send(line.replace(here, there))  # type: ignore[method-assign]
        return stream
