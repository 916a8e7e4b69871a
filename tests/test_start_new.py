"""`seatrial new`: the studies that it writes."""

import errno
import json
import os
import re
from pathlib import Path

import pytest

from seatrial.basics.errors import InputError
from seatrial.basics.yamlstyle import COLUMNS, styled
from seatrial.check import prepare
from seatrial.solutions.base import solution_kinds
from seatrial.solutions.starter import starters
from seatrial.start.new import (
    Storage,
    Where,
    file_system_of,
    identity,
    study_text,
    write_study,
)
from seatrial.study.study import load_study, parse_study
from tests.builders.commands import seatrial

EVERY: list[tuple[str, Where]] = [
    *(
        (kind, where)
        for kind in starters()
        for where in ("lab", "hosts")
        if (kind, where) != ("mount", "lab")
    ),
    ("mount", "here"),
]
HERE = Storage("/mnt/scratch", "xfs")


@pytest.mark.parametrize(("kind", "where"), EVERY)
def test_a_new_study_loads_and_plans(tmp_path: Path, kind: str, where: Where) -> None:
    """Each kind, for the lab and for hosts: every profile holds together, there is a plan, and it
    claims something.
    """
    folder = tmp_path / "mine"
    assert (
        write_study(kind, folder, hosts={"lab": False, "hosts": True, "here": None}[where]) == where
    )
    found = load_study(folder)
    site, solution = prepare(found)
    assert found.id == "mine"
    assert found.solution.kind == kind
    assert site.kind == ("emulated" if where == "lab" else "hosts")
    assert solution.plan({}).stages
    assert solution.removal({}).stages
    assert found.experiments
    assert {"integrity", *([] if kind == "mount" else ["bound"])} <= {
        claim.check for claim in found.criteria
    }
    text = (folder / "study.yaml").read_text()
    assert styled(text, folder) == text
    assert max(map(len, text.splitlines())) <= COLUMNS


@pytest.mark.parametrize(("kind", "where"), EVERY)
def test_the_commented_parts_are_valid_too(kind: str, where: Where) -> None:
    """The faults for later: without the `# `, the study has faults."""
    if kind == "script":
        pytest.skip("its scripts lie in a folder; nfs has the same lines")
    text = study_text(kind, "mine", where=where, storage=HERE)
    later = re.sub(r"(?m)^# (?=fault|background|  )", "", text)
    if later != text:
        found = parse_study(later, Path("study.yaml"))
        prepare(found)
        assert found.faults
        assert {"outage", "faults"} <= {claim.check for claim in found.criteria}


@pytest.mark.parametrize("where", ["here", "hosts"])
def test_the_criteria_of_existing_storage_that_are_comments_are_valid(where: Where) -> None:
    """Without the `# ` they are criteria of experiments that the study has."""
    storage = HERE if where == "here" else Storage("/gpfs/scratch", "gpfs", direct=True)
    text = study_text("mount", "mine", where=where, storage=storage)
    with_criteria = re.sub(r"(?m)^  # (?=- \{id: )", "  ", text)
    found = parse_study(with_criteria, Path("study.yaml"))
    prepare(found)
    assert {"spread", "throughput", "latency"} <= {claim.check for claim in found.criteria}


def test_there_is_a_study_for_every_kind() -> None:
    """Also for one that is added."""
    assert sorted(starters()) == sorted(solution_kinds())


def test_new_refuses_an_impossible_study(tmp_path: Path) -> None:
    """In a sentence with a correction; existing files stay."""
    folder = tmp_path / "mine"
    write_study("nfs", folder)
    before = (folder / "study.yaml").read_text()
    with pytest.raises(InputError, match="exists; nothing was written"):
        write_study("smb", folder)
    assert (folder / "study.yaml").read_text() == before
    with pytest.raises(InputError, match="no study for a solution 'zfs'; one of cephfs, "):
        write_study("zfs", tmp_path / "other")
    with pytest.raises(InputError, match="a lab has none"):
        write_study("mount", tmp_path / "other", hosts=False)
    with pytest.raises(InputError, match="mount measures an existing directory"):
        write_study("nfs", tmp_path / "other", directory=tmp_path)
    with pytest.raises(InputError, match="no such directory on this machine"):
        write_study("mount", tmp_path / "other", directory=tmp_path / "missing")
    with pytest.raises(InputError, match="begin with a letter"):
        write_study("nfs", tmp_path / "9")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("name", "wanted"), [("My Study_2", "my-study-2"), ("nfs", "nfs"), ("a--b.", "a-b")]
)
def test_a_study_is_called_like_its_folder(name: str, wanted: str) -> None:
    """As an id may be written."""
    assert identity(Path(name)) == wanted


