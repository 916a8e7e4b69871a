"""Launchers: their command lines, the lines of a step, and a run through a step of local tasks."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError, RunError
from seatrial.basics.shipped import find_agent
from seatrial.check import prepare
from seatrial.cli.batch_job import command_of_job, options_of_new_run, options_of_resumed_run
from seatrial.launchers.base import LaunchRequest, launcher_named, launcher_names
from seatrial.launchers.frames import DamagedFrameError, Frame, parsed
from seatrial.launchers.group import GroupTransport
from seatrial.launchers.group_command import GroupCommand
from seatrial.launchers.kinds import command, mpi, slurm
from seatrial.launchers.requests import Close, End, Open, Send, document
from seatrial.launchers.submit import BatchJob, batch_script
from seatrial.load.resume import EarlierMeasurements, Selection
from tests.builders.commands import in_process
from tests.builders.machine_lock import this_machine
from tests.builders.places import ROOT
from tests.builders.strategies import MINIMAL, changed, study, text_of

LAUNCHER = (sys.executable, str(ROOT / "scripts" / "local_launcher.py"))
NODES = ("c1", "c2", "c3")
REQUEST = LaunchRequest(NODES, "/opt/agent")


def running(process: int) -> bool:
    """Whether a process exists and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture(scope="module")
def group() -> Iterator[GroupTransport]:
    """A step of three tasks on this machine."""
    argv = (*LAUNCHER, str(len(NODES)), str(find_agent()), "group")
    made = GroupTransport("local", argv, NODES, 60)
    yield made
    made.close()


def test_every_launcher_is_found() -> None:
    """One file each."""
    assert "ssh" in launcher_names()
    for name in launcher_names():
        launcher_named(name)


def test_srun_starts_one_task_on_each_node() -> None:
    """By name where the allocation has the names; else the first nodes of the allocation."""
    argv = slurm.command_line(REQUEST, ("c1", "c2", "c3", "c4"))
    assert argv[0] == "srun"
    assert {"--nodes=3", "--ntasks=3", "--ntasks-per-node=1", "--nodelist=c1,c2,c3"} <= set(argv)
    assert argv[-2:] == ["/opt/agent", "group"]
    assert "--nodelist=x7,x9,x11" in slurm.command_line(REQUEST, ("x7", "x9", "x11", "x12"))


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ((), "SLURM_JOB_NODELIST is not set"),
        (("c1",), "allocation 1"),
        (("c1", "c2", "x"), "not in this allocation: c3"),
    ],
)
def test_an_allocation_that_does_not_fit_is_refused(nodes: tuple[str, ...], reason: str) -> None:
    """Before anything starts."""
    with pytest.raises(RunError, match=reason):
        slurm.command_line(REQUEST, nodes)


def test_the_allocation_is_read_from_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Slurm writes it."""
    monkeypatch.setenv("SLURM_JOB_NODELIST", "cn[0097-0099,0101],gpu3")
    assert slurm.allocated() == ("cn0097", "cn0098", "cn0099", "cn0101", "gpu3")


@pytest.mark.parametrize(("is_open_mpi", "hosts"), [(False, "-hosts"), (True, "--host")])
def test_mpirun_starts_agents_that_connect(
    is_open_mpi: bool, hosts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nodes of the study are the hosts outside a batch system."""
    for name in mpi.BATCH_SYSTEMS:
        monkeypatch.delenv(name, raising=False)
    argv = mpi.command_line(REQUEST, "10.0.0.1:4000", is_open_mpi=is_open_mpi)
    assert argv[:3] == ["mpirun", "-np", "3"]
    assert argv[argv.index(hosts) + 1] == "c1,c2,c3"
    assert argv[-3:] == ["group", "--connect", "10.0.0.1:4000"]
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert hosts not in mpi.command_line(REQUEST, "10.0.0.1:4000", is_open_mpi=is_open_mpi)


def test_open_mpi_gets_the_key_of_the_step() -> None:
    """Hydra passes the whole environment, and Open MPI only the variables of `-x`."""
    argv = mpi.command_line(REQUEST, "10.0.0.1:4000", is_open_mpi=True)
    assert argv[argv.index("-x") + 1] == "SEATRIAL_GROUP_KEY"


def test_a_template_gets_the_command_and_the_nodes() -> None:
    """Every word of the template stays one word."""
    request = LaunchRequest(
        NODES, "/opt/my agent", command="flux run -N {nodes} --requires=host:{nodelist} {command}"
    )
    expected = ["flux", "run", "-N", "3", "--requires=host:c[1-3]", "/opt/my agent", "group"]
    assert command.command_line(request) == expected
    with pytest.raises(InputError, match="no word"):
        command.command_line(LaunchRequest(NODES, "/a", command="flux run"))


