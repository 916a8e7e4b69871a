"""Runs of an unprivileged user through real Slurm daemons, on this machine."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.builders import ordinary, slurm_cluster
from tests.builders.ordinary import SEATRIAL, Account
from tests.builders.slurm_cluster import NODES, Cluster
from tests.builders.strategies import text_of

with_slurm = pytest.mark.skipif(
    not (slurm_cluster.is_possible() and ordinary.is_possible()),
    reason="needs root, munge and slurm-wlm",
)
ENDS_WITHIN_S = 600


@pytest.fixture(scope="module")
def user() -> Iterator[Account]:
    """One account for all tests."""
    with ordinary.account() as made:
        yield made


@pytest.fixture(scope="module")
def slurm() -> Iterator[Cluster]:
    """One cluster for all tests."""
    with slurm_cluster.cluster() as made:
        yield made


def written(user: Account, launcher: str, **changes: Any) -> Path:
    """A small study of the user's directory."""
    environment = {
        "kind": "hosts",
        "launcher": launcher,
        "oversubscribe": True,
        "start_timeout": "60s",
    }
    data: dict[str, Any] = {
        "schema": "study/1",
        "id": "launched",
        "environment": environment,
        "nodes": {"n[1-4]": {}},
        "solution": {"kind": "mount", "directory": str(user.storage)},
        "experiments": {"streams": {"workload": {"transfer_size": "64KiB", "file_size": "1MiB"}}},
        "criteria": [{"id": "intact", "check": "integrity"}],
        **changes,
    }
    path = user.folder / f"{launcher}.yaml"
    path.write_text(text_of(data))
    return path


