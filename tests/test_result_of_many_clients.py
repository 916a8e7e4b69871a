"""The result of a run with many clients: few files, short lines, and the same content when read."""

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from seatrial.judge.flaws import Flaw
from seatrial.judge.judge import study_of
from seatrial.judge.missing import completeness, words_of
from seatrial.result.result import read_result
from seatrial.result.series import CLIENTS_MAX
from tests.builders.machine_lock import this_machine
from tests.builders.strategies import text_of

ROOT = Path(__file__).parents[1]
CLIENTS = CLIENTS_MAX + 1
SEATRIAL = str(Path(sys.prefix) / "bin" / "seatrial")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result of two phases of local agents."""
    base = tmp_path_factory.mktemp("many")
    (base / "storage").mkdir()
    found = subprocess.run(
        ["findmnt", "-n", "-o", "FSTYPE", "-T", base], capture_output=True, text=True, check=True
    )
    data = {
        "schema": "study/1",
        "id": "many",
        "environment": {
            "kind": "hosts",
            "launcher": "command",
            "command": f"{sys.executable} {ROOT}/scripts/local_launcher.py {{nodes}} {{command}}",
            "oversubscribe": True,
            "start_timeout": "120s",
        },
        "nodes": {f"c[1-{CLIENTS}]": {}},
        "solution": {
            "kind": "mount",
            "directory": str(base / "storage"),
            "filesystem": found.stdout.strip(),
        },
        "experiments": {
            "streams": {
                "workload": {
                    "transfer_size": "4KiB",
                    "file_size": "64KiB",
                    "phases": ["write", "read"],
                }
            }
        },
        "criteria": [{"id": "intact", "check": "integrity"}],
    }
    (base / "study.yaml").write_text(text_of(data))
    argv = [SEATRIAL, "run", str(base / "study.yaml"), "--yes", "--out", str(base / "results")]
    # Another test may hold an ordinary user's usual folder.
    own = {**os.environ, "XDG_RUNTIME_DIR": str(base)}
    with this_machine():
        done = subprocess.run(argv, capture_output=True, text=True, check=False, env=own)
    assert done.returncode == 0, done.stdout + done.stderr
    return next((base / "results").iterdir())


def flaws_of(folder: Path) -> tuple[Flaw, ...]:
    """The flaws of a result."""
    result = read_result(folder)
    return completeness(study_of(result), result).flaws


def test_a_phase_has_one_file_of_seconds_and_one_of_lines(folder: Path) -> None:
    """And a line without seconds; the reader adds them."""
    assert len(list((folder / "agent").iterdir())) == len(list((folder / "series").iterdir())) == 2
    lines = [json.loads(line) for line in (folder / "result.jsonl").read_text().splitlines()]
    for line in (item for item in lines if item["type"] == "phase"):
        assert not any(client["seconds"] or client["telemetry"] for client in line["clients"])
    result = read_result(folder)
    assert result.complete
    assert not result.contradictions
    assert [phase.phase for phase in result.phases] == ["write", "read"]
    for client in (item for phase in result.phases for item in phase.clients):
        assert sum(second[1] for second in client.seconds) == client.size_bytes == 65536
        assert len(client.telemetry) == len(client.seconds)
        assert "cpus_busy_share" in client.telemetry[0]


def test_the_common_file_has_every_line_of_every_agent(folder: Path) -> None:
    """Each line names its client; the judge looks for this file."""
    results: dict[str, list[str]] = {}
    for path in (folder / "agent").iterdir():
        with gzip.open(path, "rt") as file:
            for item in map(json.loads, file):
                results.setdefault(item["client"], []).append(item["line"]["event"])
    assert len(results) == CLIENTS
    assert {events.count("done") for events in results.values()} == {2}
    assert {events.count("ready") for events in results.values()} == {2}


def test_without_its_common_file_a_result_is_incomplete(folder: Path, tmp_path: Path) -> None:
    """The judge names the output that is missing."""
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert flaws_of(copy) == ()
    next((copy / "agent").iterdir()).unlink()
    assert len(flaws_of(copy)) == CLIENTS
    assert "agent output of c1" in words_of(flaws_of(copy))


@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_file_of_seconds_is_noticed(folder: Path, tmp_path: Path, damage: str) -> None:
    """By the seal, and as a line that cannot be read."""
    copy = shutil.copytree(folder, tmp_path / "copy")
    path = next((copy / "series").iterdir())
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    else:
        path.unlink()
    result = read_result(copy)
    assert result.seal.files == (f"series/{path.name}",)
    assert not result.complete
    assert "not readable" in result.problems[0]


def test_a_copy_to_share_has_no_name_of_a_client(folder: Path, tmp_path: Path) -> None:
    """Compressed files included."""
    out = tmp_path / "shared"
    argv = [SEATRIAL, "redact", str(folder), str(out)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    first = read_result(folder).phases[0]
    copied = read_result(out).phases[0]
    assert [item.seconds for item in copied.clients] == [item.seconds for item in first.clients]
    assert {item.client for item in copied.clients}.isdisjoint(
        item.client for item in first.clients
    )