def test_the_kinds_are_named_by_the_help() -> None:
    """Every one."""
    reported = seatrial("new", "--help").stdout
    assert all(re.search(rf"\b{kind}\b", reported) for kind in starters())


def test_new_for_existing_storage_deploys_nothing(tmp_path: Path) -> None:
    """Its hints can be pasted, too."""
    done = seatrial("new", "mount", "mine", "--hosts", "--directory", "/gpfs/home", cwd=tmp_path)
    assert done.stdout.splitlines()[1:] == [
        "  seatrial validate mine",
        "  seatrial list mine",
        "  seatrial preflight mine",
        "  seatrial run mine --quick",
    ]
    assert load_study(tmp_path / "mine").solution.options()["directory"] == "/gpfs/home"
    again = seatrial("new", "mount", "mine", "--hosts", cwd=tmp_path)
    assert "seatrial new mount ANOTHER-FOLDER --hosts" in again.stderr
    assert (
        "seatrial new mount other, of this machine"
        in seatrial("new", "mount", "other", "--lab", cwd=tmp_path).stderr
    )


@pytest.mark.parametrize("code", [0, errno.EINVAL, errno.EIO])
def test_direct_reads_are_requested_where_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """open(2): EINVAL, the file system does not support O_DIRECT; nothing is left of the try."""
    really = os.open

    def tried(path: str, flags: int, *more: int) -> int:
        if flags & os.O_DIRECT and code:
            raise OSError(code, os.strerror(code))
        return really(path, flags & ~os.O_DIRECT, *more)

    monkeypatch.setattr(os, "open", tried)
    write_study("mount", tmp_path / "mine", directory=tmp_path)
    load = load_study(tmp_path / "mine").experiments["streams"].workload
    assert load.direct == (code != errno.EINVAL)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_directory_of_this_machine_is_measured_unchanged(tmp_path: Path) -> None:
    """A default directory is created; a named one is inspected, and the message names its
    file system.
    """
    done = seatrial("new", "mount", "mine", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "it measures this machine" in done.stdout
    made = load_study(tmp_path / "mine").solution.options()
    assert made == {
        "directory": str(tmp_path / "mine/storage"),
        "filesystem": file_system_of(tmp_path),
    }
    assert list((tmp_path / "mine/storage").iterdir()) == []
    (tmp_path / "there").mkdir()
    assert seatrial("new", "mount", "other", "--directory", "there", cwd=tmp_path).returncode == 0
    found = load_study(tmp_path / "other")
    assert found.solution.options()["directory"] == str(tmp_path / "there")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["study.yaml"]
    assert found.node_names() == ("localhost",)
    blank = tmp_path / "a b"
    blank.mkdir()
    done = seatrial("new", "mount", "mine", cwd=blank)
    assert done.returncode == 2
    assert "is not a valid absolute path" in done.stderr
    assert "--directory /mnt/scratch" in done.stderr
    assert list(blank.iterdir()) == []


def test_a_new_study_of_this_machine_runs(tmp_path: Path) -> None:
    """As written: without an edit, without a host, without a lab."""
    assert seatrial("new", "mount", "mine", cwd=tmp_path).returncode == 0
    done = seatrial("run", "mine", "--quick", "--yes", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [item["verdict"] for item in json.loads(done.stdout)["verdicts"]] == ["pass"]


def test_hints_can_be_pasted_whatever_the_folder_is_called(tmp_path: Path) -> None:
    """A blank is one for a shell."""
    done = seatrial("new", "nfs", "my study", cwd=tmp_path)
    assert "  seatrial validate 'my study'" in done.stdout
    assert "  seatrial run 'my study' --quick" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("new", "nfs", "FILE/x"),
        ("new", "nfs", "x" * 300),
        ("validate", "x" * 300),
        ("report", "x" * 300),
    ],
)
def test_a_path_that_cannot_be_one_is_a_users_mistake(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    """A file holds no folder, and a name has a limit: exit code 2, and a remedy."""
    (tmp_path / "FILE").write_text("")
    done = seatrial(*words, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "hint: give another " in done.stderr
    assert "defect" not in done.stderr


def test_new_prints_the_next_steps(tmp_path: Path) -> None:
    """Each line is a command that can be pasted."""
    done = seatrial("new", "nfs", "mine", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "  seatrial run mine --quick" in done.stdout
    assert seatrial("plan", "mine", cwd=tmp_path).returncode == 0