def lines_of(results: Path) -> list[dict[str, Any]]:
    """The lines of the one result in a folder."""
    (path,) = results.glob("*/result.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def agents_of(user: Account) -> list[int]:
    """The processes of the user that run an agent."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            is_users = folder.owner() == user.name
        except (OSError, KeyError):
            continue
        if is_users and b"agent" in words[0]:
            found.append(int(folder.name))
    return found


def await_no_agents(user: Account) -> None:
    """Fails when agents outlive the step."""
    limit_s = time.monotonic() + ENDS_WITHIN_S
    while agents_of(user):
        assert time.monotonic() < limit_s, agents_of(user)
        time.sleep(0.2)


def leaves_nothing(user: Account, words: tuple[str, ...], variables: tuple[str, ...]) -> None:
    """`undeploy` removes every file from the storage."""
    await_no_agents(user)
    done = subprocess.run(
        user.argv(words, variables=variables),
        env=user.environment(),
        cwd=user.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(user.storage.iterdir()) == []


def in_allocation(*words: str) -> tuple[str, ...]:
    """The command in an allocation of all nodes."""
    return ("salloc", f"--nodes={len(NODES)}", "--quiet", SEATRIAL, *words)


def started(user: Account, slurm: Cluster, *words: str) -> "subprocess.Popen[str]":
    """A run in an allocation."""
    return subprocess.Popen(
        user.argv(in_allocation(*words), variables=(slurm.variable,)),
        env=user.environment(),
        cwd=user.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def long_study(user: Account) -> Path:
    """A study with a load that takes minutes."""
    workload: dict[str, Any] = {
        "transfer_size": "4KiB",
        "file_size": "1MiB",
        "phases": ["write", "read"],
        "time_based": True,
    }
    experiments: dict[str, Any] = {
        "first": {"workload": {"transfer_size": "64KiB", "file_size": "1MiB"}}
    }
    experiments["long"] = {"workload": {**workload, "time_limit": "300s"}}
    return written(user, "slurm", experiments=experiments)


@with_slurm
def test_a_batch_job_runs_a_study(user: Account, slurm: Cluster) -> None:
    """`--submit` writes the script, waits, and prints the output of the job; nothing is left."""
    study = written(user, "slurm")
    words = ("run", str(study), "--submit", "--yes", "--out", str(user.folder / "batch"))
    done = user.run(*words, variables=(slurm.variable,))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "intact" in done.stdout
    (script,) = (user.folder / "batch").glob("*.sbatch")
    assert "#SBATCH --nodelist=n[1-4]\n" in script.read_text()
    lines = lines_of(user.folder / "batch")
    facts = next(line for line in lines if line["type"] == "system")["environment"]
    assert facts["hosts"] == {name: name for name in NODES}
    phases = [line for line in lines if line["type"] == "phase"]
    assert {client["client"] for line in phases for client in line["clients"]} == set(NODES)
    assert not any(line["partial"] for line in phases)
    leaves_nothing(user, in_allocation("undeploy", str(study), "--yes"), (slurm.variable,))


@with_slurm
def test_outside_an_allocation_the_way_in_is_named(user: Account, slurm: Cluster) -> None:
    """Before anything starts."""
    done = user.run("preflight", str(written(user, "slurm")), variables=(slurm.variable,))
    assert done.returncode == 4
    assert "no allocation of Slurm" in done.stderr
    assert "salloc -N 4" in done.stderr


@with_slurm
def test_a_cancelled_job_keeps_its_results(user: Account, slurm: Cluster) -> None:
    """Scancel during a load: the result has every finished phase, and `undeploy` empties the
    storage.
    """
    results = user.folder / "cancelled"
    study = long_study(user)
    process = started(user, slurm, "run", str(study), "--yes", "--out", str(results))
    await_long_load(results)
    slurm.run("scancel", f"--user={user.name}")
    process.communicate()
    assert finished_phases(results)[:2] == ["first"] * 2
    leaves_nothing(user, in_allocation("undeploy", str(study), "--yes"), (slurm.variable,))


@with_slurm
def test_the_death_of_the_controller_ends_the_step(user: Account, slurm: Cluster) -> None:
    """Kill -9: the input of the step ends, and so do its agents. `undeploy` empties the storage."""
    results = user.folder / "killed"
    study = long_study(user)
    process = started(user, slurm, "run", str(study), "--yes", "--out", str(results))
    await_long_load(results)
    os.kill(user.controller(), signal.SIGKILL)
    process.communicate()
    assert finished_phases(results)[:2] == ["first"] * 2
    leaves_nothing(user, in_allocation("undeploy", str(study), "--yes"), (slurm.variable,))


def finished_phases(results: Path) -> list[str]:
    """The experiment of each finished phase, in their order."""
    return [line["experiment"] for line in lines_of(results) if line["type"] == "phase"]


def await_long_load(results: Path) -> None:
    """Returns when the second experiment has begun."""
    limit_s = time.monotonic() + ENDS_WITHIN_S
    while not any(has_begun_long(path.read_text()) for path in results.glob("*/result.jsonl")):
        assert time.monotonic() < limit_s
        time.sleep(0.1)
    time.sleep(2)


def has_begun_long(text: str) -> bool:
    """Whether a result has the line that begins the second experiment."""
    whole, _, _ = text.rpartition("\n")
    lines = [json.loads(line) for line in whole.splitlines()]
    return any(line["type"] == "experiment" and line["name"] == "long" for line in lines)


@with_slurm
def test_a_full_directory_is_an_error_of_each_client(user: Account, slurm: Cluster) -> None:
    """ENOSPC on every node: the run ends in order, with a reason and a result."""
    small = user.folder / "small"
    small.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size=3m,uid={user.name}", "none", small], check=True
    )
    try:
        solution = {"kind": "mount", "directory": str(small)}
        workload = {"transfer_size": "64KiB", "file_size": "512KiB"}
        study = written(
            user, "slurm", solution=solution, experiments={"streams": {"workload": workload}}
        )
        (small / "ballast").write_bytes(bytes(2 << 20))
        process = started(
            user, slurm, "run", str(study), "--yes", "--out", str(user.folder / "full")
        )
        output, _ = process.communicate()
        assert process.returncode in (1, 3, 4), output
        assert lines_of(user.folder / "full")[-1]["type"] == "end"
        await_no_agents(user)
    finally:
        subprocess.run(["umount", "-l", small], check=True)
