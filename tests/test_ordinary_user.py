"""Existing storage is measured by an ordinary user of a cluster: no root, no ssh to this machine,
nothing left.
"""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError, RunError
from seatrial.faults.room import volume_of
from seatrial.labs.node_state import (
    NEEDED_KIB,
    NodeState,
    make_folder,
    not_available,
    places_in,
    state_of,
)
from seatrial.matrix.resolve import resolve
from seatrial.result.result import read_result
from seatrial.service.holding import held
from seatrial.solutions.kinds.mount import FUNCTIONS
from seatrial.start.new import client_counts, slurm_nodes, write_study
from seatrial.study.study import load_study
from seatrial.transport import Local
from tests.builders.ordinary import SEATRIAL, Account, account, is_possible
from tests.builders.strategies import text_of
from tests.builders.yaml_texts import loaded

as_user = pytest.mark.skipif(
    not is_possible(), reason="only root can make an account and a mount namespace"
)


@pytest.fixture(scope="module")
def user() -> Iterator[Account]:
    """One account for all tests."""
    with account() as made:
        yield made


def written(user: Account, **changes: Any) -> str:
    """A small study of the user's directory; returns its path."""
    data: dict[str, Any] = {
        "schema": "study/1",
        "id": "scratch",
        "environment": {"kind": "hosts"},
        "nodes": {"localhost": {}},
        "solution": {"kind": "mount", "directory": str(user.storage)},
        "experiments": {"streams": {"workload": {"transfer_size": "64KiB", "file_size": "1MiB"}}},
        "criteria": [{"id": "intact", "check": "integrity"}],
        **changes,
    }
    path = user.folder / "study.yaml"
    path.write_text(text_of(data))
    return str(path)


def state(user: Account) -> Path:
    """Where the user's agent and lock are on this machine."""
    return Path(f"/tmp/seatrial-{user.name}")


@as_user
def test_a_run_needs_no_root_and_leaves_nothing(user: Account) -> None:
    """From a study to a report: missing abilities are listed, and `undeploy` removes every file."""
    study = written(user)
    looked = user.run("preflight", study)
    assert looked.returncode == 0, looked.stderr
    assert "not available without root: emptying caches" in looked.stdout
    assert list(user.storage.iterdir()) == []
    done = user.run("run", study, "--yes", "--json", "--out", str(user.folder / "results"))
    assert done.returncode == 0, done.stderr
    (folder,) = (user.folder / "results").iterdir()
    result = read_result(folder)
    codes = {item["code"] for item in result.first("system")["not_available"]}
    assert {"caches", "server-telemetry", "kernel-stacks", "root-faults"} <= codes
    assert "Not available: the run had no root" in (folder / "report.html").read_text()
    work = user.storage / f"seatrial-{user.name}"
    assert [path.name for path in user.storage.iterdir()] == [work.name]
    assert [path.name for path in work.iterdir()] == [".seen-by-localhost"]
    for private in (work, state(user), *state(user).iterdir()):
        assert private.stat().st_mode & 0o777 == 0o700
        assert private.owner() == user.name
    assert user.run("undeploy", study, "--yes").returncode == 0
    assert list(user.storage.iterdir()) == []
    assert not state(user).exists()


