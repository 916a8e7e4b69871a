"""Existing storage: its inspection, and whether a cache may have answered."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError, RunError
from seatrial.basics.login import login_name
from seatrial.cases import vary
from seatrial.check import prepare
from seatrial.load.cached import may_be_cached
from seatrial.matrix.manifest import manifest_of
from seatrial.matrix.resolve import resolve
from seatrial.plan.plan import Plan, render
from seatrial.result.phases import ClientResult
from seatrial.service.workplace import make_directory, require_room, shell
from seatrial.solutions.parts.steps import seen_by
from seatrial.study.points import points
from seatrial.study.workload import Workload
from seatrial.transport import Local
from tests.builders.mounts import mounted, solution
from tests.builders.strategies import study

GIB = 2**30
FOLDER = f"seatrial-{login_name()}"
"""the folder that a study makes in the directory"""


def executed(plan: Plan, node: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Every stage of a node in sequence, as far as they succeed."""
    done = subprocess.CompletedProcess[str]([], 0, "", "")
    for number, stage in enumerate(plan.stages, start=1):
        if node not in stage.steps:
            continue
        script = render(plan, number, stage.steps[node])
        done = subprocess.run(
            ["sh", "-s", "apply", node],
            input=script,
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
        )
        if done.returncode:
            return done
    return done


def test_it_takes_ten_lines() -> None:
    """It needs only a directory and nodes; no server is known."""
    site, found = prepare(study(mounted()))
    assert (found.servers, found.clients, found.storage_nodes) == ((), ("n1", "n2", "n3"), ())
    assert found.data_path(2).bound("read").name == "client links"  # type: ignore[union-attr]
    assert not found.empty_caches(found.clients).stages
    assert site.kind == "hosts"


def test_a_fault_needs_no_server_that_the_study_does_not_know() -> None:
    """The manifest of a run asks for no server of a service: `check: faults` can pass."""
    fault = {"kind": "shell", "node": "n1", "command": "fail-over", "repair": "fail-back"}
    load = {
        "writes": {"workload": {"phases": ["write"], "transfer_size": "4KiB", "file_size": "4MiB"}}
    }
    with_fault = study(mounted() | {"background_load": load, "faults": {"failover": fault}})
    manifest = manifest_of(resolve(with_fault, "full"), {}, study_text="", published_text=None)
    assert [(item.name, item.services) for item in manifest.faults] == [("failover", ())]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"solution": {"kind": "mount", "directory": "gpfs"}}, "is not a valid absolute path"),
        (
            {"solution": {"kind": "mount", "directory": "/gpfs", "clients": "x1"}},
            "'x1' is not a node",
        ),
        ({"nodes": {"n1": {"disks": {"devices": ["/dev/sdb"]}}}}, "has its own disks"),
        (
            {
                "experiments": {
                    "e": {"workload": {"transfer_size": "1MiB", "file_size": "1MiB", "local": True}}
                }
            },
            "no server of mount",
        ),
        (
            {
                "experiments": {
                    "e": {
                        "workload": {"transfer_size": "1MiB", "file_size": "1MiB", "server_load": 1}
                    }
                }
            },
            "no server of",
        ),
    ],
)
def test_a_mismatch_is_refused(change: dict[str, Any], words: str) -> None:
    """With its place."""
    with pytest.raises(InputError, match=words):
        prepare(study(mounted() | change))


def test_a_directory_on_the_root_file_system_is_refused(tmp_path: Path) -> None:
    """The storage is not mounted: its own disk would be loaded. Nothing is written."""
    done = executed(solution("/etc/").plan({}), "n1", tmp_path)
    assert "is the storage mounted?" in done.stderr
    assert not Path(f"/etc/{FOLDER}").exists()