def test_a_frame_that_was_cut_or_mixed_is_noticed() -> None:
    """By its length, or by a second mark within it."""
    assert parsed(b"seatrial c1 4 7 l 5 a b c") == Frame("c1", 4, 7, "l", "a b c")
    assert parsed(b"srun: job 7 queued") is None
    for line in (b"seatrial c1 4 7 l 6 a b c", b"seatrial c1 4", b"b cseatrial c1 4 7 l 1 a"):
        with pytest.raises(DamagedFrameError):
            parsed(line)


def test_a_script_for_many_nodes_is_sent_once() -> None:
    """A thousand nodes get the same script, and each of them reads every request."""
    opened = [Open(f"c{number}", number, "sh -s", b"echo hello") for number in range(1, 1001)]
    made = json.loads(document([*opened, Send(3, "x"), Close(3), End(4)]))
    assert len(made["inputs"]) == 1
    assert {item["input"] for item in made["open"]} == {0}
    assert (made["send"], made["close"], made["end"]) == ([[3, "x"]], [3], [4])


def test_a_command_runs_on_its_own_node(group: GroupTransport) -> None:
    """Input, both outputs and the exit code come from its task."""
    assert [task.rank for task in group.tasks.values()] == [0, 1, 2]
    done = group.run(
        "c2", 'read line; echo "$PMI_RANK $line"; echo no >&2; printf end; exit 3', stdin=b"in\n"
    )
    assert (done.stdout, done.stderr, done.exit_code) == ("1 in\nend", "no\n", 3)
    long = "ö" * 5000
    assert group.run("c3", "cat", stdin=long.encode()).stdout == long


class _WithLateMark(GroupCommand):
    """Another thread reads the output before the mark of its end arrives."""

    early_output = ""

    def _deliver(self, line: str | None) -> None:
        if line is None:
            assert self.ended.is_set()
            self.early_output = self.stdout()
        super()._deliver(line)


def test_the_output_is_complete_once_a_command_has_ended() -> None:
    """`run` waits for the end, and its thread may continue before the mark is in the queue."""
    command = _WithLateMark("c1", 1)
    command.take(Frame("c1", 1, 1, "l", "first"))
    command.take(Frame("c1", 1, 2, "l", "second"))
    command.end(0)
    assert command.early_output == "first\nsecond\n"


def test_a_stream_answers_line_by_line(group: GroupTransport) -> None:
    """As a stream over ssh does."""
    stream = group.stream("c1", "while read line; do echo $PMI_RANK $line; done; exit 4")
    for word in ("one", "two"):
        stream.send(word)
        assert stream.read_line() == f"0 {word}"
    assert stream.finish() == (4, "")
    assert stream.read_line() is None


def test_a_command_without_end_is_ended_with_its_children(
    group: GroupTransport, tmp_path: Path
) -> None:
    """On the node itself: nothing keeps running there."""
    path = tmp_path / "pid"
    with pytest.raises(RunError, match="no end after"):
        group.run("c1", f"sleep 600 & echo $! >{path}; wait", timeout_s=2)
    assert not running(int(path.read_text()))
    assert group.run("c1", "echo on").stdout == "on\n"


def test_the_end_of_the_step_ends_its_commands(tmp_path: Path) -> None:
    """Also when the controller is killed: the input of the step ends with it."""
    path = tmp_path / "pid"
    argv = (*LAUNCHER, "2", str(find_agent()), "group")
    step = GroupTransport("local", argv, ("a", "b"), 60)
    stream = step.stream("b", f"sleep 600 & echo $! >{path}; echo up; wait")
    assert stream.read_line() == "up"
    step.close()
    assert not running(int(path.read_text()))
    assert stream.finish()[0] != 0
    with pytest.raises(RunError, match="b: its agent ended"):
        step.run("b", "true")


def test_a_node_that_never_starts_is_named() -> None:
    """With the output of the launcher."""
    script = "echo no node c2 >&2; read hello; exec sleep 600"
    with pytest.raises(RunError, match=r"(?s)^c\[1-3\]: no agent started within 1 s.*no node c2"):
        GroupTransport("local", ("sh", "-c", script), NODES, 1)


def test_two_tasks_of_one_name_are_refused() -> None:
    """As when mpirun starts every task on one host: each would load for the other."""
    host = os.uname().nodename
    with pytest.raises(RunError, match="two tasks have this name|no agent started"):
        GroupTransport("local", (*LAUNCHER, "2", str(find_agent()), "group"), (host, "b"), 5)