@as_user
def test_remains_of_a_killed_controller_are_removed(user: Account) -> None:
    """Kill -9 in the middle of the load: the agent ends, and `undeploy` removes its files."""
    endless = {
        "transfer_size": "64KiB",
        "file_size": "1MiB",
        "time_based": True,
        "time_limit": "600s",
    }
    study = written(user, experiments={"streams": {"workload": {**endless, "phases": ["write"]}}})
    work = user.storage / f"seatrial-{user.name}"
    controller = subprocess.Popen(
        user.argv((SEATRIAL, "run", study, "--yes", "--out", "killed")),
        env=user.environment(),
        cwd=user.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for(lambda: any(path.is_file() for path in work.glob("streams-*/*")))
        refused = user.run("undeploy", study, "--yes")
        assert refused.returncode == 4
        assert "localhost is in use by the study scratch" in refused.stderr
        kill_controllers(user)
        controller.wait()
        wait_for(lambda: not processes_of(user))
    finally:
        kill_controllers(user)
    assert any(work.glob("streams-*"))
    (work / "notes").touch()
    assert user.run("undeploy", study, "--yes").returncode == 0
    assert [path.name for path in work.iterdir()] == ["notes"], "what no run has made stays"
    (work / "notes").unlink()
    assert user.run("undeploy", study, "--yes").returncode == 0
    assert list(user.storage.iterdir()) == []
    assert not state(user).exists()


def processes_of(user: Account) -> list[int]:
    """The processes of the user."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if path.owner() == user.name:
                found.append(int(path.name))
        except (FileNotFoundError, KeyError):
            continue
    return found


def kill_controllers(user: Account) -> None:
    """SIGKILL to every Seatrial of the user, and to nothing that it has started."""
    for process in processes_of(user):
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            if any(word.endswith(b"bin/seatrial") for word in words):
                os.kill(process, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue


def wait_for(condition: Any, limit_s: float = 120) -> None:
    """Until it holds."""
    limit = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.1)


@as_user
@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (
            "chown root {storage} && chmod 755 {storage}",
            "{storage} is not writable for {name}: name a directory that",
        ),
        (
            "mount -t tmpfs -o nr_inodes=1,mode=777 none {storage}",
            "{storage} is full: it has no free space or no free",
        ),
        (
            "mount -t tmpfs -o size=256k,mode=777 none {storage}",
            "streams writes 1 MiB to {storage}, which has ",
        ),
        ("mount -t tmpfs -o ro none {storage}", "{storage} is mounted read-only on this node"),
        ("mount -t tmpfs -o mode=755 none {folder}", "{storage}: no such directory on this node"),
    ],
)
def test_why_nothing_can_be_written_is_reported(user: Account, prepare: str, words: str) -> None:
    """In one line, with the node, and before any load."""
    study = written(user)
    places = {"storage": user.storage, "folder": user.folder, "name": user.name}
    # The directory as it is prepared is that of the namespace alone, except for its owner.
    keep = f"cp {study} /tmp/study-{user.name}.yaml; chmod 644 /tmp/study-{user.name}.yaml; "
    try:
        done = user.run(
            "run",
            f"/tmp/study-{user.name}.yaml",
            "--yes",
            "--out",
            f"/tmp/seatrial-{user.name}/results",
            prepare=keep + prepare.format(**places),
        )
    finally:
        os.chown(user.storage, user.folder.stat().st_uid, -1)
        Path(f"/tmp/study-{user.name}.yaml").unlink()
        shutil.rmtree(state(user), ignore_errors=True)
        shutil.rmtree(user.storage / f"seatrial-{user.name}", ignore_errors=True)
    assert done.returncode == 4, done.stderr
    assert words.format(**places) in done.stderr


@as_user
def test_a_folder_in_tmp_that_is_not_the_users_is_refused(user: Account) -> None:
    """Another user made it first: nothing is run from it."""
    state(user).mkdir(mode=0o777)
    try:
        done = user.run("run", written(user), "--yes")
    finally:
        state(user).rmdir()
    assert done.returncode == 4
    assert f"{state(user)} is a link, or not this user's" in done.stderr


@as_user
def test_a_session_has_a_place_that_its_login_removes(user: Account) -> None:
    """XDG_RUNTIME_DIR comes before /tmp, and SLURM_TMPDIR before both."""
    runtime = user.folder / "runtime"
    job = user.folder / "job"
    for folder in (runtime, job):
        folder.mkdir(mode=0o700)
        shutil.chown(folder, user.name, user.name)
    variables = [f"XDG_RUNTIME_DIR={runtime}"]
    study = written(user)
    assert user.run("deploy", study, "--yes", variables=variables).returncode == 0
    assert [path.name for path in runtime.iterdir()] == [f"seatrial-{user.name}"]
    assert user.run("undeploy", study, "--yes", variables=variables).returncode == 0
    assert list(runtime.iterdir()) == []
    variables.append(f"SLURM_TMPDIR={job}")
    assert user.run("deploy", study, "--yes", variables=variables).returncode == 0
    assert [path.name for path in job.iterdir()] == [f"seatrial-{user.name}"]
    assert user.run("undeploy", study, "--yes", variables=variables).returncode == 0
    assert list(user.storage.iterdir()) == []


@as_user
def test_a_node_that_refuses_ssh_is_named(user: Account) -> None:
    """With the way to try it; a user needs a login, not root."""
    config = user.folder / "ssh_config"
    config.write_text("Host closed\n  HostName 127.0.0.1\n  Port 9\n")
    environment = {"kind": "hosts", "ssh_config": str(config)}
    done = user.run("preflight", written(user, environment=environment, nodes={"closed": {}}))
    assert done.returncode == 4
    assert "closed: ssh: connect to host 127.0.0.1 port 9: Connection refused" in done.stderr
    assert "every node must accept your login over ssh" in done.stderr


# ---- the place of a user's files


def test_the_first_place_that_all_nodes_offer_is_used() -> None:
    """A job's folder that one node lacks would give it another path in jobs and scripts."""
    both = {"n1": "place /job\nplace /tmp\n", "n2": "no-kernel-log\nplace /tmp\n"}
    assert state_of(both, "/scratch").folder.startswith("/tmp/seatrial-")
    assert state_of(both, "/scratch") == state_of(both, "/scratch")
    assert state_of(both, "/scratch") != state_of(both, "/home"), (
        "two directories do not share a lock"
    )
    everywhere = dict.fromkeys(both, "place /job\nplace /tmp\n")
    assert state_of(everywhere, "/scratch").folder.startswith("/job/seatrial-")


def test_nodes_without_a_place_are_named() -> None:
    """All of them, as a set; where each has another one, every node."""
    lacking = {"n1": "place /tmp\n", "n2": "", "n3": "no-kernel-log\n"}
    with pytest.raises(
        RunError, match=rf"^n\[2-3\]: no place for the load agent.*{NEEDED_KIB // 1024} MiB"
    ):
        state_of(lacking, "/scratch")
    with pytest.raises(RunError, match=r"^n\[1-2\]: no place"):
        state_of({"n1": "place /a\n", "n2": "place /b\n"}, "/scratch")


def test_the_kernel_log_is_missing_where_a_node_denies_it() -> None:
    """The other nodes are not listed."""
    found = not_available(("n1", "n2"), {"n1": "place /tmp\n", "n2": "place /tmp\nno-kernel-log\n"})
    assert {item.code: item.nodes for item in found}["kernel-log"] == ("n2",)
    assert all(item.nodes == ("n1", "n2") for item in found if item.code != "kernel-log")
    silent_nowhere = not_available(("n1",), {"n1": "place /tmp\n"})
    assert "kernel-log" not in {item.code for item in silent_nowhere}
    assert places_in("no-kernel-log\nplace /tmp\n") == ("/tmp",)


def test_a_user_locks_each_directory(tmp_path: Path) -> None:
    """Two runs of one directory exclude each other; of two directories they do not."""
    one = NodeState(f"{tmp_path}/u/one")
    other = NodeState(f"{tmp_path}/u/other")
    words = "^n1 is in use by the study first "
    with held(Local(), ["n1"], "first", one):
        with pytest.raises(RunError, match=words), held(Local(), ["n1"], "second", one):
            pass
        with held(Local(), ["n1"], "second", other):
            pass
    with held(Local(), ["n1"], "second", one):
        pass
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "u").iterdir()} == {0o700}