def test_another_file_system_than_the_study_names_is_refused(tmp_path: Path) -> None:
    """GPFS is expected, and another file system is found."""
    done = executed(solution(str(tmp_path), filesystem="gpfs").plan({}), "n1", tmp_path)
    assert "is not on a file system of type gpfs" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_storage_that_is_mounted_read_only_is_refused(tmp_path: Path) -> None:
    """Before any attempt; a file system with a source called ro is not read-only."""

    def reported(options: str) -> str:
        (tmp_path / "findmnt").write_text(
            f"#!/bin/sh\ncase $* in *OPTIONS*) echo {options} ;; *) echo x ;; esac\n"
        )
        (tmp_path / "findmnt").chmod(0o755)
        plan = solution(str(tmp_path), filesystem="x", clients="n1").plan({})
        script = render(plan, 1, plan.stages[0].steps["n1"])
        return subprocess.run(
            ["sh", "-s", "apply", "n1"],
            input=script,
            capture_output=True,
            text=True,
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
            check=False,
        ).stderr

    for options in ("ro", "ro,relatime", "rw,relatime,ro"):
        assert f"{tmp_path} is mounted read-only on this node" in reported(options)
    for options in ("rw", "rw,errors=remount-ro", "rw,fsname=ro"):
        assert "read-only" not in reported(options)