def test_a_task_that_dies_is_lost_alone(
    group: GroupTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last test of this step: the others continue."""
    monkeypatch.setattr("seatrial.launchers.group.BEAT_LOST_S", 8.0)
    done = group.run("c3", "echo $PPID")
    os.kill(int(done.stdout), 9)
    limit_s = time.monotonic() + 60
    while group._nodes["c3"].lost is None and time.monotonic() < limit_s:
        time.sleep(0.2)
    with pytest.raises(RunError, match="c3: its agent has been silent"):
        group.run("c3", "true")
    assert group.run("c1", "echo on").stdout == "on\n"


def test_a_run_through_a_step(tmp_path: Path) -> None:
    """Every phase of a study, without ssh; the result names the step and the host of each node."""
    (tmp_path / "storage").mkdir()
    filesystem = subprocess.run(
        ["findmnt", "-n", "-o", "FSTYPE", "-T", tmp_path],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    environment = {
        "kind": "hosts",
        "launcher": "command",
        "command": f"{' '.join(LAUNCHER)} {{nodes}} {{command}}",
        "oversubscribe": True,
        "start_timeout": "60s",
    }
    data = {
        "schema": "study/1",
        "id": "stepped",
        "environment": environment,
        "nodes": {"c[1-3]": {}},
        "solution": {
            "kind": "mount",
            "directory": str(tmp_path / "storage"),
            "filesystem": filesystem,
        },
        "experiments": {"streams": {"workload": {"transfer_size": "64KiB", "file_size": "1MiB"}}},
        "criteria": [{"id": "intact", "check": "integrity"}],
    }
    path = tmp_path / "study.yaml"
    path.write_text(text_of(data))
    argv = [
        str(Path(sys.prefix) / "bin" / "seatrial"),
        "run",
        str(path),
        "--yes",
        "--out",
        str(tmp_path / "results"),
    ]
    with this_machine():
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [
        json.loads(line)
        for line in next(tmp_path.glob("results/*/result.jsonl")).read_text().splitlines()
    ]
    facts = next(line for line in lines if line["type"] == "system")["environment"]
    assert facts["launcher"] == "command"
    assert set(facts["hosts"]) == set(NODES)


@pytest.mark.parametrize(
    ("environment", "problem"),
    [
        ({"launcher": "slrum"}, "slurm"),
        ({"launcher": "slurm"}, "deployed as root by ssh"),
    ],
)
def test_a_launcher_that_cannot_work_is_refused(environment: dict[str, str], problem: str) -> None:
    """When the study is read."""
    with pytest.raises(InputError, match=problem):
        prepare(study(changed("environment", {"kind": "hosts", **environment})))


def test_a_batch_script_can_be_read() -> None:
    """And submitted by hand."""
    job = BatchJob(
        "scratch", NODES, ("seatrial", "run", "my study"), Path("/home/u"), Path("/home/u/out")
    )
    text = batch_script(job, names_exist=True)
    assert "#SBATCH --nodes=3\n#SBATCH --nodelist=c[1-3]\n" in text
    assert text.endswith("exec seatrial run 'my study'\n")
    assert "nodelist" not in batch_script(job, names_exist=False)


def test_a_batch_job_continues_the_run_that_is_named() -> None:
    """It gets the result, and no option that `--resume` excludes. A new run gets its profile."""
    study_path = Path("/home/u/scratch")
    result = Path("/home/u/results/scratch-20261101T080000Z")
    changes = ("nodes.n1.link=25Gbit/s",)
    resumed = command_of_job(study_path, options_of_resumed_run(result, changes))
    assert resumed[1:] == (
        "run",
        "/home/u/scratch",
        "--set",
        "nodes.n1.link=25Gbit/s",
        "--resume",
        str(result),
        "--yes",
    )
    options = options_of_new_run("quick", ("streams",), changes, Path("/home/u/results"))
    assert options == (
        "--quick",
        "--only",
        "streams",
        "--set",
        "nodes.n1.link=25Gbit/s",
        "--out",
        "/home/u/results",
    )


def on_slurm() -> dict[str, Any]:
    """A study of existing storage in an allocation of Slurm."""
    return {
        **{key: MINIMAL[key] for key in ("schema", "id", "criteria")},
        "environment": {"kind": "hosts", "launcher": "slurm"},
        "nodes": {"c[1-3]": {}},
        "solution": {"kind": "mount", "directory": "/scratch"},
        "experiments": {"one": {"workload": {"transfer_size": "1MiB", "file_size": "1MiB"}}},
    }


@pytest.mark.parametrize("resumes", [True, False])
def test_submit_passes_the_result_that_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, resumes: bool
) -> None:
    """The batch script of `run --submit --resume RESULT` has the option."""
    scripts: list[str] = []

    def submitted(script: Path, _say: object) -> int:
        scripts.append(script.read_text())
        return 0

    monkeypatch.setattr("seatrial.launchers.submit.submit", submitted)
    monkeypatch.setattr("seatrial.launchers.submit.nodes_of_cluster", frozenset)
    monkeypatch.setattr(
        "seatrial.load.resume.before", lambda *_: Selection("quick", (), EarlierMeasurements())
    )
    (tmp_path / "study.yaml").write_text(text_of(on_slurm()))
    resume = ("--resume", "old") if resumes else ("--quick",)
    done = in_process("run", "study.yaml", "--submit", "--yes", *resume, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (text,) = scripts
    assert (f"--resume {tmp_path / 'old'} --yes" in text) == resumes
    assert ("--quick" in text) != resumes
