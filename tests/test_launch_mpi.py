"""The launcher `mpi` with the mpirun of MPICH and of Open MPI: four tasks on this machine."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from seatrial.basics.shipped import find_agent
from seatrial.launchers.base import GroupOfTasks, LaunchRequest
from seatrial.launchers.kinds import mpi
from seatrial.transport import Transport

NODES = ("n1", "n2", "n3", "n4")
IMPLEMENTATIONS = {"mpich": ("-hosts", "localhost"), "openmpi": ("--oversubscribe",)}
START_TIMEOUT_S = 120


@pytest.fixture(params=sorted(IMPLEMENTATIONS))
def transport(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Transport]:
    """A step of four tasks."""
    program = shutil.which(f"mpirun.{request.param}")
    if program is None:
        pytest.skip(f"mpirun.{request.param} is missing")
    # A link would not do: Hydra looks for its proxy in the folder of the link.
    (tmp_path / "mpirun").write_text(f'#!/bin/sh\nexec {program} "$@"\n')
    (tmp_path / "mpirun").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv(mpi.ADDRESS_VARIABLE, "127.0.0.1")
    # Open MPI refuses root, and four tasks on fewer processors, without these.
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    arguments = IMPLEMENTATIONS[request.param]
    made = mpi.transport(
        LaunchRequest(NODES, str(find_agent()), arguments, start_timeout_s=START_TIMEOUT_S)
    )
    assert isinstance(made, GroupOfTasks)
    yield made
    made.close()


def test_each_task_is_its_own_node(transport: Transport) -> None:
    """By its rank; each gets its input and gives its output and exit code."""
    assert isinstance(transport, GroupOfTasks)
    assert {name: task.rank for name, task in transport.tasks.items()} == dict(
        zip(NODES, range(4), strict=True)
    )
    for node in NODES:
        done = transport.run(node, "cat; exit 3", stdin=node.encode())
        assert (done.stdout, done.exit_code) == (node, 3)


def test_long_outputs_of_all_tasks_stay_apart(transport: Transport) -> None:
    """Each line arrives whole and in order, whatever mpirun does with outputs."""
    streams = {node: transport.stream(node, "seq 1 20000") for node in NODES}
    for node, stream in streams.items():
        lines = [line.rstrip("\n") for line in stream.lines()]
        assert lines == [str(number) for number in range(1, 20001)], node
        assert stream.finish()[0] == 0


def test_the_end_of_the_step_ends_its_agents(transport: Transport) -> None:
    """No agent stays, and no command of one."""
    assert isinstance(transport, GroupOfTasks)
    marker = "4242.4242"
    transport.stream("n1", f"sleep {marker}")
    transport.close()
    found = subprocess.run(["pgrep", "-f", f"sleep {marker}"], capture_output=True, check=False)
    assert found.stdout == b""