def test_a_lock_in_a_removed_folder_excludes_no_one(tmp_path: Path) -> None:
    """`undeploy` of another process removed it before it was locked, and a third process made it
    again.
    """
    where = NodeState(f"{tmp_path}/u/one")
    made = make_folder(where.folder)
    assert Local().run("n1", made).exit_code == 0
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "flock").write_text(f"#!/bin/sh\nrm {where.lock}\n: >{where.lock}\n")
    (tools / "flock").chmod(0o755)

    class Racing(Local):
        def _argv(self, node: str, command: str) -> list[str]:
            return super()._argv(node, f"PATH={tools}:$PATH\n{command}")

    with (
        pytest.raises(RunError, match="^n1 could not be locked"),
        held(Racing(), ["n1"], "first", where),
    ):
        pass


# ---- messages


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            "mkdir: cannot create directory 'x': Disk quota exceeded",
            "the disk quota of .* is exceeded",
        ),
        ("mkdir: cannot create directory 'x': No space left on device", "/scratch is full"),
        ("mkdir: cannot create directory 'x': Stale file handle", "Stale file handle"),
    ],
)
def test_the_reason_of_a_refusal_is_in_words(tmp_path: Path, message: str, words: str) -> None:
    """A quota cannot be set up in a test: mkdir prints its message."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "mkdir").write_text(f'#!/bin/sh\necho "{message}" >&2\nexit 1\n')
    (tools / "mkdir").chmod(0o755)
    script = f"PATH={tools}:$PATH\n{FUNCTIONS}\nmake_work_folder /scratch/seatrial-alice /scratch"
    done = Local().run("n1", script)
    assert done.exit_code == 1
    assert re.search(words, done.stderr)


def test_a_study_of_named_nodes_needs_no_edit(tmp_path: Path) -> None:
    """The sweep has powers of two and all nodes; with one node it sweeps tasks."""
    write_study("mount", tmp_path / "six", directory=Path("/scratch"), nodes="n[1-6]")
    six = load_study(tmp_path / "six")
    assert six.node_names() == ("n1", "n2", "n3", "n4", "n5", "n6")
    assert six.experiments["streams"].sweep == {"clients": (1, 2, 4, 6)}
    assert six.experiments["steady"].sweep == {"clients": (1, 6)}
    write_study("mount", tmp_path / "one", directory=Path("/scratch"), nodes="n1")
    assert set(load_study(tmp_path / "one").experiments["streams"].sweep) == {"tasks"}
    with pytest.raises(InputError, match="--nodes: .* is not a valid node set"):
        write_study("mount", tmp_path / "none", directory=Path("/scratch"), nodes="n[1-")
    with pytest.raises(InputError, match="--nodes and --slurm are for mount"):
        write_study("nfs", tmp_path / "none", nodes="n1")
    assert not (tmp_path / "none").exists()


def test_an_allocation_names_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """sbatch(1): SLURM_JOB_NODELIST is a node set."""
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    monkeypatch.delenv("SLURM_NODELIST", raising=False)
    with pytest.raises(InputError, match="SLURM_JOB_NODELIST is not set"):
        slurm_nodes()
    monkeypatch.setenv("SLURM_JOB_NODELIST", "node[01-02],gpu7")
    assert slurm_nodes() == "node[01-02],gpu7"
    assert [client_counts(number) for number in (1, 2, 5, 16)] == [
        [1],
        [1, 2],
        [1, 2, 4, 5],
        [1, 2, 4, 8, 16],
    ]


def test_a_study_of_an_allocation_starts_by_srun(tmp_path: Path) -> None:
    """`--slurm` needs no edit of the study, and no ssh."""
    directory = Path("/scratch")
    write_study("mount", tmp_path / "ssh", directory=directory, nodes="n[1-4]")
    write_study("mount", tmp_path / "srun", directory=directory, nodes="n[1-4]", launcher="slurm")
    environments = [
        loaded((tmp_path / name / "study.yaml").read_text())["environment"]
        for name in ("ssh", "srun")
    ]
    assert environments == [{"kind": "hosts"}, {"kind": "hosts", "launcher": "slurm"}]
    assert load_study(tmp_path / "srun").environment.kind == "hosts"


def test_the_volume_of_a_quick_run_is_known_before(tmp_path: Path) -> None:
    """Bytes and files of all repeats; the time limits leave two of five minutes for the rest."""
    write_study("mount", tmp_path / "all", directory=Path("/scratch"), nodes="n[1-16]")
    study = load_study(tmp_path / "all").in_profile("quick")
    volume = volume_of(resolve(study, "quick").planned_experiments)
    clients = 1 + 16
    assert volume.files == clients * (2 * 4 + 100 + 1)
    assert volume.size_bytes == clients * (2 * 4 * 256 * 2**20 + 100 * 4096 + 4 * 2**20)
    assert volume.limit_s is not None
    assert volume.limit_s <= 180