def local(path: Path) -> str:
    """The type of a path's file system."""
    words = ["findmnt", "-n", "-o", "FSTYPE", "-T", str(path)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()[-1]


def test_a_folder_is_created_and_removed(tmp_path: Path) -> None:
    """Each client writes, and every client sees it; afterwards nothing remains. Foreign files
    stay.
    """
    found = solution(str(tmp_path), filesystem=local(tmp_path), clients="n1")
    for _ in range(2):
        assert executed(found.plan({}), "n1", tmp_path).returncode == 0
        assert [path.name for path in (tmp_path / FOLDER).iterdir()] == [".seen-by-n1"]
        (tmp_path / FOLDER / "kept").touch()
        assert executed(found.removal({}), "n1", tmp_path).returncode == 0
        assert [path.name for path in (tmp_path / FOLDER).iterdir()] == ["kept"]
        (tmp_path / FOLDER / "kept").unlink()
        assert executed(found.removal({}), "n1", tmp_path).returncode == 0
        assert list(tmp_path.iterdir()) == []


def test_a_client_that_sees_another_storage_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of the others are missing."""
    monkeypatch.setattr("seatrial.solutions.parts.steps.SEEN_WITHIN_S", 0)
    found = solution(str(tmp_path), filesystem=local(tmp_path))
    done = executed(found.plan({}), "n2", tmp_path)
    assert (
        f"{tmp_path} is not the same storage here: the folder that n1 made is not seen"
        in done.stderr
    )
    (tmp_path / FOLDER).mkdir()
    done = executed(found.plan({}), "n2", tmp_path)
    assert f"{tmp_path} is not the same storage here: nothing of n1 n3 is seen" in done.stderr


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """Another user could have created it to redirect root's files."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / FOLDER).symlink_to("elsewhere")
    done = executed(solution(str(tmp_path), filesystem=local(tmp_path)).plan({}), "n1", tmp_path)
    assert "exists and is not a folder" in done.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


def client(name: str, available_bytes: int | None = 4 * GIB) -> ClientResult:
    """The agent's report on its memory."""
    seen = () if available_bytes is None else ({"memory_available_bytes": available_bytes},)
    return ClientResult(name, 0, 0, 1.0, (), 0.0, {}, (), 0, (), (), 0.0, telemetry=seen)


@pytest.mark.parametrize(
    ("workload", "clients", "server_memory", "expected"),
    [
        ({}, 1, None, "the client's and the storage's own"),
        ({}, 3, None, "the storage's own"),
        ({"read": "own"}, 3, None, "the clients' and the storage's own"),
        ({"direct": True}, 1, "16GiB", "the servers'"),
        ({"direct": True, "file_size": "32GiB"}, 1, "16GiB", None),
        ({"file_size": "8GiB"}, 1, "4GiB", None),
        ({"file_size": "7GiB"}, 1, "1GiB", "the client's"),
        ({"file_size": "32GiB"}, 3, "48GiB", None),
    ],
)
def test_the_cache_that_may_have_answered_is_named(
    workload: dict[str, Any], clients: int, server_memory: str | None, expected: str | None
) -> None:
    """O_DIRECT, another reader, or twice the memory exclude it."""
    data = mounted(**({"server_memory": server_memory} if server_memory else {}))
    data["experiments"]["streams"]["workload"] |= workload
    made = study(data)
    point = next(item for item in points(made.experiments["streams"], 3) if item.clients == clients)
    everyone = [client(f"n{number}") for number in range(clients)]
    assert may_be_cached(vary(made).solution, point, "read", everyone) == expected
    assert may_be_cached(vary(made).solution, point, "write", everyone) is None


def test_without_telemetry_a_cache_is_not_excluded() -> None:
    """The size of the client's cache is unknown."""
    made = study(mounted(server_memory="1MiB"))
    point = points(made.experiments["streams"], 3)[0]
    assert may_be_cached(vary(made).solution, point, "read", [client("n1", None)]) == "the client's"


def test_emptied_caches_are_not_marked() -> None:
    """A solution with emptied caches needs no estimate."""
    made = study()
    point = points(made.experiments["one"], 4)[0]
    assert may_be_cached(vary(made).solution, point, "read", [client("c1")]) is None


def test_no_directory_is_created_through_a_link(tmp_path: Path) -> None:
    """A user with write access to the storage could have replaced the folder by one."""
    base = tmp_path / "storage"
    elsewhere = tmp_path / "elsewhere"
    base.mkdir()
    elsewhere.mkdir()
    (base / "seatrial").symlink_to(elsewhere)
    (elsewhere / Path(seen_by(f"{base}/seatrial", "here")).name).touch()
    with pytest.raises(RunError, match="is a link"):
        make_directory(Local(), "here", str(base), f"{base}/seatrial/run")
    assert not (elsewhere / "run").exists()


def test_a_link_to_nowhere_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No process waits for its target."""
    base = tmp_path / "storage"
    tools = tmp_path / "tools"
    base.mkdir()
    tools.mkdir()
    for name, text in (("mountpoint", "exit 0"), ("sleep", "echo waited >&2; exit 1")):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    (base / "seatrial").symlink_to(tmp_path / "nowhere")
    with pytest.raises(RunError, match="is a link") as error:
        make_directory(Local(), "here", str(base), f"{base}/seatrial/run")
    assert "waited" not in str(error.value)
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_that_another_client_made_is_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFS: the server has it, but this client caches its absence until it lists the parent
    folder.
    """
    base = tmp_path / "storage"
    tools = tmp_path / "tools"
    base.mkdir()
    tools.mkdir()
    scripts = {
        "mountpoint": "exit 0",
        "sync": "exit 0",
        "mkdir": '[ "$1" != -m ] || { echo "mkdir: x: File exists" >&2; exit 1; }\n/bin/mkdir "$@"',
        "ls": f"/bin/mkdir {base}/seatrial",
    }
    for name, text in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    make_directory(Local(), "here", str(base), f"{base}/seatrial/run")
    assert (base / "seatrial" / "run").is_dir()
    (tools / "mkdir").write_text("#!/bin/sh\necho 'mkdir: Read-only file system' >&2\nexit 1\n")
    with pytest.raises(RunError, match="Read-only file system"):
        make_directory(Local(), "here", str(base), f"{base}/seatrial/other")


def test_storage_without_room_is_not_filled(tmp_path: Path) -> None:
    """The planned size is compared with the free space; a storage without a report of it passes."""
    require_room(Local(), "n1", str(tmp_path), 1, "streams clients=1")
    with pytest.raises(
        RunError, match=r"streams clients=1 writes 1000 TiB to .*, which has [0-9.]+ .iB free"
    ) as error:
        require_room(Local(), "n1", str(tmp_path), 1000 * 2**40, "streams clients=1")
    assert "smaller file" in str(error.value.hint)
    require_room(Local(), "n1", str(tmp_path / "missing"), 2**60, "streams clients=1")


def test_other_nodes_reach_this_machine_by_its_address() -> None:
    """Its localhost is another machine for them."""
    data = {**mounted(), "nodes": {"localhost": {}, "n1": {}}}
    with pytest.raises(
        InputError, match=r"nodes\.localhost: other nodes know it by another name: add its address"
    ):
        prepare(study(data))
    site, _ = prepare(
        study(
            {**data, "nodes": {"localhost": {"address": "10.0.0.1"}, "n1": {}}, "experiments": {}}
        )
    )
    assert site.nodes["localhost"].address == "10.0.0.1"


@pytest.mark.parametrize(
    ("workload", "stored_mib"),
    [
        ({"transfer_size": "1MiB", "file_size": "8MiB"}, 8),
        ({"transfer_size": "1MiB", "file_size": "8MiB", "tasks": 4, "time_limit": "1s"}, 4 * 8),
        (
            {
                "transfer_size": "64KiB",
                "file_size": "64KiB",
                "phases": ["create", "stat"],
                "tree": {"items": 32},
            },
            2,
        ),
    ],
)
def test_data_on_the_storage_at_the_same_time_add_up(
    workload: dict[str, Any], stored_mib: float
) -> None:
    """A time limit makes no exception: a file is prepared completely, and the work within the
    limit is unknown.
    """
    assert Workload.model_validate(workload).stored_bytes(1) == stored_mib * 2**20


def test_root_follows_no_foreign_link(tmp_path: Path) -> None:
    """A user with write access to the directory can create our folder first: a link in it, or
    the folder, is refused.
    """
    place = tmp_path / "scratch"
    outside = tmp_path / "outside"
    (place / FOLDER).mkdir(parents=True)
    (place / FOLDER / ".seen-by-n1").symlink_to(outside)
    plan = solution(str(place), filesystem=local(tmp_path), clients="n1").plan({})
    done = executed(plan, "n1", tmp_path)
    assert done.returncode != 0
    assert ".seen-by-n1" in done.stderr
    assert not outside.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make another's folder")
def test_the_folder_belongs_to_root_or_the_owner_of_the_directory(tmp_path: Path) -> None:
    """Another user's folder could get links at any time."""
    place = tmp_path / "scratch"
    folder = place / FOLDER
    folder.mkdir(parents=True)
    os.chown(folder, 12345, 12345)
    plan = solution(str(place), filesystem=local(tmp_path), clients="n1").plan({})
    done = executed(plan, "n1", tmp_path)
    assert done.returncode != 0
    assert "belongs to the user 12345, who could put links there" in done.stderr
    for of_folder, of_place in ((65534, 0), (12345, 12345)):
        os.chown(folder, of_folder, 0)
        os.chown(place, of_place, 0)
        done = executed(plan, "n1", tmp_path)
        assert done.returncode == 0, done.stderr


def test_a_folder_that_root_cannot_own_is_removed(tmp_path: Path) -> None:
    """Where a server maps root to another user with unknown files."""
    place = tmp_path / "scratch"
    place.mkdir()
    step = solution(str(place))._made()
    stat = f"{step.functions}\nstat() {{ case $3 in */{FOLDER}) echo 77 ;; *) echo 0 ;; esac; }}\n"
    done = subprocess.run(
        ["sh", "-c", stat + step.apply], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "the server maps root to another user here" in done.stderr
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("false\necho 'it is gone' >&2; exit 1", "here: it is gone"),
        ("sh -c 'exit 4'", "here: sh -c 'exit 4': 4"),
    ],
)
def test_a_failed_script_is_reported_by_its_output(command: str, words: str) -> None:
    """Twelve lines of sh do not belong into a verdict."""
    with pytest.raises(RunError) as caught:
        shell(Local(), "here", command)
    assert str(caught.value) == words
