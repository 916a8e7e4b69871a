"""Stage 0 of every plan: its refusals, shown on nodes that are folders and loop devices, and
that it only reads.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import RunError
from seatrial.check import prepare
from seatrial.plan.library import functions_for
from seatrial.plan.plan import Plan, Stage, Step, command_step
from seatrial.service.deploy import apply_plan
from seatrial.solutions.base import solution_kinds
from seatrial.solutions.look import (
    FUNCTIONS,
    RESOURCE_CHECKS,
    TITLE,
    _check,
    _marked_step,
    deployment,
)
from seatrial.solutions.parts import volumes
from seatrial.solutions.parts.raid import erase
from seatrial.transport import Local
from tests.builders.nodes import SIZE, Recording, filled, laid
from tests.builders.places import DATA
from tests.builders.plan_fixtures import PLANS, both_plans, study_of
from tests.builders.strategies import study
from tests.builders.yaml_texts import loaded

CASES = loaded((DATA / "look" / "nodes.yaml").read_text())


LOOP = os.geteuid() == 0 and shutil.which("losetup") is not None


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[list[str]]:
    """Two loop devices of 8 MiB that hold zeros."""
    found: list[str] = []
    try:
        for name in ("one", "two"):
            (tmp_path / name).touch()
            os.truncate(tmp_path / name, SIZE)
            done = subprocess.run(
                ["losetup", "--find", "--show", tmp_path / name],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                pytest.skip(f"no loop device: {done.stderr.strip()}")
            found.append(done.stdout.strip())
        yield found
    finally:
        for device in found:
            subprocess.run(["losetup", "--detach", device], check=False)


def fingerprint(folder: Path) -> dict[str, bytes]:
    """Every file of a node with its content."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def looked(root: Path, script: str) -> subprocess.CompletedProcess[str]:
    """The output of a preflight check of a node, run like the script of a stage: `set -e`
    applies to its children.
    """
    check = _check("x", script).check
    return subprocess.run(
        ["sh", "-s"],
        input=(
            f"node=nas\n{FUNCTIONS}asked() {{\n{check}\n}}\nif (set -e; asked); then exit 0;"
            " fi\nexit 1\n"
        ),
        capture_output=True,
        text=True,
        env={"PATH": f"{root}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "SEATRIAL_ROOT": str(root)},
        timeout=60,
        check=False,
    )


def judged(case: Mapping[str, Any], root: Path, names: Mapping[str, str]) -> None:
    """The check prints the expected output of the case, and the node is unchanged."""
    before = fingerprint(root)
    done = looked(root, filled(case["look"], names))
    wanted = case.get("refuses")
    assert (done.returncode != 0) == (wanted is not None), done.stdout + done.stderr
    if wanted:
        assert filled(wanted, names) in done.stdout, done.stdout + done.stderr
        assert "refused: " in done.stdout
    assert fingerprint(root) == before


def ids(cases: list[Any]) -> list[str]:
    """The subject of each."""
    return [f"{case['look'].split()[0]}: {case['name']}" for case in cases]


WITHOUT_DISKS = [case for case in CASES if "DISK" not in case["look"]]


WITH_DISKS = [case for case in CASES if "DISK" in case["look"]]


@pytest.mark.parametrize("case", WITHOUT_DISKS, ids=ids(WITHOUT_DISKS))
def test_foreign_services_are_left_alone(case: dict[str, Any], tmp_path: Path) -> None:
    """Clusters, targets, sessions, maps, exports and mounts: running, stopped or configured."""
    laid(case, tmp_path, {})
    judged(case, tmp_path, {})


@pytest.mark.skipif(not LOOP, reason="only root can make a loop device")
@pytest.mark.parametrize("case", WITH_DISKS, ids=ids(WITH_DISKS))
def test_foreign_disks_are_left_alone(
    case: dict[str, Any], tmp_path: Path, disks: list[str]
) -> None:
    """By their users, by the data that tools recognise on them, and by bytes that no tool
    recognises.
    """
    root = tmp_path / "node"
    image = tmp_path / "one"
    root.mkdir()
    (tmp_path / "link").symlink_to(disks[0])
    disk = str(tmp_path / "nothing") if case.get("missing") else disks[0]
    names = {
        "DISK": disk,
        "OTHER": disks[1],
        "LINK": str(tmp_path / "link"),
        "OTHERNAME": Path(disks[1]).name,
        "NAME": Path(disks[0]).name,
        "NUMBER": "7:77",
    }
    laid(case, root, names)
    for key in ("make", "make_other"):
        if key in case:
            subprocess.run(filled(case[key], names).split(), check=True, capture_output=True)
    with Path(disks[0]).open("r+b", buffering=0) as file:
        for offset, text in case.get("bytes", {}).items():
            file.seek(offset, os.SEEK_END if offset < 0 else os.SEEK_SET)
            sector = file.tell() // 512 * 512
            inside = file.tell() - sector
            file.seek(sector)
            data = bytearray(file.read(4096) or b"")
            data[inside : inside + len(text)] = text.encode("latin-1")
            file.seek(sector)
            file.write(data)
        if "fill" in case:
            start, size = case["fill"]
            file.seek(start)
            file.write(os.urandom(size))
        os.fsync(file.fileno())
    content = image.read_bytes()
    judged(case, root, names)
    assert image.read_bytes() == content


def test_the_set_is_large_enough() -> None:
    """Every look is in it, and refuses in it."""
    assert len(CASES) >= 60
    refused = {case["look"].split()[0] for case in CASES if case.get("refuses")}
    assert refused == {check.function for check in RESOURCE_CHECKS.values()} | {
        "look_twice",
        "look_disks",
        "no_planted",
        "only_own_volumes",
    }


# ---- in plans


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_begins_with_a_preflight_check_and_a_mark(name: str) -> None:
    """On every node that the plan names; a removal ends with the mark.

    Storage of the site's own has neither.
    """
    found = study_of(name)
    site, _ = prepare(found)
    plan, undone = both_plans(name)
    if found.solution.kind == "mount":
        assert [plan.stages[0].title, undone.stages[0].title] == [
            "preflight check",
            "preflight check",
        ]
        return
    nodes = {node for stage in (*plan.stages, *undone.stages) for node in stage.steps}
    assert [stage.title for stage in plan.stages[:2]] == [TITLE, "mark"]
    assert set(plan.stages[1].steps) == nodes
    assert [undone.stages[0].title, undone.stages[-1].title] == [TITLE, "remove the mark"]
    assert set(undone.stages[0].steps) == set(undone.stages[-1].steps) == nodes
    overwritten = {
        (node, device)
        for stage in plan.stages
        for node, steps in stage.steps.items()
        for step in steps
        for device in step.guard.destroys
        if device in site.nodes[node].devices
    }
    for node, device in overwritten:
        assert any(
            device in str(step.check)
            for step in plan.stages[0].steps[node]
            if "look_disks" in str(step.check)
        )


def test_every_kind_is_looked_at() -> None:
    """A new kind comes with a plan fixture, and so with this test."""
    assert {name.partition("/")[0] for name in PLANS} >= set(solution_kinds())


@pytest.mark.parametrize("refusing", ["nas", "c1", "c4"])
def test_nothing_is_changed_anywhere_where_one_node_refuses(refusing: str) -> None:
    """No node gets another stage than the look."""
    found = study()
    site, solution = prepare(found)
    nodes = Recording(refusing)
    with pytest.raises(
        RunError, match=f"{refusing}: stage 'preflight check .read-only.'.*\n.*refused: something"
    ):
        apply_plan(deployment(solution, site, {}), nodes)
    assert {stage.split(": ", 1)[1] for _, stage in nodes.got} == {TITLE}
    assert {node for node, _ in nodes.got} == {"nas", "c1", "c2", "c3", "c4"}


IDS = ("storage-of-the-group-prod", "storage-of-the-group-probe")


@pytest.mark.parametrize("name", PLANS)
def test_no_two_studies_know_disks_by_one_label(name: str) -> None:
    """With two ids that begin alike, one study would take the other's data for its own."""
    found = []
    for study_id in IDS:
        site, solution = prepare(study_of(name).replaced(id=study_id))
        plan = deployment(solution, site, {})
        steps = [step for stage in plan.stages for steps in stage.steps.values() for step in steps]
        found.append({label for step in steps for label in step.guard.labels})
    assert found[0].isdisjoint(found[1])


# ---- the mark


def ended(*steps: Step) -> list[str]:
    """How every step ended on this machine."""
    return [
        item.result
        for item in apply_plan(Plan("p", "p", (Stage("only", {"here": steps}),)), Local()).results
    ]


@pytest.mark.parametrize(
    ("has", "refuses"),
    [
        ({"marked", "pending"}, False),
        (set(), False),
        ({"pending"}, True),
        ({"pending", "named"}, False),
    ],
)
def test_without_the_mark_nothing_is_removed(
    tmp_path: Path, has: set[str], refuses: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless nothing is left to remove, or the user has named the devices: a second removal
    is no mistake.
    """
    monkeypatch.setattr("seatrial.solutions.look.MADE", str(tmp_path))
    if "marked" in has:
        (tmp_path / "pair").mkdir()
        (tmp_path / "pair" / "mark").touch()
    check = "false" if "pending" in has else "true"
    steps = [
        command_step("gone", "true", "false"),
        command_step("stop another owner's cluster", check, "false", named="named" in has),
    ]
    look = _marked_step("pair", steps)
    if refuses:
        with pytest.raises(
            RunError, match=r"pair has made nothing on this node(.|\n)*stop another owner's cluster"
        ):
            ended(look)
    else:
        assert ended(look) == ["ok"]


@pytest.mark.skipif(not LOOP, reason="only root can make a loop device")
def test_created_volumes_are_recorded_by_uuid(tmp_path: Path, disks: list[str]) -> None:
    """Once, whatever a later deploy adds; again where it was made again."""
    file = tmp_path / "volumes"

    def asked(function: str, *devices: str) -> int:
        words = ["sh", "-euc", f'{volumes.FUNCTIONS}"$@"', "sh", function, str(file), *devices]
        return subprocess.run(words, check=False).returncode

    def noted() -> dict[str, str]:
        return dict(line.split() for line in file.read_text().splitlines())

    assert asked("expect_volumes", disks[0]) == 0
    subprocess.run(["mkfs.ext4", "-q", disks[0]], check=True)
    assert asked("volumes_are_noted", *disks) == 1
    assert asked("note_volumes", *disks) == 0
    assert asked("volumes_are_noted", *disks) == 0
    first = noted()
    assert list(first) == disks[:1]
    subprocess.run(["mkswap", "-q", disks[1]], check=True)
    assert asked("volumes_are_noted", *disks) == 1
    assert asked("note_volumes", *disks) == asked("note_volumes", *disks) == 0
    assert list(noted()) == disks
    subprocess.run(["mkfs.ext4", "-qF", disks[0]], check=True)
    assert (asked("volumes_are_known", disks[0]), asked("note_volumes", *disks)) == (1, 0)
    assert noted()[disks[0]] == first[disks[0]]  # no step has announced its creation
    assert asked("expect_volumes", disks[0]) == 0
    assert (asked("volumes_are_known", disks[0]), asked("note_volumes", *disks)) == (0, 0)
    assert noted()[disks[0]] != first[disks[0]]
    assert asked("volumes_are_known", *disks) == 0
    assert file.stat().st_mode & 0o77 == 0


def test_a_note_that_has_no_room_leaves_the_former_one(tmp_path: Path) -> None:
    """A full disk: whole or not at all."""
    file = tmp_path / "volumes"
    file.write_text("/dev/sdx 1\n")
    (tmp_path / "volumes.new").symlink_to("/dev/full")
    script = f"{volumes.FUNCTIONS}note_volumes {file}"
    assert subprocess.run(["sh", "-euc", script], check=False, capture_output=True).returncode == 1
    assert file.read_text() == "/dev/sdx 1\n"


def test_a_deploy_reports_every_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a command without findings fails, as most of these do."""
    laid({"files": {"etc/exports": "/home *(rw)\n"}, "commands": {"blkid": "exit 2"}}, tmp_path, {})
    monkeypatch.setenv("SEATRIAL_ROOT", str(tmp_path))
    for script, words in {
        "no_other_exports pair /srv/pair": "exports exports /home, which pair did not create",
        "look_disks pair x '' /dev/nothing": "/dev/nothing is not a block device",
        "false": "",
    }.items():
        plan = Plan(
            "pair", "p", (Stage(TITLE, {"here": (_check("x", f"false\n{script}"),)}, FUNCTIONS),)
        )
        with pytest.raises(RunError, match=f"step 'x' failed:\n(.|\n)*{words}"):
            apply_plan(plan, Local())


@pytest.mark.parametrize("busy", ["", "/dev/sdb", "/dev/sdc"])
def test_no_disk_is_erased_where_one_of_them_is_in_use(busy: str, tmp_path: Path) -> None:
    """All that were named are tried before the first is touched."""
    log = tmp_path / "log"
    stubs = (
        f'wipefs() {{ if [ "$1" = --no-act ]; then [ "$3" != "{busy or "/"}" ]; else echo "erased'
        f' $2" >>{log}; fi; }}\nblkdiscard() {{ echo "discarded $1" >>{log}; }}\nset -e\n'
    )
    text = erase("/dev/sdb", "/dev/sdc").apply
    script = f"{functions_for(text)}{stubs}{text}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    if busy:
        assert (done.returncode, done.stderr) == (1, f"{busy} is in use; nothing was erased\n")
        assert not log.exists()
    else:
        assert done.returncode == 0
        assert sorted(log.read_text().split("\n")) == [
            "",
            "discarded /dev/sdb",
            "discarded /dev/sdc",
            "erased /dev/sdb",
            "erased /dev/sdc",
        ]
